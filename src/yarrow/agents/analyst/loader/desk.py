"""The desk a loader works at: scratch files, Python where it is safe, and what could be loaded."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject

WORKSPACE = "workspace"
"""The source whose tables are here already."""


class ToolRefused(Exception):
    """What a tool cannot do; the text is safe to show and to send back."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A scratch file as a table: its columns and first rows."""

    path: str
    columns: Sequence[str]
    rows: Sequence[JsonObject]
    total_rows: int


@dataclass(frozen=True, slots=True)
class Computed:
    """What a program did, and the frames of it that now lie in scratch files."""

    stdout: str
    error: str | None = None
    saved: Mapping[str, Shown] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Loadable:
    """A table of a source."""

    key: str
    name: str
    columns: Sequence[str] = ()
    row_count: int | None = None
    description: str = ""
    path: Sequence[str] = ()
    """The folders it lies in."""


@dataclass(frozen=True, slots=True)
class Source:
    """Something tables can be loaded from."""

    id: str
    tables: Sequence[Loadable]


class LoadingDesk(Protocol):
    """One workspace during one run. Variables of programs live as long as it does."""

    @property
    def can_run_python(self) -> bool: ...

    async def read_file(self, path: str) -> str:
        """The text of a scratch file; raises `ToolRefused`."""
        ...

    async def write_file(self, path: str, content: str) -> tuple[str, int]:
        """Keep a text as a scratch file; its path and size. Raises `ToolRefused`."""
        ...

    async def list_directory(self, path: str) -> Sequence[str]:
        """What lies in a folder; raises `ToolRefused`."""
        ...

    async def run_python(self, code: str) -> Computed: ...

    async def show(self, path: str, *, rows: int) -> Shown:
        """A scratch file as a table; raises `ToolRefused`."""
        ...

    async def sources(self) -> Sequence[Source]: ...

    async def describe(self, source: Source, table: Loadable) -> str:
        """A table in words; raises `ToolRefused`."""
        ...

    async def matching(self, pattern: str, texts: Sequence[str]) -> Sequence[int]:
        """Which texts a regular expression finds, in any case; raises `ToolRefused`."""
        ...


class LoadingDesks(Protocol):
    """Where desks come from."""

    def open(
        self, account_id: AccountId, workspace: str, *, row_limit: int
    ) -> AbstractAsyncContextManager[LoadingDesk]: ...
