"""Scan worldbooks: find the lore entries that a turn activates."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from yarrow.prompting.worldbook.book_scan import BookScan
from yarrow.prompting.worldbook.compile import CompiledBook
from yarrow.prompting.worldbook.model import LoreWarning, LoreWarningCode, Worldbook
from yarrow.prompting.worldbook.request import ActiveEntry, LoreScan, ScanRequest, ScanTools
from yarrow.prompting.worldbook.selection import LoreSelection
from yarrow.prompting.worldbook.timers import ActiveTimers, TimerKind, update_timers

_MAX_FIELD_WARNINGS = 100
"""Per book: further ones are only counted."""


def scan_books(books: Sequence[CompiledBook], request: ScanRequest, tools: ScanTools) -> LoreScan:
    """Scan all books, each with its own settings; groups, budget and recursion texts are shared.

    The same request gives the same result: randomness is seeded by it.
    """
    timers = update_timers(
        request.timers, (book.book for book in books), chat_length=request.chat_length
    )
    scans = [
        BookScan(number, book, request=request, tools=tools, timers=timers)
        for number, book in enumerate(books)
    ]
    selection = LoreSelection(request, tools)
    _run_passes(scans, selection)
    for book_scan in scans:
        for candidate, rejection in book_scan.list_rejections():
            selection.reject(candidate, rejection)
    active = selection.list_active()
    _start_timers(timers, active)
    read = (warning for book in books for warning in _file_warnings(book.book))
    scanned = (warning for book_scan in scans for warning in book_scan.warnings)
    return LoreScan(active, selection.list_cuts(), timers.timers, (*read, *scanned))


def _file_warnings(book: Worldbook) -> Iterator[LoreWarning]:
    """Return the parser's warnings under the book's current name."""
    for warning in book.warnings[:_MAX_FIELD_WARNINGS]:
        yield replace(warning, source=book.source)
    more = len(book.warnings) - _MAX_FIELD_WARNINGS
    if more > 0:
        detail = f"{more} more fields could not be read"
        yield LoreWarning(LoreWarningCode.FIELD_INVALID, book.source, None, detail)


def _run_passes(scans: Sequence[BookScan], selection: LoreSelection) -> None:
    """Run passes until no book has anything new to look at, or the budget is used up."""
    recursion_texts: list[str] = []
    while not selection.is_full:
        passes = [
            book_scan.run_pass(recursion_texts, active=selection.active_count[number])
            for number, book_scan in enumerate(scans)
        ]
        if all(candidates is None for candidates in passes):
            return
        recursion_texts += selection.select(
            [candidate for candidates in passes if candidates for candidate in candidates]
        )


def _start_timers(timers: ActiveTimers, active: Sequence[ActiveEntry]) -> None:
    """Start stickiness, or the cooldown of entries that are not sticky."""
    for item in active:
        kind = TimerKind.STICKY if item.entry.sticky else TimerKind.COOLDOWN
        timers.start(kind, item.source, item.entry)
