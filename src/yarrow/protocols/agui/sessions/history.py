"""History on the wire: one reader, the seeds' three scopes."""

from collections.abc import Callable
from datetime import date
from typing import TypeAlias

from yarrow.db import Database
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject
from yarrow.protocols.agui.sessions.wire import HistoryResponse
from yarrow.runs.images import images_of
from yarrow.sessions import read
from yarrow.sessions.model import Message, Role
from yarrow.uischema import compile_stored_card

UrlOf: TypeAlias = Callable[[str], str]
"""A fresh address of the attachment at a path."""


async def session_history(
    database: Database, account_id: AccountId, session_id: SessionId, *, url_of: UrlOf
) -> HistoryResponse:
    """All messages of a session, for a replay."""
    messages = await read.read_own_messages(database, account_id, session_id)
    return HistoryResponse(
        scope="history_session_full",
        threadId=str(session_id),
        day=None,
        hasMore=False,
        messages=[full_message(message, url_of) for message in messages],
    )


async def latest_history(
    database: Database, account_id: AccountId, *, limit: int, offset: int, url_of: UrlOf
) -> HistoryResponse:
    """The last answer of each session, for a list."""
    found = await read.read_latest_answers(database, account_id, limit=limit, offset=offset)
    return HistoryResponse(
        scope="history_sessions_latest_assistant",
        threadId=None,
        day=None,
        hasMore=found.has_more,
        messages=[full_message(message, url_of) for message in found.messages],
    )


async def day_history(
    database: Database,
    account_id: AccountId,
    *,
    session_id: SessionId | None,
    before: date | None,
    url_of: UrlOf,
) -> HistoryResponse:
    """One day of a session, the newest or the one before a date; days are UTC's."""
    found = await read.read_day(database, account_id, session_id, before=before)
    if found is None:
        return HistoryResponse(
            scope="history_day", threadId=None, day=None, hasMore=False, messages=[]
        )
    return HistoryResponse(
        scope="history_day",
        threadId=str(found.session_id),
        day=found.day.isoformat() if found.day else None,
        hasMore=found.has_more,
        messages=[day_message(message, url_of) for message in found.messages],
    )


def parse_day(given: str) -> date:
    """A calendar date as the seed writes it; Python's own reader knows week dates as well."""
    try:
        day = date.fromisoformat(given)
    except ValueError:
        day = None
    if day is None or day.isoformat() != given:
        raise InvalidInput("before must be a date in the form YYYY-MM-DD", field="before")
    return day


def full_message(message: Message, url_of: UrlOf) -> JsonObject:
    """A message of the seed 000 scopes."""
    shape = _base(message) | {"threadId": str(message.session_id)}
    details = message.details
    if message.role is Role.ASSISTANT and details.output is not None:
        shape["agent_output"] = details.output
        if details.products:
            shape["produced"] = details.products
    if images := images_of(message):
        shape["attachments"] = [{"mimeType": i.mime_type, "url": url_of(i.path)} for i in images]
    if message.role is Role.TOOL and message.tool_name:
        shape["tool_name"] = message.tool_name
    return shape


def day_message(message: Message, url_of: UrlOf) -> JsonObject:
    """A message of the day scope, which has room for one picture."""
    shape = _base(message)
    if message.role is Role.USER:
        images = images_of(message)
        return shape | {"url": url_of(images[0].path) if images else None}
    output = message.details.output or {}
    return shape | {"uiSchema": compile_stored_card(output.get("ui_hints"))}


def _base(message: Message) -> JsonObject:
    return {
        "id": str(message.id),
        "seq": message.seq,
        "role": message.role.value,
        "content": message.content,
        "timestamp": message.created_at.isoformat(),
    }
