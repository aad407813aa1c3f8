"""Timed effects: an entry that stays on for a while, or rests. Time is counted in messages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b

from msgspec import convert, to_builtins

from yarrow.kit.json import JsonObject, encode_canonical
from yarrow.prompting.worldbook.model import BookSource, LoreEntry, Worldbook


class TimerKind(StrEnum):
    """What a timer does to its entry."""

    STICKY = "sticky"
    COOLDOWN = "cooldown"


@dataclass(frozen=True, slots=True)
class LoreTimerKey:
    """An entry of a book under one effect."""

    effect: TimerKind
    book: str
    uid: int


@dataclass(frozen=True, slots=True)
class LoreTimer:
    """Runs while the chat's length is below `end`.

    `digest` names the entry as it was. A protected timer outlives a chat that did not advance.
    """

    start: int
    end: int
    digest: str
    protected: bool = False


@dataclass(slots=True)
class ActiveTimers:
    """The timers of one chat at one length, brought up to date."""

    chat_length: int
    kept: dict[LoreTimerKey, LoreTimer] = field(default_factory=dict)

    def running(self, effect: TimerKind, source: BookSource, entry: LoreEntry) -> LoreTimer | None:
        return self.kept.get(LoreTimerKey(effect, source.ref, entry.uid)) if self.kept else None

    def start(self, effect: TimerKind, source: BookSource, entry: LoreEntry) -> None:
        """Start an effect that the entry asks for and that does not run yet."""
        if _duration(effect, entry):
            key = LoreTimerKey(effect, source.ref, entry.uid)
            self.kept.setdefault(key, self._timer(effect, entry))

    def end_sticky(self, book: str, entry: LoreEntry) -> None:
        """What was sticky begins to rest at once, and keeps resting if the turn is repeated."""
        if entry.cooldown:
            key = LoreTimerKey(TimerKind.COOLDOWN, book, entry.uid)
            self.kept[key] = self._timer(TimerKind.COOLDOWN, entry, protected=True)

    def _timer(self, effect: TimerKind, entry: LoreEntry, *, protected: bool = False) -> LoreTimer:
        end = self.chat_length + _duration(effect, entry)
        return LoreTimer(self.chat_length, end, entry_digest(entry), protected)


def update_timers(
    timers: Mapping[LoreTimerKey, LoreTimer], books: Iterable[Worldbook], *, chat_length: int
) -> ActiveTimers:
    """The timers that still hold; ended sticky ones have turned into cooldowns."""
    effects = ActiveTimers(chat_length)
    if not timers:
        return effects
    entries = {book.source.ref: {entry.uid: entry for entry in book.entries} for book in books}
    ended: list[tuple[str, LoreEntry]] = []
    for key, timer in timers.items():
        if chat_length <= timer.start and not timer.protected:
            continue
        entry = entries[key.book].get(key.uid) if key.book in entries else None
        known = entry is not None and entry_digest(entry) == timer.digest
        if chat_length < timer.end and (known or key.book not in entries):
            effects.kept[key] = timer
        if (
            entry is not None
            and known
            and chat_length >= timer.end
            and key.effect is TimerKind.STICKY
        ):
            ended.append((key.book, entry))
    for book, entry in ended:
        effects.end_sticky(book, entry)
    return effects


def timers_to_json(timers: Mapping[LoreTimerKey, LoreTimer]) -> list[JsonObject]:
    """Timers as a chat keeps them."""
    return [to_builtins(key) | to_builtins(timer) for key, timer in timers.items()]


def timers_from_json(kept: Iterable[JsonObject]) -> dict[LoreTimerKey, LoreTimer]:
    """The timers that `timers_to_json` wrote; raises `msgspec.ValidationError` on others."""
    return {convert(item, LoreTimerKey): convert(item, LoreTimer) for item in kept}


def entry_digest(entry: LoreEntry) -> str:
    """A short name for an entry as it is now."""
    return blake2b(encode_canonical(entry), digest_size=8).hexdigest()


def _duration(effect: TimerKind, entry: LoreEntry) -> int:
    match effect:
        case TimerKind.STICKY:
            return entry.sticky
        case TimerKind.COOLDOWN:
            return entry.cooldown
