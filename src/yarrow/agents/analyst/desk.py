"""The desk an analyst works at: the tables of a workspace, SQL, and Python where it is safe."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from yarrow.charting import TableShape
from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject


class CodeFailed(Exception):
    """Code of the model's did not run; the text is safe to show and to send back."""


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What may be said of a table in a prompt."""

    name: str
    shape: TableShape
    sample_rows: Sequence[JsonObject]


@dataclass(frozen=True, slots=True)
class Frame:
    """A table that code made and that nobody has kept yet: its shape, and rows to show."""

    shape: TableShape
    rows: Sequence[JsonObject]
    file: Path


@dataclass(frozen=True, slots=True)
class Explored:
    """What a program printed, and why it stopped if it failed."""

    stdout: str
    error: str = ""


class Desk(Protocol):
    """One workspace during one run. Variables of explored programs live as long as it does."""

    @property
    def can_run_python(self) -> bool: ...

    async def facts(self, names: Sequence[str] = ()) -> Sequence[TableFacts]:
        """What the named tables look like, or all that lie here if none is named.

        One that cannot be read is warned of and left out; one that is not here is left out.
        """
        ...

    async def top_rows(
        self, name: str, *, columns: Sequence[str], sort_by: str, limit: int
    ) -> Sequence[JsonObject]:
        """Some rows of a table, the largest of a column first; raises `CodeFailed`.

        Unknown columns are passed over; without any, all come.
        """
        ...

    async def query(self, sql: str) -> str:
        """The first rows of a query as text; raises `CodeFailed`."""
        ...

    async def explore(self, code: str) -> Explored: ...

    async def make_by_python(self, code: str, output_variable: str) -> Frame:
        """The table that the program leaves in the variable; raises `CodeFailed`."""
        ...

    def selecting(self, table: str, columns: Sequence[str]) -> str:
        """The query that gives these columns of a table."""
        ...

    async def make_by_sql(self, sql: str) -> Frame:
        """The table that the query gives; raises `CodeFailed`."""
        ...

    async def keep(self, frame: Frame, name: str) -> str:
        """Keep a frame as a table of the workspace; gives back what it is called."""
        ...

    def drop(self, frame: Frame) -> None:
        """Forget a frame that came to nothing."""
        ...


class Desks(Protocol):
    """Where desks come from."""

    def open(
        self,
        account_id: AccountId,
        workspace: str,
        tables: Sequence[str],
        *,
        rows: Mapping[str, str],
    ) -> AbstractAsyncContextManager[Desk]:
        """A desk with the named tables, or some of the workspace's if none is named.

        `rows` are files of rows that become tables first. A table that is not there is warned of.
        """
        ...
