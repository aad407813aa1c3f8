"""The values of a session's bindings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from yarrow.assets.model import AssetKind
from yarrow.ids import AssetId, VersionId
from yarrow.kit.json import JsonObject
from yarrow.prompting.model import PromptMode


class SyncPolicy(StrEnum):
    """When a session takes a newer version of its character."""

    PIN = "pin"
    MANUAL = "manual"
    FORCE = "force"


DEFAULT_MODE = PromptMode.COMPAT_STRICT

PINNABLE = (
    AssetKind.CHARACTER,
    AssetKind.PRESET,
    AssetKind.WORLDBOOK,
    AssetKind.REGEX_PROFILE,
)
"""What can be held at a version; a persona is always the newest."""


@dataclass(frozen=True, slots=True)
class Binding:
    """An asset and the version it is held at; None follows the newest."""

    asset_id: AssetId
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Bindings:
    """All that a session is bound to, as it is stored."""

    assets: Mapping[AssetKind, Binding] = field(default_factory=dict)
    sync_policy: SyncPolicy = SyncPolicy.PIN
    prompt_mode: PromptMode | None = None
    model: JsonObject = field(default_factory=dict)
    policy: JsonObject = field(default_factory=dict)
    metadata: JsonObject = field(default_factory=dict)
    archived_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """What a binding comes down to now. A deleted asset still serves whoever is bound to it."""

    kind: AssetKind
    asset_id: AssetId
    name: str
    version: int
    version_id: VersionId
    pinned: bool
    deleted: bool
    updated_at: datetime
    """When this version was made."""
