"""The values of the library: an asset, its versions, and what is asked of them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from yarrow.ids import AccountId, AssetId, VersionId
from yarrow.kit.json import JsonObject


class AssetKind(StrEnum):
    """What an asset is."""

    PRESET = "preset"
    WORLDBOOK = "worldbook"
    REGEX_PROFILE = "regex_profile"
    CHARACTER = "character"
    PERSONA = "persona"


@dataclass(frozen=True, slots=True)
class AssetRef:
    """An asset that is asked for. Another account's, or one of another kind, is not found."""

    account_id: AccountId
    kind: AssetKind
    id: AssetId


@dataclass(frozen=True, slots=True)
class Asset:
    """An asset at one of its versions, mostly the newest."""

    id: AssetId
    account_id: AccountId
    kind: AssetKind
    name: str
    version: int
    version_id: VersionId
    content_hash: str
    created_at: datetime
    updated_at: datetime

    @property
    def ref(self) -> AssetRef:
        return AssetRef(self.account_id, self.kind, self.id)


@dataclass(frozen=True, slots=True)
class AssetVersion:
    """One version; it never changes."""

    id: VersionId
    asset_id: AssetId
    version: int
    content_hash: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Draft:
    """What a version will be made of, checked against the rules of its kind."""

    kind: AssetKind
    name: str
    content: JsonObject
    content_hash: str


class SortBy(StrEnum):
    """What a list of assets is sorted by."""

    NAME = "name"
    CREATED_AT = "created_at"
    UPDATED_AT = "updated_at"


class SortOrder(StrEnum):
    """Which end of a list comes first."""

    ASC = "asc"
    DESC = "desc"


@dataclass(frozen=True, slots=True)
class Sorting:
    """In which order a list is wanted."""

    by: SortBy = SortBy.UPDATED_AT
    order: SortOrder = SortOrder.DESC


@dataclass(frozen=True, slots=True)
class Listing:
    """Which part of a list is wanted, and what names must contain."""

    limit: int
    offset: int
    sorting: Sorting = Sorting()
    search: str = ""
