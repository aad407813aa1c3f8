"""Path and query parameters."""

from typing import Annotated, TypeAlias

from fastapi import Path, Query

PAGE_DEFAULT = 50
PAGE_MAX = 200
NUMBER_MAX = 2**31 - 1
SEARCH_CHARS = 200

Limit: TypeAlias = Annotated[int, Query(ge=1, le=PAGE_MAX)]
Offset: TypeAlias = Annotated[int, Query(ge=0, le=NUMBER_MAX)]
Search: TypeAlias = Annotated[
    str, Query(max_length=SEARCH_CHARS, pattern=r"^[^\x00]*$", description="A part of the name")
]

AssetIdPath: TypeAlias = Annotated[str, Path(description="The asset's id")]
EntryPath: TypeAlias = Annotated[str, Path(description="The entry's identifier or uid")]
VersionPath: TypeAlias = Annotated[int, Path(ge=1, le=NUMBER_MAX)]
VersionQuery: TypeAlias = Annotated[int, Query(ge=1, le=NUMBER_MAX)]
OptionalVersion: TypeAlias = Annotated[
    int | None, Query(ge=1, le=NUMBER_MAX, description="Left out: the newest")
]
ExpectedVersion: TypeAlias = Annotated[int | None, Query(ge=1, le=NUMBER_MAX)]
