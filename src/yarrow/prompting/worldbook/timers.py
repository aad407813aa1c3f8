"""Timed effects: an entry that stays on for a while, or rests. Time is counted in messages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b

from msgspec import convert, to_builtins

from yarrow.kit.json import JsonObject, encode_canonical
from yarrow.prompting.worldbook.model import BookSource, Entry, Worldbook


class Effect(StrEnum):
    """What a timer does to its entry."""

    STICKY = "sticky"
    COOLDOWN = "cooldown"


@dataclass(frozen=True, slots=True)
class TimerKey:
    """An entry of a book under one effect."""

    effect: Effect
    book: str
    uid: int


@dataclass(frozen=True, slots=True)
class Timer:
    """Runs while the chat's length is below `end`.

    `digest` names the entry as it was. A protected timer outlives a chat that did not advance.
    """

    start: int
    end: int
    digest: str
    protected: bool = False


@dataclass(slots=True)
class TimedEffects:
    """The timers of one chat at one length, brought up to date."""

    chat_length: int
    kept: dict[TimerKey, Timer] = field(default_factory=dict)

    def running(self, effect: Effect, source: BookSource, entry: Entry) -> Timer | None:
        return self.kept.get(TimerKey(effect, source.ref, entry.uid)) if self.kept else None

    def start(self, effect: Effect, source: BookSource, entry: Entry) -> None:
        """Start an effect that the entry asks for and that does not run yet."""
        if _length(effect, entry):
            key = TimerKey(effect, source.ref, entry.uid)
            self.kept.setdefault(key, self._timer(effect, entry))

    def end_sticky(self, book: str, entry: Entry) -> None:
        """What was sticky begins to rest at once, and keeps resting if the turn is repeated."""
        if entry.cooldown:
            key = TimerKey(Effect.COOLDOWN, book, entry.uid)
            self.kept[key] = self._timer(Effect.COOLDOWN, entry, protected=True)

    def _timer(self, effect: Effect, entry: Entry, *, protected: bool = False) -> Timer:
        end = self.chat_length + _length(effect, entry)
        return Timer(self.chat_length, end, digest_of(entry), protected)


def bring_up_to_date(
    timers: Mapping[TimerKey, Timer], books: Iterable[Worldbook], *, chat_length: int
) -> TimedEffects:
    """The timers that still hold; ended sticky ones have turned into cooldowns."""
    effects = TimedEffects(chat_length)
    if not timers:
        return effects
    entries = {book.source.ref: {entry.uid: entry for entry in book.entries} for book in books}
    ended: list[tuple[str, Entry]] = []
    for key, timer in timers.items():
        if chat_length <= timer.start and not timer.protected:
            continue
        entry = entries[key.book].get(key.uid) if key.book in entries else None
        known = entry is not None and digest_of(entry) == timer.digest
        if chat_length < timer.end and (known or key.book not in entries):
            effects.kept[key] = timer
        if entry is not None and known and chat_length >= timer.end and key.effect is Effect.STICKY:
            ended.append((key.book, entry))
    for book, entry in ended:
        effects.end_sticky(book, entry)
    return effects


def timers_to_json(timers: Mapping[TimerKey, Timer]) -> list[JsonObject]:
    """Timers as a chat keeps them."""
    return [to_builtins(key) | to_builtins(timer) for key, timer in timers.items()]


def timers_from_json(kept: Iterable[JsonObject]) -> dict[TimerKey, Timer]:
    """The timers that `timers_to_json` wrote; raises `msgspec.ValidationError` on others."""
    return {convert(item, TimerKey): convert(item, Timer) for item in kept}


def digest_of(entry: Entry) -> str:
    """A short name for an entry as it is now."""
    return blake2b(encode_canonical(entry), digest_size=8).hexdigest()


def _length(effect: Effect, entry: Entry) -> int:
    match effect:
        case Effect.STICKY:
            return entry.sticky
        case Effect.COOLDOWN:
            return entry.cooldown
