"""Values of stories: a session with its bindings, and the state that a prompt is built from."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

from msgspec import Struct, field

from yarrow.assets.model import AssetKind
from yarrow.ids import AccountId, AssetId, BranchId, SessionId, VersionId
from yarrow.kit.json import JsonObject
from yarrow.kit.patch import UNCHANGED, UnchangedField
from yarrow.memory.model import StoredMemory
from yarrow.prompting.assembly import HistoryEntry
from yarrow.prompting.choose_memories import SummaryTier
from yarrow.prompting.formats.chats import CHARACTER_NAME, USER_NAME
from yarrow.prompting.model import NAMELESS_USER, PromptMode
from yarrow.stories.model_endpoints.model import NO_CHOICES, ModelChoices
from yarrow.variables.model import ScopedVariables

DEFAULT_MODE = PromptMode.COMPAT_STRICT

VARIABLES_ARE_CURRENT = "variables_are_current"
"""A limitation: the variables after a turn are not known, so the present ones are used."""

PINNABLE = (
    AssetKind.CHARACTER,
    AssetKind.PRESET,
    AssetKind.WORLDBOOK,
    AssetKind.REGEX_PROFILE,
)
"""Kinds that can be bound at a fixed version; a persona always has its newest."""


class StoryStatus(StrEnum):
    """Whether a story can be changed."""

    ACTIVE = "active"
    ARCHIVED = "archived"


class SyncPolicy(StrEnum):
    """When a session takes a newer version of its character."""

    PIN = "pin"
    """Only when a sync is forced."""
    MANUAL = "manual"
    """When a sync is requested."""
    FORCE = "force"
    """Always."""


class AssetBinding(Struct, frozen=True):
    """An asset that a session is bound to; without a version it follows the newest."""

    asset_id: AssetId
    version: int | None = None


class SessionBindings(Struct, frozen=True):
    """A row of `session_bindings`."""

    assets: Mapping[AssetKind, AssetBinding] = field(default_factory=dict)
    sync_policy: SyncPolicy = SyncPolicy.PIN
    prompt_mode: PromptMode | None = None
    model: JsonObject = field(default_factory=dict)
    policy: JsonObject = field(default_factory=dict)
    metadata: JsonObject = field(default_factory=dict)
    archived_at: datetime | None = None


class BoundAsset(Struct, frozen=True):
    """The version that a binding resolves to now. A deleted asset stays usable by its sessions."""

    kind: AssetKind
    asset_id: AssetId
    name: str
    version: int
    version_id: VersionId
    pinned: bool
    deleted: bool
    updated_at: datetime
    """When this version was created."""


class StoryNames(Struct, frozen=True):
    """The names that `{{user}}` and `{{char}}` stand for: of the persona and the character that are
    bound, else of the chat file that was imported. Without either there is no character."""

    user: str
    character: str | None


class StorySession(Struct, frozen=True):
    """A session with its bindings, without its messages."""

    session_id: SessionId
    account_id: AccountId
    title: str | None
    message_count: int
    bindings: SessionBindings
    bound: Mapping[AssetKind, BoundAsset]
    created_at: datetime
    updated_at: datetime
    models: ModelChoices = NO_CHOICES
    """Only where one story is read, not in lists."""

    @property
    def archived(self) -> bool:
        return self.bindings.archived_at is not None

    @property
    def status(self) -> StoryStatus:
        return StoryStatus.ARCHIVED if self.archived else StoryStatus.ACTIVE

    @property
    def names(self) -> StoryNames:
        return StoryNames(
            user=self._find_name(AssetKind.PERSONA, USER_NAME) or NAMELESS_USER,
            character=self._find_name(AssetKind.CHARACTER, CHARACTER_NAME),
        )

    def _find_name(self, kind: AssetKind, field: str) -> str | None:
        bound, of_file = self.bound.get(kind), self.bindings.metadata.get(field)
        if bound is not None:
            return bound.name
        return of_file if isinstance(of_file, str) and of_file else None


class AnsweringStory(Struct, frozen=True):
    """What decides whether a story can answer on a branch."""

    session_id: SessionId
    archived: bool
    models: ModelChoices
    has_branch: bool


class HistoryMessage(HistoryEntry, frozen=True, gc=False):
    """An active message on the path to a branch's end, as a prompt needs it.

    A history has thousands of them. So this is a struct, its ids are text and its time is a number:
    UUID and datetime objects would cost more than all the rest.
    """

    hidden: bool = False
    created_s: float = 0
    """Seconds since 1970."""
    version_number: int = 0
    version_count: int = 1


class StoryState(Struct, frozen=True):
    """All stored data that the prompt for the next turn of a branch is built from."""

    session: StorySession
    branch_id: BranchId
    branch: str
    variables: ScopedVariables
    history: Sequence[HistoryMessage]
    """Messages on the path to the branch's end, oldest first, hidden ones too."""
    timezone: ZoneInfo
    """Of the account."""
    timers: Sequence[JsonObject] = ()
    """Running timers of lore entries, as they are stored."""
    memories: Sequence[StoredMemory] = ()
    """Those that may count; whether their replies are in the history is not decided yet."""
    limitations: Sequence[str] = ()
    """What of it is not the state that was asked for."""
    history_version: int = 0
    """How often earlier messages and turns of the story changed; new ones do not count."""

    @property
    def policy(self) -> JsonObject:
        """The session's layer of the prompt policy."""
        return self.session.bindings.policy

    @property
    def metadata(self) -> JsonObject:
        return self.session.bindings.metadata

    def list_memories(self) -> tuple[StoredMemory, ...]:
        """The memories that count where the history ends."""
        if not self.memories:
            return ()
        live = {id_ for each in self.history for id_ in (*each.message_ids, *each.turn_ids)}
        return tuple(memory for memory in self.memories if memory.is_visible(live))

    def count_turns_since_compaction(self, memories: Iterable[StoredMemory]) -> int | None:
        """How many turns came after the newest of the macro summaries; None if there are none."""
        times = [each.created_s for each in memories if each.tier is SummaryTier.MACRO]
        if not times:
            return None
        return len({each.turn_id for each in self.history if each.created_s > max(times)})

    def find_bound(self, kind: AssetKind) -> BoundAsset | None:
        return self.session.bound.get(kind)


class StoryPatch(Struct, frozen=True):
    """Changes to a story; what is not named stays.

    None unbinds an asset, unpins a version or clears a value. `model` is merged into the old one.
    """

    title: str | UnchangedField | None = UNCHANGED
    status: StoryStatus | UnchangedField = UNCHANGED
    assets: Mapping[AssetKind, AssetId | None] = field(default_factory=dict)
    snapshots: Mapping[AssetKind, JsonObject] = field(default_factory=dict)
    """Content to bind instead of an asset of the library: the session gets its own copy."""
    versions: Mapping[AssetKind, VersionId | None] = field(default_factory=dict)
    deep_binding: bool | UnchangedField = UNCHANGED
    """True pins every bound asset at its present version, False unpins all but the character."""
    sync_policy: SyncPolicy | UnchangedField = UNCHANGED
    prompt_mode: PromptMode | UnchangedField | None = UNCHANGED
    model: JsonObject = field(default_factory=dict)
    metadata: JsonObject | UnchangedField = UNCHANGED


class StoryFilter(Struct, frozen=True):
    """Which stories to list; None and the empty text match all."""

    status: StoryStatus | None = None
    character_id: AssetId | None = None
    search: str = ""


class StorySort(StrEnum):
    """What a list of stories is sorted by."""

    CREATED_AT = "created_at"
    UPDATED_AT = "updated_at"
    TITLE = "title"
