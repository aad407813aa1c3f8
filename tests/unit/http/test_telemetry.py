"""Spans cost nothing when off, and reach a tracer when on."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from yarrow.errors import Misconfigured
from yarrow.http.telemetry import export_spans
from yarrow.kit import telemetry


def test_span_is_a_shared_no_op_when_tracing_is_off() -> None:
    assert telemetry.span("a") is telemetry.span("b", run_id="r")
    with telemetry.span("a"), telemetry.span("b"):
        pass


def test_spans_reach_the_plugged_in_tracer() -> None:
    seen: list[tuple[str, dict[str, str]]] = []

    @contextmanager
    def open_span(name: str, ids: dict[str, str]) -> Iterator[None]:
        seen.append((name, ids))
        yield

    telemetry.set_tracer(open_span)
    with telemetry.span("run.execute", run_id=7):
        pass
    telemetry.set_tracer(None)

    assert seen == [("run.execute", {"run_id": "7"})]


def test_no_endpoint_means_no_tracing() -> None:
    with export_spans(None):
        assert telemetry.span("a") is telemetry.span("b")


def test_endpoint_turns_spans_on() -> None:
    with export_spans("http://127.0.0.1:9/v1/traces"):
        assert telemetry.span("a") is not telemetry.span("b")

    assert telemetry.span("a") is telemetry.span("b")


def test_missing_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace.export", None)

    with pytest.raises(Misconfigured, match=r"yarrow\[telemetry\]"), export_spans("http://x"):
        pass
