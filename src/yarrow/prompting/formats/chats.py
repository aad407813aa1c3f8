"""SillyTavern's chat files: JSON lines, a header and then one message on each line.

Our export uses the same format. What SillyTavern has no field for is written to a message's
`extra`, which it preserves: the number of the turn, and the system role.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

import msgspec

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, JsonValue, decode_json, encode_json
from yarrow.prompting.errors import ChatUnreadable

LINES_MAX = 50_000
SWIPES_MAX = 200
TEXTS_MAX = 100_000
"""Messages and swipes together: a small file can contain millions of empty ones."""
DEFAULT_USER = "User"
DEFAULT_CHARACTER = "Assistant"

_NUL = r"\u0000"
_BACKSLASH = r"\\"
"""Both as written in JSON. PostgreSQL cannot store NUL in text."""

_HEADER = ("user_name", "character_name", "chat_metadata")
_TURN_NUMBER = "floor_no"
_ROLE = "role"
_OWN_EXTRA = (_TURN_NUMBER, _ROLE)


class ChatSpeaker(StrEnum):
    """The author of a line."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    NARRATOR = "narrator"


@dataclass(frozen=True, slots=True)
class ChatLine:
    """One message with its swipes; `active` is the index of the one shown."""

    speaker: ChatSpeaker
    swipes: tuple[str, ...]
    active: int = 0
    name: str = ""
    hidden: bool = False
    sent_at: datetime | None = None
    turn_number: int | None = None
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChatFile:
    """A whole chat file."""

    user_name: str = DEFAULT_USER
    character_name: str = DEFAULT_CHARACTER
    metadata: JsonObject = field(default_factory=dict)
    """SillyTavern's `chat_metadata`; its `variables` are the chat's."""
    lines: tuple[ChatLine, ...] = ()


def read_chat(data: str | Sequence[JsonValue]) -> ChatFile:
    """Parse a chat from the text of its file, or from its decoded lines."""
    decoded = list(_decode_lines(data) if isinstance(data, str) else enumerate(data, 1))
    if len(decoded) > LINES_MAX + 1:
        raise InvalidInput(f"a chat may have at most {LINES_MAX} messages", field="data")
    rows = [(number, _require_object(row, number)) for number, row in decoded]
    header = rows.pop(0)[1] if rows and _is_header(rows[0][1]) else {}
    if not rows and not header:
        raise InvalidInput("this is no chat: it has neither a header nor a message", field="data")
    metadata = header.get("chat_metadata")
    lines = tuple(_parse_line(row, number) for number, row in rows)
    if sum(len(line.swipes) for line in lines) > TEXTS_MAX:
        raise InvalidInput(f"a chat may have at most {TEXTS_MAX} texts", field="data")
    return ChatFile(
        user_name=_text(header.get("user_name")) or DEFAULT_USER,
        character_name=_text(header.get("character_name")) or DEFAULT_CHARACTER,
        metadata=metadata if isinstance(metadata, dict) else {},
        lines=lines,
    )


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


def write_chat(chat: ChatFile) -> str:
    """Encode the chat as a file for SillyTavern and `read_chat`."""
    header: JsonObject = {
        "user_name": chat.user_name,
        "character_name": chat.character_name,
        "chat_metadata": chat.metadata,
    }
    rows = [header, *(_encode_line(line, chat) for line in chat.lines)]
    return "\n".join(encode_json(row).decode() for row in rows) + "\n"


def _encode_line(line: ChatLine, chat: ChatFile) -> JsonObject:
    is_user = line.speaker is ChatSpeaker.USER
    row: JsonObject = {
        "name": line.name or (chat.user_name if is_user else chat.character_name),
        "is_user": is_user,
        "is_system": line.hidden,
        "mes": line.swipes[line.active],
        "extra": line.extra | _encode_extra(line),
    }
    if line.sent_at is not None:
        row["send_date"] = line.sent_at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if len(line.swipes) > 1:
        row |= {"swipe_id": line.active, "swipes": list(line.swipes)}
    return row


def _encode_extra(line: ChatLine) -> JsonObject:
    extra: JsonObject = {} if line.turn_number is None else {_TURN_NUMBER: line.turn_number}
    match line.speaker:
        case ChatSpeaker.NARRATOR:
            extra["type"] = ChatSpeaker.NARRATOR.value
        case ChatSpeaker.SYSTEM:
            extra[_ROLE] = ChatSpeaker.SYSTEM.value
        case ChatSpeaker.USER | ChatSpeaker.ASSISTANT:
            pass
    return extra


