"""Convert the lines of a chat file into turns, and turns into lines. Without I/O."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from yarrow.ids import MessageId, TurnId, new_uuid
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.formats.chat_dates import format_send_date, parse_date
from yarrow.prompting.formats.chat_writing import (
    GEN_FINISHED,
    GEN_STARTED,
    SEND_DATE,
    find_swipe_info,
)
from yarrow.prompting.formats.chats import EXTRA, ChatLine, ChatSpeaker, split_exchanges
from yarrow.sessions.model import (
    NARRATOR,
    AnsweredTurn,
    MessageDetails,
    MessageVersion,
    NewMessageVersions,
    Role,
    TurnView,
    VersionMetadata,
    Visibility,
)

_ROLES = {
    ChatSpeaker.USER: Role.USER,
    ChatSpeaker.ASSISTANT: Role.ASSISTANT,
    ChatSpeaker.NARRATOR: Role.ASSISTANT,
    ChatSpeaker.SYSTEM: Role.SYSTEM,
}
_SPEAKERS = {
    Role.USER: ChatSpeaker.USER,
    Role.ASSISTANT: ChatSpeaker.ASSISTANT,
    Role.SYSTEM: ChatSpeaker.SYSTEM,
    Role.TOOL: ChatSpeaker.SYSTEM,
}

TOKENS_MAX = 2**31 - 1
MODEL_CHARS = 200


def make_turns(lines: Sequence[ChatLine]) -> list[AnsweredTurn]:
    """Group the lines into turns, in order."""
    return [
        AnsweredTurn(TurnId(new_uuid()), seq, tuple(map(_make_slot, exchange)))
        for seq, exchange in enumerate(split_exchanges(lines), 1)
    ]


def _make_slot(line: ChatLine) -> NewMessageVersions:
    role = NARRATOR if line.speaker is ChatSpeaker.NARRATOR else ""
    return NewMessageVersions(
        role=_ROLES[line.speaker],
        texts=line.swipes,
        active=line.active,
        visibility=Visibility.USER if line.hidden else Visibility.BOTH,
        details=MessageDetails(
            speaker=line.name, shown_role=role, greeting=line.is_greeting, line=line.row
        ),
        facts=tuple(_read_facts(line, number) for number in range(len(line.swipes))),
        ids=tuple(MessageId(new_uuid()) for _ in line.states),
    )


def list_states(
    turns: Sequence[AnsweredTurn], lines: Sequence[ChatLine]
) -> list[tuple[str, str, JsonValue]]:
    """The states of the lines that became these turns: place in the file, reply, state."""
    slots = [slot for turn in turns for slot in turn.slots]
    return [
        (f"message {number}, swipe {swipe}", str(reply_id), state)
        for number, (slot, line) in enumerate(zip(slots, lines, strict=True))
        for swipe, (reply_id, state) in enumerate(zip(slot.ids, line.states, strict=True))
        if state is not None
    ]


def _read_facts(line: ChatLine, number: int) -> VersionMetadata:
    """When and by which model a swipe was made, as far as the line says."""
    info = find_swipe_info(line, number)
    extra = info.get(EXTRA)
    extra = extra if isinstance(extra, dict) else {}
    model, tokens = extra.get("model"), extra.get("token_count")
    is_count = isinstance(tokens, int) and 0 <= tokens <= TOKENS_MAX
    return VersionMetadata(
        created_at=parse_date(info.get(SEND_DATE)) or line.sent_at,
        model=model[:MODEL_CHARS] if isinstance(model, str) and model else None,
        output_tokens=tokens if is_count and isinstance(tokens, int) else 0,
    )


def make_lines(turn: TurnView, states: Mapping[str, JsonObject]) -> list[ChatLine]:
    """The lines of a turn: its messages, with versions as swipes and the states after them."""
    return [_make_line(versions, turn.number, states) for versions in list_slots(turn)]


def list_slots(turn: TurnView) -> list[list[MessageVersion]]:
    """The versions of each message that has a line.

    A reply of which no version is chosen any more has none: another reply took its place.
    """
    slots: dict[MessageId, list[MessageVersion]] = {}
    for version in turn.versions:
        slots.setdefault(version.slot_id, []).append(version)
    return [versions for versions in slots.values() if any(each.active for each in versions)]


def _make_line(
    versions: list[MessageVersion], turn_number: int, states: Mapping[str, JsonObject]
) -> ChatLine:
    first, active = versions[0], [version.active for version in versions].index(True)
    own_states = tuple(states.get(str(version.id)) for version in versions)
    return ChatLine(
        speaker=ChatSpeaker.NARRATOR if first.details.is_narrator else _SPEAKERS[first.role],
        swipes=tuple(version.content for version in versions),
        active=active,
        name=first.details.speaker,
        hidden=versions[active].hidden,
        sent_at=versions[active].created_at,
        turn_number=turn_number,
        is_greeting=first.details.greeting,
        row=first.details.line,
        swipe_info=tuple(_make_info(version, first.details.line) for version in versions),
        states=own_states if any(own_states) else (),
    )


def _make_info(version: MessageVersion, line: JsonObject) -> JsonObject | None:
    """What SillyTavern keeps of a swipe; None for one that came with the line."""
    if line and (version.is_input or not version.details.run_key):
        return None
    finished_at, extra = format_send_date(version.created_at), _make_extra(version)
    if version.latency_ms is None:
        return {SEND_DATE: finished_at, EXTRA: extra}
    started_at = version.created_at - timedelta(milliseconds=version.latency_ms)
    return {
        SEND_DATE: finished_at,
        GEN_STARTED: format_send_date(started_at),
        GEN_FINISHED: finished_at,
        EXTRA: extra,
    }


def _make_extra(version: MessageVersion) -> JsonObject:
    if not version.details.run_key:
        return version.details.extra
    return {
        "model": version.model or "",
        "reasoning": version.details.reasoning or "",
        "token_count": version.tokens[1],
    }
