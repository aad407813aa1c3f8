"""What paths and queries about assets may say."""

from typing import Annotated, TypeAlias

from fastapi import Path, Query

from yarrow.protocols.tavern.assets.wire import NUMBER_MAX

PAGE = 50
PAGE_MAX = 200
SEARCH_CHARS = 200

AssetIdPath: TypeAlias = Annotated[str, Path(description="The asset's id")]
EntryPath: TypeAlias = Annotated[str, Path(description="The entry's identifier or uid")]
VersionPath: TypeAlias = Annotated[int, Path(ge=1, le=NUMBER_MAX)]
Version: TypeAlias = Annotated[int, Query(ge=1, le=NUMBER_MAX)]
OlderVersion: TypeAlias = Annotated[
    int | None, Query(ge=1, le=NUMBER_MAX, description="Left out: the newest")
]
ExpectedVersion: TypeAlias = Annotated[int | None, Query(ge=1, le=NUMBER_MAX)]
Limit: TypeAlias = Annotated[int, Query(ge=1, le=PAGE_MAX)]
Offset: TypeAlias = Annotated[int, Query(ge=0, le=NUMBER_MAX)]
Search: TypeAlias = Annotated[
    str, Query(max_length=SEARCH_CHARS, pattern=r"^[^\x00]*$", description="A part of the name")
]