def _decode_lines(text: str) -> Iterable[tuple[int, JsonValue]]:
    """Yield the lines that are not blank, with their numbers.

    Only LF ends a line: other separators may occur inside a message.
    """
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        if _NUL in line.replace(_BACKSLASH, ""):
            raise ChatUnreadable("must not contain the NUL character", line=number)
        try:
            yield number, decode_json(line)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
            raise ChatUnreadable("is not valid JSON", line=number) from error


def _require_object(row: JsonValue, number: int) -> JsonObject:
    if not isinstance(row, dict):
        raise ChatUnreadable("must be an object", line=number)
    return row


def _is_header(row: JsonObject) -> bool:
    return "mes" not in row and any(name in row for name in _HEADER)


def _parse_line(row: JsonObject, number: int) -> ChatLine:
    text = row.get("mes")
    if not isinstance(text, str):
        raise ChatUnreadable("mes must be text", line=number)
    extra = row.get("extra")
    extra = extra if isinstance(extra, dict) else {}
    speaker = _parse_speaker(row, extra)
    swipes, active = (
        _parse_swipes(row, text, number) if speaker is not ChatSpeaker.USER else ((text,), 0)
    )
    turn_number = extra.get(_TURN_NUMBER)
    return ChatLine(
        speaker=speaker,
        swipes=swipes,
        active=active,
        name=_text(row.get("name")),
        hidden=row.get("is_system") is True,
        sent_at=parse_date(row.get("send_date")),
        turn_number=turn_number if isinstance(turn_number, int) else None,
        extra={key: value for key, value in extra.items() if key not in _OWN_EXTRA},
    )


def _parse_speaker(row: JsonObject, extra: JsonObject) -> ChatSpeaker:
    if row.get("is_user") is True:
        return ChatSpeaker.USER
    if extra.get(_ROLE) == ChatSpeaker.SYSTEM:
        return ChatSpeaker.SYSTEM
    narrated = extra.get("type") == ChatSpeaker.NARRATOR
    return ChatSpeaker.NARRATOR if narrated else ChatSpeaker.ASSISTANT


def _parse_swipes(row: JsonObject, text: str, number: int) -> tuple[tuple[str, ...], int]:
    """Return all swipes and the active index. `mes` is the text shown, even where swipes differ."""
    swipes, active = row.get("swipes"), row.get("swipe_id")
    if not isinstance(swipes, list) or not swipes:
        return (text,), 0
    if len(swipes) > SWIPES_MAX:
        raise ChatUnreadable(f"more than {SWIPES_MAX} swipes", line=number)
    if not all(isinstance(swipe, str) for swipe in swipes):
        raise ChatUnreadable("swipes must be texts", line=number)
    if not isinstance(active, int) or not 0 <= active < len(swipes):
        active = swipes.index(text) if text in swipes else len(swipes) - 1
    return (*swipes[:active], text, *swipes[active + 1 :]), active


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


_OLD_DATES = (
    re.compile(
        r"(?P<Y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2}) ?@ ?(?P<H>\d{1,2})h ?(?P<M>\d{1,2})m"
        r" ?(?:(?P<S>\d{1,2})s)?(?: ?(?P<f>\d{1,3})ms)?"
    ),
    re.compile(
        r"(?P<b>[A-Z][a-z]+) (?P<d>\d{1,2}), (?P<Y>\d{4}) "
        r"(?P<I>\d{1,2}):(?P<M>\d{2}) ?(?P<p>[ap]m)",
        re.IGNORECASE,
    ),
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def parse_date(value: JsonValue) -> datetime | None:
    """Parse a date in any of SillyTavern's notations; None if it is not one.

    A time without a zone is read as UTC: the file does not contain the writer's zone.
    """
    try:
        match value:
            case bool():
                return None
            case int() | float():
                return datetime.fromtimestamp(value / 1000, UTC)
            case str() if value.isdigit():
                return datetime.fromtimestamp(int(value) / 1000, UTC)
            case str():
                return _parse_old_date(value) or _assume_utc(datetime.fromisoformat(value))
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _assume_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _parse_old_date(text: str) -> datetime | None:
    for pattern in _OLD_DATES:
        if (match := pattern.fullmatch(text.strip())) is not None:
            return _build_date({key: value or "0" for key, value in match.groupdict().items()})
    return None


def _build_date(parts: dict[str, str]) -> datetime:
    month = int(parts["m"]) if "m" in parts else _MONTHS.index(parts["b"][:3].lower()) + 1
    hour = int(parts["H"]) if "H" in parts else int(parts["I"]) % 12
    if parts.get("p", "").lower() == "pm":
        hour += 12
    return datetime(
        int(parts["Y"]),
        month,
        int(parts["d"]),
        hour,
        int(parts["M"]),
        int(parts.get("S", "0")),
        int(parts.get("f", "0")) * 1000,
        tzinfo=UTC,
    )
