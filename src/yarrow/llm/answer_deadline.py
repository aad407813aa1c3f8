"""A deadline for one answer of a model, which its text extends.

The timeout between two bytes does not end an answer of one byte a second: it holds its run and the
points of the account until the deadline of the run. A fixed deadline would end long answers of slow
models as well, so each piece of text buys time.
"""

import asyncio
from collections.abc import Callable

import aiohttp

from yarrow.llm.errors import AnswerTooSlow

BYTES_PER_S = 8
"""Text that extends the deadline by a second: two tokens, which the slowest hardware writes."""


class AnswerDeadline:
    """One timer for each answer; reading a token costs nothing."""

    def __init__(self, timeout_ms: int, content_bytes: Callable[[], int]) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeout_ms, self._content_bytes = timeout_ms, content_bytes
        self.first_end = self._loop.time() + timeout_ms / 1000
        """The end of an answer without text, in the time of the event loop."""
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, response: aiohttp.ClientResponse) -> None:
        """Let reads of the response raise `AnswerTooSlow` after the deadline."""
        end = self.first_end + self._content_bytes() / BYTES_PER_S
        if end <= self._loop.time():
            response.content.set_exception(AnswerTooSlow(self._timeout_ms))
        else:
            self._timer = self._loop.call_at(end, self.watch, response)

    def stop(self) -> None:
        """Forget the response."""
        if self._timer is not None:
            self._timer.cancel()
