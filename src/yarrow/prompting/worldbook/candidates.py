"""An entry that a scan came upon, before it is decided whether it may stay."""

import msgspec

from yarrow.prompting.worldbook.model import BookSource, CharacterFilter, EntryDecorator, LoreEntry
from yarrow.prompting.worldbook.request import ActivationMode, CutReason, FirstMatch, ScanRequest
from yarrow.prompting.worldbook.timers import ActiveTimers, TimerKind


def entry_place(source: BookSource, entry: LoreEntry) -> str:
    """Dice and traces go by it, so an entry has the same place when peeked at and in the prompt."""
    return f"lore:{source.ref}:{entry.uid}"


class EntryRejection(msgspec.Struct, frozen=True):
    """What keeps an entry out although it matched."""

    reason: CutReason
    detail: str


class LoreCandidate(msgspec.Struct, frozen=True, gc=False, eq=False):
    """Book and place say where it stands among all entries.

    `score` counts its keys in the text and decides in a group if `scored`. What `echoes` has a
    content that may trigger others.
    """

    book: int
    place: int
    entry: LoreEntry
    source: BookSource
    mode: ActivationMode
    level: int
    first_match: FirstMatch | None
    score: int
    scored: bool
    echoes: bool

    @property
    def rank(self) -> tuple[bool, int, int, int]:
        """Who is served first: sticky ones, then the higher order."""
        loose = self.mode is not ActivationMode.STICKY
        return loose, -self.entry.order, self.book, self.place

    @property
    def text_place(self) -> tuple[int, int, int]:
        """Who stands first in the text: the lower order."""
        return self.entry.order, self.book, self.place


def check_preconditions(
    entry: LoreEntry, source: BookSource, *, request: ScanRequest, timed: ActiveTimers
) -> EntryRejection | None:
    """The first condition that the entry does not meet."""
    if entry.character_filter and not _passes_filter(entry.character_filter, request):
        return EntryRejection(CutReason.CHARACTER_FILTER, f"not for {request.character_name}")
    if entry.intents and request.intent not in entry.intents:
        return EntryRejection(CutReason.INTENT, f"only for {', '.join(entry.intents)}")
    if request.chat_length < entry.delay:
        detail = f"from message {entry.delay} on, the chat has {request.chat_length}"
        return EntryRejection(CutReason.DELAY, detail)
    resting = timed.running(TimerKind.COOLDOWN, source, entry)
    if resting and not timed.running(TimerKind.STICKY, source, entry):
        return EntryRejection(CutReason.COOLDOWN, f"rests until message {resting.end}")
    if _is_suppressed(entry.decorators):
        return EntryRejection(CutReason.DECORATOR, EntryDecorator.DONT_ACTIVATE.value)
    return None


def _is_suppressed(decorators: tuple[EntryDecorator, ...]) -> bool:
    return EntryDecorator.DONT_ACTIVATE in decorators and EntryDecorator.ACTIVATE not in decorators


def _passes_filter(wanted: CharacterFilter, request: ScanRequest) -> bool:
    """Names and tags are asked one after the other; both must agree."""
    if wanted.names and (request.character_name in wanted.names) is wanted.excludes:
        return False
    tags = {tag.casefold() for tag in request.character_tags}
    shared = not tags.isdisjoint(tag.casefold() for tag in wanted.tags)
    return not wanted.tags or shared is not wanted.excludes
