"""Errors of the points ledger."""

from yarrow.errors import Conflict, YarrowError


class PointsShort(YarrowError):
    """The account cannot cover the price of the run."""

    def __init__(self, *, needed: int, available: int) -> None:
        super().__init__(f"run costs {needed} points, {available} available")
        self.needed, self.available = needed, available


class PointsHeld(Conflict):
    """The points to take are held for running runs."""

    def __init__(self, *, amount: int, available: int, held: int) -> None:
        super().__init__(
            f"cannot take {amount} points: {available} are free, {held} are held for runs"
        )
        self.amount, self.available, self.held = amount, available, held


class TicketUsed(Conflict):
    """The ticket moved another number of points of this account before."""

    def __init__(self, *, points: int) -> None:
        super().__init__(f"this ticket has moved {points:+d} points before; use a new ticket")
        self.points = points
