"""Search the messages of the account's other sessions."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta

from yarrow.db import Database
from yarrow.kit.json import JsonObject, encode_json
from yarrow.sessions.model import SearchHit, SearchResult
from yarrow.sessions.read import search_messages
from yarrow.tools.arguments import (
    WITHOUT_NUL,
    Arguments,
    build_parameters,
    make_printable,
    read_arguments,
)
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription, ToolError
from yarrow.tools.words import WORDS, ToolWords

MAX_WORDS = 8
SNIPPET_CHARS = 160
TITLE_CHARS = 80


class SearchArguments(Arguments, frozen=True):
    query: Annotated[
        str,
        Meta(
            description="One or a few words; all of them must be in a message. No operators.",
            max_length=200,
            pattern=WITHOUT_NUL,
        ),
    ]
    limit: Annotated[int, Meta(ge=1, le=10, description="How many sessions at most")] = 5
    before: Annotated[
        str,
        Meta(description="Search older sessions: `searched_until` of an answer", max_length=40),
    ] = ""


class SearchSessions:
    """Finds past sessions of the caller by words in their messages."""

    description = ToolDescription(
        name="search_sessions",
        description="Search the user's past conversations for words, in any language. Gives the "
        "title, date and a snippet of each session that has them, the newest first. Looks at the "
        "most recent sessions; the answer says if there are older ones.",
        parameters=build_parameters(SearchArguments),
    )

    def __init__(self, database: Database) -> None:
        self._database = database

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        search = read_arguments(SearchArguments, arguments)
        words = search.query.split()[:MAX_WORDS]
        if not words:
            raise ToolError("query must have at least one word")
        result = await search_messages(
            self._database,
            caller.account_id,
            words,
            besides=caller.session_id,
            limit=search.limit,
            before=_parse_time(search.before) if search.before else None,
        )
        sessions = [_describe_hit(hit, words, caller) for hit in result.hits]
        found: JsonObject = {
            "found": result.sessions_found,
            "sessions": [*sessions],
            **describe_limits(result),
        }
        return ToolAnswer(encode_json(found).decode(), _make_card(sessions, WORDS[caller.language]))


def _parse_time(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ToolError("before must be a time with an offset, as in searched_until")


def describe_limits(result: SearchResult) -> JsonObject:
    """What was not looked at; nothing if the search was complete."""
    limits: JsonObject = {}
    if result.searched_until is not None:
        limits |= {"complete": False, "searched_until": result.searched_until.isoformat()}
    if result.cut_sessions:
        limits |= {"complete": False, "sessions_searched_in_part": result.cut_sessions}
    if not result.found_all:
        limits["found_at_least"] = True
    return limits


def _describe_hit(hit: SearchHit, words: Sequence[str], caller: ToolCaller) -> dict[str, str]:
    return {
        "title": make_printable(hit.title)[:TITLE_CHARS],
        "date": f"{hit.created_at.astimezone(caller.zone):%Y-%m-%d %H:%M}",
        "said_by": str(hit.role),
        "snippet": cut_snippet(hit.content, words),
    }


def cut_snippet(content: str, words: Sequence[str]) -> str:
    """The text around the first of the words in it, on one line."""
    line = make_printable(content)
    if len(line) <= SNIPPET_CHARS:
        return line
    places = [place for word in words if (place := line.casefold().find(word.casefold())) >= 0]
    start = max(0, min(places, default=0) - SNIPPET_CHARS // 3)
    start = min(start, len(line) - SNIPPET_CHARS)
    piece = line[start : start + SNIPPET_CHARS].strip()
    before, after = "…" if start else "", "…" if start + SNIPPET_CHARS < len(line) else ""
    return f"{before}{piece}{after}"


def _make_card(sessions: Sequence[dict[str, str]], words: ToolWords) -> JsonObject:
    if not sessions:
        return {"title": words.found_nothing}
    items = [
        {
            "title": session["title"] or words.untitled,
            "detail": f"{session['date']} · {session['snippet']}",
        }
        for session in sessions
    ]
    return {"title": words.found.format(count=len(sessions)), "items": items}
