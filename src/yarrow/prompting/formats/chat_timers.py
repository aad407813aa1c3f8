"""Timers of lore entries in chat files: `chat_metadata.timedWorldInfo`.

SillyTavern names a timer `book.uid` and identifies the entry's content by a hash of its own, which
we cannot compute. It is kept behind the colon of a timer's digest; a digest without a part of ours
matches the entry as it is when the timer is first used.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.worldbook.timers import (
    FOREIGN_HASH,
    LoreTimer,
    LoreTimerKey,
    TimerKind,
    timers_from_json,
    timers_to_json,
)

TIMED_LORE = "timedWorldInfo"
_DIGEST = "digest"
_HASH = "hash"
_JS_INTEGER_BITS: Final = 53


def read_chat_timers(metadata: JsonObject) -> tuple[list[JsonObject], list[str]]:
    """Read the timers as they are stored, and the names of those that cannot be read."""
    timers: dict[LoreTimerKey, LoreTimer] = {}
    unread: list[str] = []
    for kind, name, value in _list_timers(metadata.get(TIMED_LORE)):
        book, _, uid = name.rpartition(".")
        try:
            timers[LoreTimerKey(kind, book, int(uid))] = _parse_timer(value)
        except (msgspec.ValidationError, ValueError):
            unread.append(f"{kind}.{name}")
    return timers_to_json(timers), unread


def _parse_timer(value: JsonValue) -> LoreTimer:
    timer = value if isinstance(value, dict) else {}
    digest = f"{timer.get(_DIGEST, '')}{FOREIGN_HASH}{timer.get(_HASH, '')}"
    return msgspec.convert(timer | {_DIGEST: digest}, LoreTimer)


def _list_timers(timed: JsonValue) -> Iterable[tuple[TimerKind, str, JsonValue]]:
    for kind in TimerKind:
        section = timed.get(kind.value) if isinstance(timed, dict) else None
        if isinstance(section, dict):
            yield from ((kind, name, value) for name, value in section.items())


def write_chat_timers(
    records: Iterable[JsonObject], metadata: JsonObject, *, book_names: Mapping[str, str]
) -> JsonObject:
    """Return the metadata with the running timers; `book_names` are the books' names by key."""
    timers, stored = timers_from_json(records), metadata.get(TIMED_LORE)
    if not timers and not isinstance(stored, dict):
        return metadata
    timed = dict(stored) if isinstance(stored, dict) else {}
    timed |= {kind.value: {} for kind in TimerKind if timers or kind.value in timed}
    for key, timer in timers.items():
        name = f"{book_names.get(key.book, key.book)}.{key.uid}"
        timed[key.effect.value] = _read_section(timed, key) | {name: _encode_timer(timer)}
    return metadata | {TIMED_LORE: timed}


def _read_section(timed: JsonObject, key: LoreTimerKey) -> JsonObject:
    section = timed.get(key.effect.value)
    return dict(section) if isinstance(section, dict) else {}


def _encode_timer(timer: LoreTimer) -> JsonObject:
    """Numbers for SillyTavern; our own digest is a field that it keeps and does not read."""
    digest, _, foreign = timer.digest.partition(FOREIGN_HASH)
    encoded: JsonObject = {
        _HASH: _parse_hash(foreign, digest),
        "start": timer.start,
        "end": timer.end,
        "protected": timer.protected,
    }
    return encoded | ({_DIGEST: digest} if digest else {})


def _parse_hash(foreign: str, digest: str) -> int | str:
    if foreign:
        return int(foreign) if foreign.removeprefix("-").isdecimal() else foreign
    return int(digest, 16) % (1 << _JS_INTEGER_BITS)
