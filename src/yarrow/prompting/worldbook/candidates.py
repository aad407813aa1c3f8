"""A lore entry that matched, and the conditions beside its keys."""

from msgspec import Struct

from yarrow.prompting.worldbook.model import BookSource, CharacterFilter, EntryDecorator, LoreEntry
from yarrow.prompting.worldbook.request import ActivationMode, CutReason, FirstMatch, ScanRequest
from yarrow.prompting.worldbook.timers import ActiveTimers, TimerKind


def name_entry_place(source: BookSource, entry: LoreEntry) -> str:
    """Name the place of an entry's text; it seeds random macros, so it never varies."""
    return f"lore:{source.ref}:{entry.uid}"


class EntryRejection(Struct, frozen=True):
    """Why an entry that matched is not active."""

    reason: CutReason
    detail: str


class LoreCandidate(Struct, frozen=True, gc=False, eq=False):
    """An entry that matched. `book` and `index` are its position among all entries.

    `score` is the number of matching keys and decides in a group if `is_scored`. With
    `feeds_recursion` its content may trigger other entries.
    """

    book: int
    index: int
    entry: LoreEntry
    source: BookSource
    mode: ActivationMode
    level: int
    first_match: FirstMatch | None
    score: int
    is_scored: bool
    feeds_recursion: bool


def check_preconditions(
    entry: LoreEntry, source: BookSource, *, request: ScanRequest, timers: ActiveTimers
) -> EntryRejection | None:
    """Return the first condition beside the keys that the entry does not meet, or None."""
    if entry.character_filter and not _passes_filter(entry.character_filter, request):
        return EntryRejection(CutReason.CHARACTER_FILTER, f"not for {request.character_name}")
    if entry.intents and request.intent not in entry.intents:
        return EntryRejection(CutReason.INTENT, f"only for {', '.join(entry.intents)}")
    if request.chat_length < entry.delay:
        detail = f"from message {entry.delay} on, the chat has {request.chat_length}"
        return EntryRejection(CutReason.DELAY, detail)
    cooldown = timers.find(TimerKind.COOLDOWN, source, entry)
    if cooldown and not timers.find(TimerKind.STICKY, source, entry):
        return EntryRejection(CutReason.COOLDOWN, f"rests until message {cooldown.end}")
    if _is_suppressed(entry.decorators):
        return EntryRejection(CutReason.DECORATOR, EntryDecorator.DONT_ACTIVATE.value)
    return None


def _is_suppressed(decorators: tuple[EntryDecorator, ...]) -> bool:
    return EntryDecorator.DONT_ACTIVATE in decorators and EntryDecorator.ACTIVATE not in decorators


def _passes_filter(condition: CharacterFilter, request: ScanRequest) -> bool:
    """Names and tags are checked separately; both must pass."""
    if condition.names and (request.character_name in condition.names) is condition.excludes:
        return False
    tags = {tag.casefold() for tag in request.character_tags}
    shared = not tags.isdisjoint(tag.casefold() for tag in condition.tags)
    return not condition.tags or shared is not condition.excludes
