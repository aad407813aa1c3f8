"""End an answer early at the user's request; the text generated so far is stored."""

from collections.abc import Callable

from msgspec import Struct


class FinishSignal(Struct, eq=False):
    """Asks the agent of one run to end its answer. An agent that does not read it finishes as
    usual."""

    is_requested: bool = False
    interrupt: Callable[[], object] | None = None
    """Set by an agent while it waits for its model; the request calls it."""

    def request(self) -> None:
        """Interrupt the agent if it waits for its model."""
        if not self.is_requested:
            self.is_requested = True
            if self.interrupt is not None:
                self.interrupt()
