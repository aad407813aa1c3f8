"""What was said before, in the account's other sessions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Protocol

from msgspec import Meta

from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject, encode_json
from yarrow.tools.arguments import (
    WITHOUT_NUL,
    Arguments,
    parameters_of,
    printable,
    read_arguments,
)
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription, ToolError
from yarrow.tools.words import WORDS, ToolWords

MAX_WORDS = 8
SNIPPET_CHARS = 160
TITLE_CHARS = 80


class Saying(Protocol):
    """Something said in a past session."""

    @property
    def title(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def content(self) -> str: ...
    @property
    def created_at(self) -> datetime: ...


class SessionSearcher(Protocol):
    """Looks through an account's sessions."""

    async def search_sessions(
        self, account_id: AccountId, words: Sequence[str], *, besides: SessionId, limit: int
    ) -> Sequence[Saying]:
        """The newest fitting message of each session but one, the newest session first."""
        ...


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


class SearchSessions:
    """Finds the caller's own past sessions by the words in them."""

    description = ToolDescription(
        name="search_sessions",
        description="Search the user's past conversations for words, in any language. Gives the "
        "title, date and a snippet of each session that has them, the newest first.",
        parameters=parameters_of(SearchArguments),
    )

    def __init__(self, sessions: SessionSearcher) -> None:
        self._sessions = sessions

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        asked = read_arguments(SearchArguments, arguments)
        words = asked.query.split()[:MAX_WORDS]
        if not words:
            raise ToolError("query must have at least one word")
        found = await self._sessions.search_sessions(
            caller.account_id, words, besides=caller.session_id, limit=asked.limit
        )
        hits = [_hit(saying, words, caller) for saying in found]
        text = encode_json({"found": len(hits), "sessions": hits}).decode()
        return ToolAnswer(text, _card(hits, WORDS[caller.language]))


def _hit(saying: Saying, words: Sequence[str], caller: ToolCaller) -> dict[str, str]:
    return {
        "title": printable(saying.title)[:TITLE_CHARS],
        "date": f"{saying.created_at.astimezone(caller.zone):%Y-%m-%d %H:%M}",
        "said_by": str(saying.role),
        "snippet": snippet_of(saying.content, words),
    }


def snippet_of(content: str, words: Sequence[str]) -> str:
    """The piece of a text around the first of the words in it, on one line."""
    line = printable(content)
    if len(line) <= SNIPPET_CHARS:
        return line
    places = [place for word in words if (place := line.casefold().find(word.casefold())) >= 0]
    start = max(0, min(places, default=0) - SNIPPET_CHARS // 3)
    start = min(start, len(line) - SNIPPET_CHARS)
    piece = line[start : start + SNIPPET_CHARS].strip()
    before, after = "…" if start else "", "…" if start + SNIPPET_CHARS < len(line) else ""
    return f"{before}{piece}{after}"


def _card(hits: Sequence[dict[str, str]], words: ToolWords) -> JsonObject:
    if not hits:
        return {"title": words.found_nothing}
    items = [
        {"title": hit["title"] or words.untitled, "detail": f"{hit['date']} · {hit['snippet']}"}
        for hit in hits
    ]
    return {"title": words.found.format(count=len(hits)), "items": items}
