"""Collect warnings for the stream of a run, in code that is no generator.

The executor sends the collected warnings before the run's next event. Outside of a run nothing is
collected.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StreamWarning:
    """A warning for the user; `code` is for programs."""

    message: str
    code: str


_collected: ContextVar[list[StreamWarning] | None] = ContextVar("stream_warnings", default=None)


def collect_stream_warning(message: str, *, code: str) -> None:
    """Add a warning to the stream of the current run, if there is one."""
    collected = _collected.get()
    if collected is not None:
        collected.append(StreamWarning(message, code))


@contextmanager
def collecting_warnings() -> Iterator[list[StreamWarning]]:
    """Collect the warnings of the block into a list; the reader empties it."""
    collected: list[StreamWarning] = []
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)
