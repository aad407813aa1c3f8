"""Values of assets and their versions."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from yarrow.ids import AccountId, AssetId, VersionId
from yarrow.kit.json import JsonObject


class AssetKind(StrEnum):
    """The kinds of assets."""

    PRESET = "preset"
    WORLDBOOK = "worldbook"
    REGEX_PROFILE = "regex_profile"
    CHARACTER = "character"
    PERSONA = "persona"


class AssetRef(Struct, frozen=True):
    """Names an asset. One of another account or of another kind is not found."""

    account_id: AccountId
    kind: AssetKind
    id: AssetId


class Asset(Struct, frozen=True):
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


class AssetVersion(Struct, frozen=True):
    """One version of an asset; versions are immutable."""

    id: VersionId
    asset_id: AssetId
    version: int
    content_hash: str
    created_at: datetime


class AssetDraft(Struct, frozen=True):
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


class AssetQuery(Struct, frozen=True):
    """Which assets to list: some of those whose name contains `search`."""

    limit: int
    offset: int
    sort: AssetSort = AssetSort.UPDATED_AT
    order: SortOrder = SortOrder.DESC
    search: str = ""
