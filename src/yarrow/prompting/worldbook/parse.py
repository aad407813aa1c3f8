"""Parse the JSON of a worldbook: SillyTavern's files and the books of character cards.

Parsing never fails. An unreadable field gets its default and a warning.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.model import PromptRole
from yarrow.prompting.worldbook.model import (
    BookSettings,
    BookSource,
    CharacterFilter,
    EntryDecorator,
    KeyLogic,
    LoreEntry,
    LorePosition,
    LoreWarning,
    LoreWarningCode,
    SegmentKind,
    Worldbook,
)

T = TypeVar("T")
D = TypeVar("D")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


class RecordFields:
    """The fields of a JSON object by snake_case name; those of its `extensions` take precedence.

    Values of the wrong type are skipped and reported in `errors`.
    """

    def __init__(self, record: JsonObject) -> None:
        self._values: dict[str, list[tuple[str, JsonValue]]] = {}
        extensions = record.get("extensions")
        for holder in (extensions, record) if isinstance(extensions, dict) else (record,):
            for spelling, value in holder.items():
                if value is not None:
                    self._values.setdefault(_convert_to_snake_case(spelling), []).append(
                        (spelling, value)
                    )
        self.errors: list[str] = []

    def pick(self, *names: str, read: Callable[[JsonValue], T | None], default: D) -> T | D:
        """Return the first value under one of the names that `read` can parse."""
        for name in names:
            for spelling, value in self._values.get(name, ()):
                parsed = read(value)
                if parsed is not None:
                    return parsed
                self.errors.append(f"{spelling} cannot be read: a {type(value).__name__}")
        return default


@lru_cache(maxsize=1024)
def _convert_to_snake_case(name: str) -> str:
    return _HUMP.sub("_", name).lower()


def as_flag(value: JsonValue) -> bool | None:
    return value if isinstance(value, bool) else None


def as_text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def as_whole(value: JsonValue) -> int | None:
    """Accept a whole number, also one written as 4.0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value == value // 1 else None


def as_count(value: JsonValue) -> int | None:
    whole = as_whole(value)
    return whole if whole is not None and whole >= 0 else None


def as_amount(value: JsonValue) -> float | None:
    """Accept a number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if value >= 0 else None


def as_texts(value: JsonValue) -> tuple[str, ...] | None:
    """Accept a list of strings; blank ones are dropped."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return None
    return tuple(item for item in value if item.strip())


def as_names(value: JsonValue) -> tuple[str, ...] | None:
    """Split a comma-separated string."""
    if not isinstance(value, str):
        return None
    return tuple(dict.fromkeys(name for part in value.split(",") if (name := part.strip())))


LOGICS = (KeyLogic.AND_ANY, KeyLogic.NOT_ALL, KeyLogic.NOT_ANY, KeyLogic.AND_ALL)
ROLES = (PromptRole.SYSTEM, PromptRole.USER, PromptRole.ASSISTANT)

POSITIONS = (
    LorePosition.BEFORE,
    LorePosition.AFTER,
    LorePosition.AN_TOP,
    LorePosition.AN_BOTTOM,
    LorePosition.AT_DEPTH,
    LorePosition.EM_TOP,
    LorePosition.EM_BOTTOM,
    LorePosition.OUTLET,
)

DECORATORS = frozenset(decorator.value for decorator in EntryDecorator)
CARD_POSITIONS = {"before_char": LorePosition.BEFORE, "after_char": LorePosition.AFTER}

OPTIONAL_SOURCES = (
    SegmentKind.PERSONA_DESCRIPTION,
    SegmentKind.CHARACTER_DESCRIPTION,
    SegmentKind.CHARACTER_PERSONALITY,
    SegmentKind.CHARACTER_DEPTH_PROMPT,
    SegmentKind.SCENARIO,
    SegmentKind.CREATOR_NOTES,
)


def parse_book(content: JsonObject, *, source: BookSource) -> Worldbook:
    """Parse the book in `content`; name and id come from `source`."""
    fields = RecordFields(content)
    settings = _parse_settings(fields)
    errors: list[tuple[int | None, str]] = [(None, detail) for detail in fields.errors]
    entries = []
    for index, record in enumerate(_list_records(content.get("entries"))):
        if not isinstance(record, dict):
            errors.append((None, f"entry {index} is not an object"))
            continue
        entry_fields = RecordFields(record)
        entry = _parse_entry(entry_fields, index)
        entries.append(entry)
        errors.extend((entry.uid, detail) for detail in entry_fields.errors)
    warnings = (LoreWarning(LoreWarningCode.FIELD_INVALID, source, *item) for item in errors)
    return Worldbook(source, tuple(entries), settings, tuple(warnings))


def split_decorators(content: str) -> tuple[tuple[EntryDecorator, ...], str]:
    """Split the decorators in the first lines from the content.

    `@@@name` is an alternative for an unknown decorator in the line before it.
    """
    commands: list[EntryDecorator] = []
    is_unknown = False
    lines = content.split("\n")
    for number, line in enumerate(lines):
        if not line.startswith("@@"):
            return tuple(commands), "\n".join(lines[number:])
        is_alternative = line.startswith("@@@")
        if is_alternative and not is_unknown:
            continue
        command = (line[1:] if is_alternative else line).strip()
        is_unknown = command not in DECORATORS
        if not is_unknown:
            commands.append(EntryDecorator(command))
    return tuple(commands), ""


