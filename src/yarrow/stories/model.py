"""The values of a story: a session, its bindings and what they come down to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

from yarrow.accounts.model import UNCHANGED, Same
from yarrow.assets.model import AssetKind
from yarrow.ids import AccountId, AssetId, BranchId, SessionId, VersionId
from yarrow.kit.json import JsonObject
from yarrow.prompting.model import NAMELESS_USER, PromptMode
from yarrow.sessions.timeline.model import Utterance
from yarrow.stories.bindings.model import Bindings, Bound, SyncPolicy
from yarrow.variables.model import ScopedVariables


class StoryStatus(StrEnum):
    """Whether a story can still be changed."""

    ACTIVE = "active"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class Names:
    """Who speaks in a story; `character` is None where nobody is bound."""

    user: str
    character: str | None


@dataclass(frozen=True, slots=True)
class StoryHead:
    """A story without its words. `bound` has what each binding comes down to now."""

    session_id: SessionId
    account_id: AccountId
    title: str | None
    message_count: int
    bindings: Bindings
    bound: Mapping[AssetKind, Bound]
    created_at: datetime
    updated_at: datetime

    @property
    def archived(self) -> bool:
        return self.bindings.archived_at is not None

    @property
    def status(self) -> StoryStatus:
        return StoryStatus.ARCHIVED if self.archived else StoryStatus.ACTIVE

    @property
    def names(self) -> Names:
        persona, character = self.bound.get(AssetKind.PERSONA), self.bound.get(AssetKind.CHARACTER)
        return Names(
            user=NAMELESS_USER if persona is None else persona.name,
            character=None if character is None else character.name,
        )


@dataclass(frozen=True, slots=True)
class Story:
    """What a prompt for the next turn of a branch starts from."""

    head: StoryHead
    branch_id: BranchId
    branch: str
    variables: ScopedVariables
    said: Sequence[Utterance]
    """On the way to the branch's end, oldest first, hidden messages too."""
    zone: ZoneInfo
    """Where its owner's clock is."""

    @property
    def archived(self) -> bool:
        return self.head.archived

    @property
    def policy(self) -> JsonObject:
        """The session's own layer of the prompt policy."""
        return self.head.bindings.policy

    @property
    def metadata(self) -> JsonObject:
        return self.head.bindings.metadata

    def bound(self, kind: AssetKind) -> Bound | None:
        return self.head.bound.get(kind)


@dataclass(frozen=True, slots=True)
class StoryPatch:
    """What a client wants a story to be bound to; what is not named stays.

    None looses an asset, releases a version, or clears a value. `model` is laid over the old one.
    """

    title: str | Same | None = UNCHANGED
    status: StoryStatus | Same = UNCHANGED
    assets: Mapping[AssetKind, AssetId | None] = field(default_factory=dict)
    versions: Mapping[AssetKind, VersionId | None] = field(default_factory=dict)
    deep_binding: bool | Same = UNCHANGED
    sync_policy: SyncPolicy | Same = UNCHANGED
    prompt_mode: PromptMode | Same | None = UNCHANGED
    model: JsonObject = field(default_factory=dict)
    metadata: JsonObject | Same = UNCHANGED


@dataclass(frozen=True, slots=True)
class StoryFilter:
    """Which stories a list is to have; None and the empty text leave all of them."""

    status: StoryStatus | None = None
    character_id: AssetId | None = None
    search: str = ""


class StorySort(StrEnum):
    """What a list of stories is sorted by."""

    CREATED_AT = "created_at"
    UPDATED_AT = "updated_at"
    TITLE = "title"
