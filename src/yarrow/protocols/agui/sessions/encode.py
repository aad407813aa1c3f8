"""History in the three scopes of the seeds, and the board of a divination."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from yarrow.agents.diviner.input import find_first_cast
from yarrow.errors import NotFound
from yarrow.ids import SessionId
from yarrow.kit.json import JsonObject, encode_json
from yarrow.liuyao import board_in_hant, build_board, derive, draw_svg
from yarrow.protocols.agui.sessions.wire import HistoryResponse
from yarrow.sessions.history_store import DayHistory
from yarrow.sessions.model import HistorySlice, Message, Role
from yarrow.uischema import compile_stored_card

SignUrl: TypeAlias = Callable[[str], str]
"""From the path of an attachment to a fresh URL."""


def encode_session(session_id: SessionId, batches: Sequence[bytes]) -> list[bytes]:
    """All messages of a session (seed 000)."""
    head = HistoryResponse(
        scope="history_session_full",
        threadId=str(session_id),
        day=None,
        hasMore=False,
        messages=[],
    )
    return _split_response(head, batches)


def encode_latest(page: HistorySlice, sign_url: SignUrl) -> list[bytes]:
    """The last answer of each session (seed 000)."""
    head = HistoryResponse(
        scope="history_sessions_latest_assistant",
        threadId=None,
        day=None,
        hasMore=page.has_more,
        messages=[],
    )
    batch = encode_messages(page.messages, sign_url)
    return _split_response(head, [batch] if page.messages else [])


def encode_day(history: DayHistory[bytes] | None) -> list[bytes]:
    """One day of a session (seed 002); None if the account has no session."""
    head = HistoryResponse(scope="history_day", threadId=None, day=None, hasMore=False, messages=[])
    if history is None:
        return _split_response(head, [])
    head.threadId, head.hasMore = str(history.session_id), history.has_more
    head.day = history.day.isoformat() if history.day else None
    return _split_response(head, history.batches)


def _split_response(head: HistoryResponse, batches: Sequence[bytes]) -> list[bytes]:
    """The response in pieces, with batches of messages that were encoded as they were read."""
    rest = head.model_dump_json(exclude={"messages"}).encode()
    pieces = [rest[:-1] + b',"messages":[']
    for batch in batches:
        pieces += (batch, b",")
    pieces[-1] = b"]}" if batches else pieces[-1] + b"]}"
    return pieces


def encode_board(answers: Sequence[Message], preferences: JsonObject) -> str:
    """An SVG of the cast that the session began with, in the account's script."""
    first = find_first_cast(answers)
    if first is None:
        raise NotFound("this session has no divination")
    board = build_board(derive(first.cast), first.asker)
    return draw_svg(board_in_hant(board) if preferences.get("script") == "hant" else board)


def encode_messages(messages: Sequence[Message], sign_url: SignUrl) -> bytes:
    """Messages of sessions, separated by commas."""
    return b",".join([encode_json(_encode_message(message, sign_url)) for message in messages])


def encode_day_messages(messages: Sequence[Message], sign_url: SignUrl) -> bytes:
    """Messages of a day, separated by commas."""
    return b",".join([encode_json(_encode_day_message(message, sign_url)) for message in messages])


def _encode_message(message: Message, sign_url: SignUrl) -> JsonObject:
    encoded = _encode_base(message) | {"threadId": str(message.session_id)}
    details = message.details
    if message.role is Role.ASSISTANT and details.output is not None:
        encoded["agent_output"] = details.output
        if details.products:
            encoded["produced"] = details.products
        if details.warnings:
            encoded["warnings"] = [
                {"code": code, "message": text} for code, text in details.warnings
            ]
    if message.model_code:
        encoded["model"] = message.model_code
    if images := message.details.images:
        encoded["attachments"] = [
            {"mimeType": image.mime_type, "url": sign_url(image.path)} for image in images
        ]
    if message.role is Role.TOOL and message.tool_name:
        encoded["tool_name"] = message.tool_name
        if details.tool_call is not None:
            encoded["tool_arguments"] = details.tool_call.arguments
    return encoded | ({"source": "client"} if details.from_client else {})


def _encode_day_message(message: Message, sign_url: SignUrl) -> JsonObject:
    """This scope has one field for an image: the first one."""
    encoded = _encode_base(message)
    if message.role is Role.USER:
        images = message.details.images
        return encoded | {"url": sign_url(images[0].path) if images else None}
    output = message.details.output or {}
    return encoded | {"uiSchema": compile_stored_card(output.get("ui_hints"))}


def _encode_base(message: Message) -> JsonObject:
    return {
        "id": str(message.id),
        "seq": message.seq,
        "role": message.role.value,
        "content": message.content,
        "timestamp": message.created_at.isoformat(),
    }