def _list_records(entries: JsonValue) -> Sequence[JsonValue]:
    """Return entries in JavaScript's property order: ascending integers, then other names."""
    match entries:
        case list():
            return entries
        case dict():
            numbered = sorted((name for name in entries if _is_index(name)), key=int)
            named = (name for name in entries if not _is_index(name))
            return [entries[name] for name in (*numbered, *named)]
        case _:
            return ()


def _is_index(name: str) -> bool:
    return name.isascii() and name.isdigit() and (name == "0" or name[0] != "0")


def _parse_settings(fields: RecordFields) -> BookSettings:
    pick = fields.pick
    return BookSettings(
        scan_depth=pick("scan_depth", read=as_count, default=2),
        case_sensitive=pick("case_sensitive", read=as_flag, default=False),
        whole_words=pick("match_whole_words", read=as_flag, default=False),
        recursive=pick("recursive", "recursive_scanning", read=as_flag, default=False),
        max_recursion_steps=pick("max_recursion_steps", read=as_count, default=0),
        min_activations=pick("min_activations", read=as_count, default=0),
        min_activations_depth_max=pick("min_activations_depth_max", read=as_count, default=0),
        group_scoring=pick("use_group_scoring", read=as_flag, default=False),
    )


def _parse_entry(fields: RecordFields, index: int) -> LoreEntry:
    pick = fields.pick
    decorators, content = split_decorators(pick("content", read=as_text, default=""))
    return LoreEntry(
        uid=pick("uid", "id", read=as_whole, default=index),
        keys=_find_first_nonempty(fields, "key", "keys"),
        secondary=_find_first_nonempty(fields, "keysecondary", "secondary_keys"),
        selective=pick("selective", read=as_flag, default=True),
        logic=pick("selective_logic", read=_as_logic, default=KeyLogic.AND_ANY),
        constant=pick("constant", read=as_flag, default=False),
        content=content,
        comment=pick("comment", read=as_text, default="") or pick("name", read=as_text, default=""),
        position=pick("position", read=_as_position, default=LorePosition.BEFORE),
        order=pick("insertion_order", "order", read=as_whole, default=100),
        depth=pick("depth", read=as_count, default=4),
        role=pick("role", read=_as_role, default=PromptRole.SYSTEM),
        outlet_name=pick("outlet_name", read=as_text, default=""),
        disabled=_parse_disabled(fields),
        scan_depth=pick("scan_depth", read=as_count, default=None),
        case_sensitive=pick("case_sensitive", read=as_flag, default=None),
        whole_words=pick("match_whole_words", read=as_flag, default=None),
        sources=tuple(_parse_sources(fields)),
        exclude_recursion=pick("exclude_recursion", read=as_flag, default=False),
        prevent_recursion=pick("prevent_recursion", read=as_flag, default=False),
        recursion_delay=pick("delay_until_recursion", read=_as_level, default=0),
        probability=_parse_probability(fields),
        groups=pick("group", read=as_names, default=()),
        group_override=pick("group_override", read=as_flag, default=False),
        group_weight=pick("group_weight", read=as_amount, default=100),
        group_scoring=pick("use_group_scoring", read=as_flag, default=None),
        sticky=pick("sticky", read=as_count, default=0),
        cooldown=pick("cooldown", read=as_count, default=0),
        delay=pick("delay", read=as_count, default=0),
        character_filter=pick("character_filter", read=_as_filter, default=None),
        intents=pick("triggers", read=as_texts, default=()),
        ignore_budget=pick("ignore_budget", read=as_flag, default=False),
        decorators=decorators,
    )


def _find_first_nonempty(fields: RecordFields, *names: str) -> tuple[str, ...]:
    lists = (fields.pick(name, read=as_texts, default=()) for name in names)
    return next((texts for texts in lists if texts), ())


def _parse_disabled(fields: RecordFields) -> bool:
    enabled = fields.pick("enabled", read=as_flag, default=None)
    return fields.pick("disable", read=as_flag, default=False) if enabled is None else not enabled


def _parse_probability(fields: RecordFields) -> float:
    used = fields.pick("use_probability", read=as_flag, default=True)
    return fields.pick("probability", read=as_amount, default=100) if used else 100


def _parse_sources(fields: RecordFields) -> Iterator[SegmentKind]:
    for kind in OPTIONAL_SOURCES:
        if fields.pick(f"match_{kind}", read=as_flag, default=False):
            yield kind


def _as_logic(value: JsonValue) -> KeyLogic | None:
    return _find_member(LOGICS, value)


def _as_role(value: JsonValue) -> PromptRole | None:
    if isinstance(value, str):
        return next((role for role in ROLES if role.value == value), None)
    return _find_member(ROLES, value)


def _as_position(value: JsonValue) -> LorePosition | None:
    return CARD_POSITIONS.get(value) if isinstance(value, str) else _find_member(POSITIONS, value)


def _find_member(members: Sequence[T], value: JsonValue) -> T | None:
    number = as_count(value)
    return members[number] if number is not None and number < len(members) else None


def _as_level(value: JsonValue) -> int | None:
    return int(value) if isinstance(value, bool) else as_count(value)


def _as_filter(value: JsonValue) -> CharacterFilter | None:
    if not isinstance(value, dict):
        return None
    fields = RecordFields(value)
    return CharacterFilter(
        names=fields.pick("names", read=as_texts, default=()),
        tags=fields.pick("tags", read=as_texts, default=()),
        excludes=fields.pick("is_exclude", read=as_flag, default=False),
    )
