"""Write chat files that SillyTavern and `read_chat` read.

A line that came from a file is written as it was, with what changed since: its text, its swipes,
which of them is shown, and whether it is hidden.
"""

from msgspec.structs import replace

from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.prompting.formats.chat_dates import format_send_date
from yarrow.prompting.formats.chats import (
    CHARACTER_NAME,
    CHAT_METADATA,
    EXTRA,
    GREETING,
    ROLE,
    STORY_STATE,
    SWIPE_ID,
    SWIPE_INFO,
    SWIPES,
    TURN_NUMBER,
    USER_NAME,
    ChatFile,
    ChatLine,
    ChatSpeaker,
    split_exchanges,
)

SEND_DATE = "send_date"
GEN_STARTED = "gen_started"
GEN_FINISHED = "gen_finished"
DISPLAY_TEXT = "display_text"
"""Of the extra of a line: its text as an extension translated it."""
_FIRST = ("name", "is_user", "is_system", SEND_DATE, "mes")
_OF_SWIPE = (SEND_DATE, GEN_STARTED, GEN_FINISHED, EXTRA)
"""Fields of a line that are those of the swipe it shows."""


def write_chat(chat: ChatFile) -> str:
    """Encode the chat as a file."""
    names = {USER_NAME: chat.user_name, CHARACTER_NAME: chat.character_name}
    header = (chat.header or names) | {CHAT_METADATA: chat.metadata}
    has_numbers = _needs_numbers(chat)
    rows = [header, *(_encode_line(line, chat, has_numbers=has_numbers) for line in chat.lines)]
    return "\n".join(encode_json(row).decode() for row in rows) + "\n"


def _needs_numbers(chat: ChatFile) -> bool:
    """Whether a reader would divide the lines into other turns if they had no numbers."""
    plain = [replace(line, turn_number=None) for line in chat.lines]
    numbered = split_exchanges(chat.lines)
    return list(map(len, split_exchanges(plain))) != list(map(len, numbered))


def _encode_line(line: ChatLine, chat: ChatFile, *, has_numbers: bool) -> JsonObject:
    row = dict(line.row) if line.row else _make_row(line, chat)
    row["mes"] = line.swipes[line.active]
    if line.sent_at is not None:
        row.setdefault(SEND_DATE, format_send_date(line.sent_at))
    if line.hidden or "is_system" in row:
        row["is_system"] = line.hidden
    info, is_moved = _list_info(line), line.active != _read_shown(line)
    if is_moved or not line.row:
        _show_info(row, info[line.active])
    if line.speaker is not ChatSpeaker.USER and (SWIPES in row or len(line.swipes) > 1):
        row |= {SWIPES: list(line.swipes), SWIPE_ID: line.active}
        if is_moved or any(each is not None for each in line.swipe_info):
            row[SWIPE_INFO] = info
    own = _build_own_extra(line, has_numbers=has_numbers)
    if own:
        row[EXTRA] = _copy_object(row.get(EXTRA)) | own
    if line.states:
        _add_states(row, info, line)
    return {name: row[name] for name in _FIRST if name in row} | row


def _add_states(row: JsonObject, info: list[JsonObject], line: ChatLine) -> None:
    """Write the states to `swipe_info`, and that of the shown swipe to the line as well."""
    if SWIPES in row:
        row[SWIPE_INFO] = [
            each if state is None else _add_state(each, state)
            for each, state in zip(info, line.states, strict=True)
        ]
    if (shown := line.states[line.active]) is not None:
        row[EXTRA] = _copy_object(_add_state(row, shown)[EXTRA])


def _add_state(row: JsonObject, state: JsonValue) -> JsonObject:
    return row | {EXTRA: _copy_object(row.get(EXTRA)) | {STORY_STATE: state}}


def drop_old_text(row: JsonObject, *, swipe: int | None) -> JsonObject:
    """The fields of a line without what belongs to a text of it that was changed since: its
    translation, and of a user's line, where `swipe` is None, the swipes, which nothing reads."""
    kept = dict(row)
    if swipe is None:
        kept = {name: row[name] for name in row if name not in (SWIPES, SWIPE_ID, SWIPE_INFO)}
    elif isinstance(info := row.get(SWIPE_INFO), list) and swipe < len(info):
        kept[SWIPE_INFO] = [*info[:swipe], _drop_translation(info[swipe]), *info[swipe + 1 :]]
    shown = row.get(SWIPE_ID) if row.get(SWIPES) == [] else 0
    return _copy_object(_drop_translation(kept)) if swipe in (None, shown) else kept


def _drop_translation(row: JsonValue) -> JsonValue:
    extra = row.get(EXTRA) if isinstance(row, dict) else None
    if not isinstance(row, dict) or not isinstance(extra, dict):
        return row
    return row | {EXTRA: {name: extra[name] for name in extra if name != DISPLAY_TEXT}}


def _make_row(line: ChatLine, chat: ChatFile) -> JsonObject:
    is_user = line.speaker is ChatSpeaker.USER
    row: JsonObject = {
        "name": line.name or (chat.user_name if is_user else chat.character_name),
        "is_user": is_user,
        "is_system": line.hidden,
    }
    if line.swipe_info and not is_user:
        row |= {SWIPES: [], SWIPE_ID: line.active}
    return row


def _list_info(line: ChatLine) -> list[JsonObject]:
    """What is known of each swipe: made here, else as the file has it."""
    made = (*line.swipe_info, *[None] * (len(line.swipes) - len(line.swipe_info)))
    return [
        find_swipe_info(line, number) if info is None else info for number, info in enumerate(made)
    ]


def _read_shown(line: ChatLine) -> int:
    """The swipe that the line showed in its file."""
    shown = line.row.get(SWIPE_ID) if line.row.get(SWIPES) == [] else 0
    return shown if isinstance(shown, int) else 0


def find_swipe_info(line: ChatLine, number: int) -> JsonObject:
    """What the file says of a swipe: its info, else the line itself if it shows that swipe."""
    stored = line.row.get(SWIPE_INFO)
    if isinstance(stored, list) and number < len(stored):
        return _copy_object(stored[number])
    if number != _read_shown(line):
        return {}
    return {name: line.row[name] for name in _OF_SWIPE if name in line.row}


def _show_info(row: JsonObject, info: JsonObject) -> None:
    """Give the line the fields of the swipe that it shows now."""
    for name in _OF_SWIPE:
        if name in info:
            row[name] = info[name]
        elif name != SEND_DATE:
            row.pop(name, None)
    row.setdefault(EXTRA, {})


def _build_own_extra(line: ChatLine, *, has_numbers: bool) -> JsonObject:
    extra: JsonObject = {}
    if has_numbers and line.turn_number is not None:
        extra[TURN_NUMBER] = line.turn_number
    if line.is_greeting:
        extra[GREETING] = True
    match line.speaker:
        case ChatSpeaker.NARRATOR:
            extra["type"] = ChatSpeaker.NARRATOR.value
        case ChatSpeaker.SYSTEM:
            extra[ROLE] = ChatSpeaker.SYSTEM.value
        case ChatSpeaker.USER | ChatSpeaker.ASSISTANT:
            pass
    return extra


def _copy_object(value: JsonValue) -> JsonObject:
    return dict(value) if isinstance(value, dict) else {}
