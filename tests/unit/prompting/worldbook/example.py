"""Books as JSON, scanned with the real regex engine, plain macros and a token per letter."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.loose_json import JsonObject

from yarrow.prompting.regex_engine.quickjs import QuickJsEngine
from yarrow.prompting.worldbook import (
    BookKind,
    BookSource,
    CompiledBook,
    LoreScan,
    ScanRequest,
    ScanTools,
    compile_book,
    parse_book,
    scan_books,
)

SESSION = BookSource(BookKind.SESSION, "wb_1", "Campfire")
CARD = BookSource(BookKind.CHARACTER, None, "Alice's own")

MACROS = {"{{char}}": "Alice", "{{user}}": "Bob", "{{empty}}": ""}


def expand(text: str, place: str) -> str:
    for macro, value in MACROS.items():
        text = text.replace(macro, value)
    return text


def tools() -> ScanTools:
    return ScanTools(peek=expand, count=len, regexes=QuickJsEngine())


def entry(uid: int = 0, *keys: str, **fields: Any) -> JsonObject:
    return {"uid": uid, "key": list(keys), "content": f"content {uid}", **fields}


def make_book(*entries: JsonObject, source: BookSource = SESSION, **settings: Any) -> CompiledBook:
    return compile_book(parse_book({"entries": list(entries), **settings}, source=source))


def scan(
    book: CompiledBook | Sequence[CompiledBook],
    *messages: str,
    sources: Mapping[Any, str] | None = None,
    **request: Any,
) -> LoreScan:
    """Scan messages, newest first."""
    books = [book] if isinstance(book, CompiledBook) else book
    return scan_books(books, ScanRequest(messages, sources=sources or {}, **request), tools())


def uids(result: LoreScan) -> list[int]:
    """What is active, in the order of the text."""
    return [active.entry.uid for active in result.active]


def cuts(result: LoreScan) -> dict[int, str]:
    return {cut.match.entry.uid: cut.reason.value for cut in result.cut}
