"""Tables that can be loaded, and the sources they are in."""

from collections.abc import Sequence

from msgspec import Struct

WORKSPACE_SOURCE = "workspace"
"""The source whose tables are loaded already."""


class LoadableTable(Struct, frozen=True):
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


class DataSource(Struct, frozen=True):
    """A place that tables can be loaded from."""

    id: str
    tables: Sequence[LoadableTable]
