"""Timers of lore entries: stickiness and cooldown. Time is counted in messages."""

from collections.abc import Container, Iterable, Mapping
from enum import StrEnum
from hashlib import blake2b

from msgspec import Struct, convert, field, to_builtins
from msgspec.structs import replace

from yarrow.kit.json import JsonObject, encode_canonical
from yarrow.prompting.worldbook.model import BookSource, LoreEntry, Worldbook

FOREIGN_HASH = ":"
"""In a digest, between ours and the hash that a chat file brought."""


class TimerKind(StrEnum):
    """What a timer does to its entry."""

    STICKY = "sticky"
    COOLDOWN = "cooldown"


class LoreTimerKey(Struct, frozen=True):
    """Identifies a timer: kind, book and entry."""

    effect: TimerKind
    book: str
    uid: int


class LoreTimer(Struct, frozen=True):
    """A timer that runs while the chat is shorter than `end`.

    `digest` identifies the entry's content at the start: a changed entry loses its timers. A
    protected timer survives a turn that is repeated at the same chat length.
    """

    start: int
    end: int
    digest: str
    protected: bool = False


class ActiveTimers(Struct):
    """The timers of a chat that still run at its current length."""

    chat_length: int
    timers: dict[LoreTimerKey, LoreTimer] = field(default_factory=dict)

    def find(self, kind: TimerKind, source: BookSource, entry: LoreEntry) -> LoreTimer | None:
        return self.timers.get(LoreTimerKey(kind, source.ref, entry.uid)) if self.timers else None

    def start(self, kind: TimerKind, source: BookSource, entry: LoreEntry) -> None:
        """Start a timer if the entry has one and it does not run yet."""
        if _find_duration(kind, entry):
            key = LoreTimerKey(kind, source.ref, entry.uid)
            self.timers.setdefault(key, self._start_timer(kind, entry))

    def end_sticky(self, book: str, entry: LoreEntry) -> None:
        """Start the cooldown of an entry that was sticky; protected, so it survives a retry."""
        if entry.cooldown:
            key = LoreTimerKey(TimerKind.COOLDOWN, book, entry.uid)
            self.timers[key] = self._start_timer(TimerKind.COOLDOWN, entry, protected=True)

    def _start_timer(
        self, kind: TimerKind, entry: LoreEntry, *, protected: bool = False
    ) -> LoreTimer:
        end = self.chat_length + _find_duration(kind, entry)
        return LoreTimer(self.chat_length, end, digest_entry(entry), protected)


def update_timers(
    timers: Mapping[LoreTimerKey, LoreTimer], books: Iterable[Worldbook], *, chat_length: int
) -> ActiveTimers:
    """Return the timers that still run; expired sticky ones become cooldowns."""
    active = ActiveTimers(chat_length)
    if not timers:
        return active
    books = tuple(books)
    entries = {book.source.ref: {entry.uid: entry for entry in book.entries} for book in books}
    refs = {book.source.name: book.source.ref for book in books}
    ended: list[tuple[str, LoreEntry]] = []
    for stored_key, timer in timers.items():
        key = _resolve_book(stored_key, entries, refs)
        if chat_length <= timer.start and not timer.protected:
            continue
        entry = entries[key.book].get(key.uid) if key.book in entries else None
        digest = "" if entry is None else _find_current_digest(timer, entry)
        is_unchanged = bool(digest)
        if chat_length < timer.end and (is_unchanged or key.book not in entries):
            active.timers[key] = replace(timer, digest=digest) if is_unchanged else timer
        if (
            entry is not None
            and is_unchanged
            and chat_length >= timer.end
            and key.effect is TimerKind.STICKY
        ):
            ended.append((key.book, entry))
    for book, entry in ended:
        active.end_sticky(book, entry)
    return active


def _resolve_book(
    key: LoreTimerKey, known: Container[str], refs: Mapping[str, str]
) -> LoreTimerKey:
    """The key of a timer from a chat file, which has the book's name instead of its key."""
    if key.book in known or key.book not in refs:
        return key
    return replace(key, book=refs[key.book])


def _find_current_digest(timer: LoreTimer, entry: LoreEntry) -> str:
    """The digest of a timer whose entry is unchanged, else empty.

    A timer from a chat file without a digest of ours takes that of the entry.
    """
    digest, separator, foreign = timer.digest.partition(FOREIGN_HASH)
    current = digest_entry(entry)
    return f"{current}{separator}{foreign}" if digest in ("", current) else ""


def timers_to_json(timers: Mapping[LoreTimerKey, LoreTimer]) -> list[JsonObject]:
    """Encode timers for storage."""
    return [to_builtins(key) | to_builtins(timer) for key, timer in timers.items()]


def timers_from_json(records: Iterable[JsonObject]) -> dict[LoreTimerKey, LoreTimer]:
    """Decode stored timers; raises `msgspec.ValidationError` on anything else."""
    return {convert(record, LoreTimerKey): convert(record, LoreTimer) for record in records}


def digest_entry(entry: LoreEntry) -> str:
    """Return a short digest of the entry's current content."""
    return blake2b(encode_canonical(entry), digest_size=8).hexdigest()


def _find_duration(kind: TimerKind, entry: LoreEntry) -> int:
    match kind:
        case TimerKind.STICKY:
            return entry.sticky
        case TimerKind.COOLDOWN:
            return entry.cooldown
