"""The port for tracing spans; a span costs one call when tracing is off.

Like logging, tracing belongs to the process and not to an object, so the port is a global
variable. `http/telemetry.py` sets a tracer when an endpoint is configured.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

OpenSpan: TypeAlias = Callable[[str, dict[str, str]], AbstractContextManager[object]]

_OFF: AbstractContextManager[object] = nullcontext()


class _Port:
    open_span: OpenSpan | None = None


def span(name: str, **ids: object) -> AbstractContextManager[object]:
    """A span named `name` that carries ids: never prompts, answers or tokens.

    with span("run.execute", run_id=run.id):
        ...
    """
    if _Port.open_span is None:
        return _OFF
    return _Port.open_span(name, {key: str(value) for key, value in ids.items()})


def set_tracer(open_span: OpenSpan | None) -> None:
    """Send spans to a tracer; None turns tracing off."""
    _Port.open_span = staticmethod(open_span) if open_span else None
