"""Warnings from deep code: what goes wrong there does not end the run, but its stream says so.

Code that is no generator cannot yield an event. It collects a warning here; the executor puts
what was collected before the next event of the run. Outside of a run nothing is collected.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StreamWarning:
    """Something a user may be told; `code` is for programs."""

    message: str
    code: str


_collected: ContextVar[list[StreamWarning] | None] = ContextVar("stream_warnings", default=None)


def collect_stream_warning(message: str, *, code: str) -> None:
    """Say it before the next event of the run that this code works for."""
    collected = _collected.get()
    if collected is not None:
        collected.append(StreamWarning(message, code))


@contextmanager
def collecting_warnings() -> Iterator[list[StreamWarning]]:
    """The list that fills while the block runs; whoever takes from it empties it."""
    collected: list[StreamWarning] = []
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)
