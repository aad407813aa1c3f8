"""A cache of the next free number behind a table name.

A chart that is requested a thousand times makes a thousand tables of one name. Reading all of
their names each time would make the thousandth chart slower than the first; a violation of the
unique index tells when the cache is out of date.
"""

from yarrow.kit.cache import LruCache

MOST = 10_000
FIRST_NUMBER = 2


def with_number(wanted: str, number: int) -> str:
    """The name with its number."""
    return f"{wanted}_{number}"


class FreeNames:
    """Keyed by workspace and requested name; a miss costs a query."""

    def __init__(self, *, most: int = MOST) -> None:
        self._next: LruCache[tuple[str, str], int] = LruCache(most)

    def take(self, workspace: str, wanted: str) -> str | None:
        """A name that was not taken yet; None if the number is not cached."""
        key = (workspace, wanted)
        if (number := self._next.get(key)) is None:
            return None
        self._next.put(key, number + 1)
        return with_number(wanted, number)

    def learn(self, workspace: str, wanted: str, name: str) -> None:
        """A table got this name; the next one gets the number after its own."""
        number = name.removeprefix(f"{wanted}_")
        following = int(number) + 1 if number.isdigit() else FIRST_NUMBER
        self._next.put((workspace, wanted), following)

    def forget(self, workspace: str) -> None:
        """Drop a workspace whose tables were removed: their names are free again."""
        for key in self._next:
            if key[0] == workspace:
                self._next.remove(key)
