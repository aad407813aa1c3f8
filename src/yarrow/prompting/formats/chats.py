"""SillyTavern's chat files: JSON lines, a header and then one message on each line.

A line that was read is kept whole, so that an export gives back what we have no use for. What
SillyTavern has no field for is written to a message's `extra`, which it preserves: the number of
the turn, the system role, whether the text is a greeting of the card, and the state after a reply.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum

import msgspec
from msgspec import Struct, field

from yarrow.kit.json import JsonObject, JsonValue, decode_json
from yarrow.prompting.errors import ChatUnreadable, FileRefused
from yarrow.prompting.file_faults import FileFault
from yarrow.prompting.formats.chat_dates import parse_date

LINES_MAX = 50_000
TEXTS_MAX = 100_000
"""Messages and swipes together: a small file can contain millions of empty ones."""
DEFAULT_USER = "User"
DEFAULT_CHARACTER = "Assistant"
UNUSED = "unused"
"""What SillyTavern writes since 1.14 instead of the names in the header."""

_NUL = r"\u0000"
_BACKSLASH = r"\\"
"""Both as written in JSON. PostgreSQL cannot store NUL in text."""

USER_NAME = "user_name"
CHARACTER_NAME = "character_name"
CHAT_METADATA = "chat_metadata"
_HEADER = (USER_NAME, CHARACTER_NAME, CHAT_METADATA)
TURN_NUMBER = "floor_no"
ROLE = "role"
GREETING = "is_greeting"
STORY_STATE = "story_state"
"""In the `extra` of a swipe: the state after it. In `chat_metadata`: the present session state."""
_OWN_EXTRA = (TURN_NUMBER, ROLE, GREETING, STORY_STATE)
EXTRA = "extra"
SWIPES = "swipes"
SWIPE_ID = "swipe_id"
SWIPE_INFO = "swipe_info"


class ChatSpeaker(StrEnum):
    """The author of a line."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    NARRATOR = "narrator"


class ChatLine(Struct, frozen=True):
    """One message with its swipes; `active` is the index of the one shown."""

    speaker: ChatSpeaker
    swipes: tuple[str, ...]
    active: int = 0
    name: str = ""
    hidden: bool = False
    sent_at: datetime | None = None
    turn_number: int | None = None
    is_greeting: bool = False
    row: JsonObject = field(default_factory=dict)
    """The line as it was read, without its texts; empty if it did not come from a file."""
    swipe_info: tuple[JsonObject | None, ...] = ()
    """What SillyTavern keeps of each swipe; None for a swipe whose info is in `row`."""
    states: tuple[JsonValue, ...] = ()
    """The state of the story after each swipe; None where it is not known."""


class ChatFile(Struct, frozen=True):
    """A whole chat file."""

    user_name: str = DEFAULT_USER
    character_name: str = DEFAULT_CHARACTER
    metadata: JsonObject = field(default_factory=dict)
    """SillyTavern's `chat_metadata`; its `variables` are the chat's."""
    lines: tuple[ChatLine, ...] = ()
    header: JsonObject = field(default_factory=dict)
    """The first line without `chat_metadata`, as it was read; empty if the file had none."""


def read_chat(data: str | Sequence[JsonValue]) -> ChatFile:
    """Parse a chat from the text of its file, or from its decoded lines."""
    decoded = list(_decode_lines(data) if isinstance(data, str) else enumerate(data, 1))
    if len(decoded) > LINES_MAX + 1:
        raise FileRefused(FileFault.CHAT_MESSAGES, field="data", limit=LINES_MAX)
    rows = [(number, _require_object(row, number)) for number, row in decoded]
    header = rows.pop(0)[1] if rows and _is_header(rows[0][1]) else {}
    if not rows and not header:
        raise FileRefused(FileFault.NOT_A_CHAT, field="data")
    metadata = header.get(CHAT_METADATA)
    lines = tuple(_parse_line(row, number) for number, row in rows)
    if sum(len(line.swipes) for line in lines) > TEXTS_MAX:
        raise FileRefused(FileFault.CHAT_TEXTS, field="data", limit=TEXTS_MAX)
    return ChatFile(
        user_name=_find_name(header, USER_NAME, lines, ChatSpeaker.USER) or DEFAULT_USER,
        character_name=_find_name(header, CHARACTER_NAME, lines, ChatSpeaker.ASSISTANT)
        or DEFAULT_CHARACTER,
        metadata=dict(metadata) if isinstance(metadata, dict) else {},
        lines=lines,
        header={name: value for name, value in header.items() if name != CHAT_METADATA},
    )


def _find_name(
    header: JsonObject, field_name: str, lines: Sequence[ChatLine], speaker: ChatSpeaker
) -> str:
    """The name in the header; where SillyTavern wrote none, that of the speaker's first line."""
    name = _read_text(header.get(field_name))
    if not header or (name and name != UNUSED):
        return name
    return next((line.name for line in lines if line.speaker is speaker and line.name), "")


def split_exchanges(lines: Iterable[ChatLine]) -> list[list[ChatLine]]:
    """Split lines into exchanges: a user's line and everything up to the next one.

    Lines before the first user line form one exchange, the greeting. Turn numbers, where two
    neighbouring lines have them, take precedence.
    """
    exchanges: list[list[ChatLine]] = []
    before: ChatLine | None = None
    for line in lines:
        if before is None or _starts_exchange(line, before):
            exchanges.append([])
        exchanges[-1].append(line)
        before = line
    return exchanges


