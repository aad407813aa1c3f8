"""Tables that can be loaded, and the sources they are in."""

from collections.abc import Sequence
from dataclasses import dataclass

WORKSPACE_SOURCE = "workspace"
"""The source whose tables are loaded already."""


@dataclass(frozen=True, slots=True)
class LoadableTable:
    """A table of a source."""

    key: str
    name: str
    columns: Sequence[str] = ()
    row_count: int | None = None
    row_estimate: int | None = None
    """As a connected source estimates it."""
    description: str = ""
    path: Sequence[str] = ()
    """The folders it is in."""


@dataclass(frozen=True, slots=True)
class DataSource:
    """A place that tables can be loaded from."""

    id: str
    tables: Sequence[LoadableTable]
