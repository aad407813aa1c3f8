"""End an answer early at the user's request; the text generated so far is stored."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct


class FinishSignal(Struct, eq=False):
    """Asks the agent of one run to end its answer. An agent that does not read it finishes as
    usual."""

    is_requested: bool = False
    _interrupt: Callable[[], object] | None = None

    def request(self) -> None:
        """Interrupt the agent if it waits for its model."""
        if not self.is_requested:
            self.is_requested = True
            if self._interrupt is not None:
                self._interrupt()

    @contextmanager
    def interrupting(self, interrupt: Callable[[], object]) -> Iterator[None]:
        """Call `interrupt` on a request within the block."""
        self._interrupt = interrupt
        try:
            yield
        finally:
            self._interrupt = None