def _starts_exchange(line: ChatLine, before: ChatLine) -> bool:
    if line.turn_number is not None and before.turn_number is not None:
        return line.turn_number != before.turn_number
    return line.speaker is ChatSpeaker.USER


def _decode_lines(text: str) -> Iterable[tuple[int, JsonValue]]:
    """Yield the lines that are not blank, with their numbers.

    Only LF ends a line: other separators may occur inside a message.
    """
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        if _NUL in line.replace(_BACKSLASH, ""):
            raise ChatUnreadable(FileFault.LINE_NUL, line=number)
        try:
            yield number, decode_json(line)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
            raise ChatUnreadable(FileFault.LINE_JSON, line=number) from error


def _require_object(row: JsonValue, number: int) -> JsonObject:
    if not isinstance(row, dict):
        raise ChatUnreadable(FileFault.LINE_NOT_OBJECT, line=number)
    return row


def _is_header(row: JsonObject) -> bool:
    return "mes" not in row and any(name in row for name in _HEADER)


def _parse_line(row: JsonObject, number: int) -> ChatLine:
    text = row.get("mes")
    if not isinstance(text, str):
        raise ChatUnreadable(FileFault.LINE_WITHOUT_TEXT, line=number)
    extra = row.get(EXTRA)
    extra = extra if isinstance(extra, dict) else {}
    speaker = _parse_speaker(row, extra)
    is_user = speaker is ChatSpeaker.USER
    swipes, active = ((text,), 0) if is_user else _parse_swipes(row, text, number)
    turn_number = extra.get(TURN_NUMBER)
    return ChatLine(
        speaker=speaker,
        swipes=swipes,
        active=active,
        name=_read_text(row.get("name")),
        hidden=row.get("is_system") is True,
        sent_at=parse_date(row.get("send_date")),
        turn_number=turn_number if isinstance(turn_number, int) else None,
        is_greeting=extra.get(GREETING) is True,
        row=_keep_row(row, extra, None if is_user else active),
        states=() if is_user else _parse_states(row, active, len(swipes)),
    )


def _parse_states(row: JsonObject, active: int, count: int) -> tuple[JsonValue, ...]:
    """The states of the swipes; that of the shown one may be in the line alone."""
    info = row.get(SWIPE_INFO)
    rows = [*(info if isinstance(info, list) else ())][:count]
    states = [_get_state(each) for each in rows] + [None] * (count - len(rows))
    if states[active] is None:
        states[active] = _get_state(row)
    return tuple(states) if any(state is not None for state in states) else ()


def _get_state(row: JsonValue) -> JsonValue:
    extra = row.get(EXTRA) if isinstance(row, dict) else None
    return extra.get(STORY_STATE) if isinstance(extra, dict) else None


def _keep_row(row: JsonObject, extra: JsonObject, active: int | None) -> JsonObject:
    """The line without its texts and our own fields; `active` is None where swipes are not read.

    Swipes that were read leave an empty list: the line had the field.
    """
    kept = {name: value for name, value in row.items() if name != "mes"}
    if any(name in extra for name in _OWN_EXTRA):
        kept[EXTRA] = {name: value for name, value in extra.items() if name not in _OWN_EXTRA}
    if isinstance(info := row.get(SWIPE_INFO), list):
        kept[SWIPE_INFO] = [_drop_state(each) for each in info]
    if active is not None and isinstance(row.get(SWIPES), list):
        kept |= {SWIPES: [], SWIPE_ID: active}
    return kept


def _drop_state(info: JsonValue) -> JsonValue:
    if _get_state(info) is None:
        return info
    assert isinstance(info, dict)
    extra = info[EXTRA]
    assert isinstance(extra, dict)
    return info | {EXTRA: {name: extra[name] for name in extra if name != STORY_STATE}}


def _parse_speaker(row: JsonObject, extra: JsonObject) -> ChatSpeaker:
    if row.get("is_user") is True:
        return ChatSpeaker.USER
    if extra.get(ROLE) == ChatSpeaker.SYSTEM:
        return ChatSpeaker.SYSTEM
    narrated = extra.get("type") == ChatSpeaker.NARRATOR
    return ChatSpeaker.NARRATOR if narrated else ChatSpeaker.ASSISTANT


def _parse_swipes(row: JsonObject, text: str, number: int) -> tuple[tuple[str, ...], int]:
    """Return all swipes and the active index. `mes` is the text shown, even where swipes differ.

    SillyTavern has written null where a swipe was lost, and reads it as an empty text.
    """
    listed, active = row.get(SWIPES), row.get(SWIPE_ID)
    if not isinstance(listed, list) or not listed:
        return (text,), 0
    if not all(swipe is None or isinstance(swipe, str) for swipe in listed):
        raise ChatUnreadable(FileFault.LINE_SWIPES, line=number)
    swipes = [_read_text(swipe) for swipe in listed]
    if isinstance(active, bool) or not isinstance(active, int) or not 0 <= active < len(swipes):
        active = swipes.index(text) if text in swipes else len(swipes) - 1
    return (*swipes[:active], text, *swipes[active + 1 :]), active


def _read_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""
