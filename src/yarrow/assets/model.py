"""Values of assets and their versions."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from yarrow.ids import AccountId, AssetId, VersionId
from yarrow.kit.json import JsonObject


class AssetKind(StrEnum):
    """The kinds of assets."""

    PRESET = "preset"
    WORLDBOOK = "worldbook"
    REGEX_PROFILE = "regex_profile"
    CHARACTER = "character"
    PERSONA = "persona"


@dataclass(frozen=True, slots=True)
class AssetRef:
    """Names an asset. One of another account or of another kind is not found."""

    account_id: AccountId
    kind: AssetKind
    id: AssetId


@dataclass(frozen=True, slots=True)
class Asset:
    """An asset at one of its versions, by default the newest."""

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
    """One version of an asset; versions are immutable."""

    id: VersionId
    asset_id: AssetId
    version: int
    content_hash: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class AssetDraft:
    """A version to insert, checked against the rules of its kind."""

    kind: AssetKind
    name: str
    content: JsonObject
    content_hash: str


class AssetSort(StrEnum):
    """What a list of assets is sorted by."""

    NAME = "name"
    CREATED_AT = "created_at"
    UPDATED_AT = "updated_at"


class SortOrder(StrEnum):
    """The direction of a sorted list."""

    ASC = "asc"
    DESC = "desc"


@dataclass(frozen=True, slots=True)
class AssetQuery:
    """Which assets to list: some of those whose name contains `search`."""

    limit: int
    offset: int
    sort: AssetSort = AssetSort.UPDATED_AT
    order: SortOrder = SortOrder.DESC
    search: str = ""
