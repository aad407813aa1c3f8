"""The number that a name in use gets next, as far as this process knows.

A chart that is asked for a thousand times makes a thousand tables of one name. Reading all of
their names each time would make the thousandth chart slower than the first; the unique index
tells when what we know is out of date.
"""

from collections import OrderedDict

MOST = 10_000
FIRST_NUMBER = 2


def numbered(wanted: str, number: int) -> str:
    """How a name is told from the same one before it."""
    return f"{wanted}_{number}"


class FreeNames:
    """By workspace and wanted name; what is not known costs a look at the database."""

    def __init__(self, *, most: int = MOST) -> None:
        self._most = most
        self._next: OrderedDict[tuple[str, str], int] = OrderedDict()

    def take(self, workspace: str, wanted: str) -> str | None:
        """A name that nobody here was given yet; None if nothing is known of it."""
        key = (workspace, wanted)
        if (number := self._next.get(key)) is None:
            return None
        self._next[key] = number + 1
        return numbered(wanted, number)

    def learn(self, workspace: str, wanted: str, given: str) -> None:
        """A table got this name; the next one gets the number after its own."""
        number = given.removeprefix(f"{wanted}_")
        following = int(number) + 1 if number.isdigit() else FIRST_NUMBER
        self._next[workspace, wanted] = following
        self._next.move_to_end((workspace, wanted))
        while len(self._next) > self._most:
            self._next.popitem(last=False)

    def forget(self, workspace: str) -> None:
        """Tables went: their names are free again."""
        for key in [key for key in self._next if key[0] == workspace]:
            del self._next[key]
