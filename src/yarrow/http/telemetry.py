"""OpenTelemetry behind the span port of `kit/telemetry.py`, if an endpoint is set."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from yarrow.errors import Misconfigured
from yarrow.kit import telemetry


@contextmanager
def export_spans(otlp_endpoint: str | None) -> Iterator[None]:
    """Export spans to the endpoint for the lifetime of the block; do nothing without one."""
    if otlp_endpoint is None:
        yield
        return
    try:
        # Imported here: the extra is optional and slow to import.
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError as missing:
        raise Misconfigured(
            "YARROW_OTLP_ENDPOINT is set but OpenTelemetry is not installed:"
            " pip install 'yarrow[telemetry]'"
        ) from missing

    provider = TracerProvider(resource=Resource.create({"service.name": "yarrow"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=otlp_endpoint)))
    tracer = provider.get_tracer("yarrow")

    def open_span(name: str, ids: dict[str, str]) -> AbstractContextManager[object]:
        return tracer.start_as_current_span(name, attributes=ids)

    telemetry.set_tracer(open_span)
    try:
        yield
    finally:
        telemetry.set_tracer(None)
        provider.shutdown()
