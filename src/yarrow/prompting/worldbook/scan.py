"""Which lore a turn calls up."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from yarrow.prompting.worldbook.book_scan import BookScan
from yarrow.prompting.worldbook.compile import CompiledBook
from yarrow.prompting.worldbook.model import LoreWarning, LoreWarningCode, Worldbook
from yarrow.prompting.worldbook.request import ActiveEntry, LoreScan, ScanRequest, ScanTools
from yarrow.prompting.worldbook.selection import LoreSelection
from yarrow.prompting.worldbook.timers import ActiveTimers, TimerKind, update_timers

_MAX_FIELD_WARNINGS = 100
"""Of one book: a file that is all wrong need not be told field by field."""


def scan_books(books: Sequence[CompiledBook], request: ScanRequest, tools: ScanTools) -> LoreScan:
    """Scan all books, each with its own settings; groups, budget and contents are shared.

    The same request gives the same answer: dice come from its seed.
    """
    timed = update_timers(
        request.timers, (book.book for book in books), chat_length=request.chat_length
    )
    scans = [
        BookScan(number, book, request=request, tools=tools, timed=timed)
        for number, book in enumerate(books)
    ]
    admission = LoreSelection(request, tools)
    _run_passes(scans, admission)
    for book_scan in scans:
        for item, barrier in book_scan.barred():
            admission.bar(item, barrier)
    active = admission.entries()
    _start_timers(timed, active)
    read = (warning for book in books for warning in _file_warnings(book.book))
    scanned = (warning for book_scan in scans for warning in book_scan.warnings)
    return LoreScan(active, admission.cut(), timed.kept, (*read, *scanned))


def _file_warnings(book: Worldbook) -> Iterator[LoreWarning]:
    """What was wrong with the file, under the name the book has now."""
    for warning in book.warnings[:_MAX_FIELD_WARNINGS]:
        yield replace(warning, source=book.source)
    more = len(book.warnings) - _MAX_FIELD_WARNINGS
    if more > 0:
        detail = f"{more} more fields could not be read"
        yield LoreWarning(LoreWarningCode.FIELD_INVALID, book.source, None, detail)


def _run_passes(scans: Sequence[BookScan], admission: LoreSelection) -> None:
    """Pass after pass until no book has anything new to look at, or the budget is reached."""
    echoes: list[str] = []
    while not admission.full:
        passes = [
            book_scan.step(echoes, active=admission.active[number])
            for number, book_scan in enumerate(scans)
        ]
        if all(found is None for found in passes):
            return
        echoes += admission.admit([item for found in passes if found for item in found])


def _start_timers(timed: ActiveTimers, active: Sequence[ActiveEntry]) -> None:
    """A sticky entry rests only after it has ceased to be sticky."""
    for item in active:
        effect = TimerKind.STICKY if item.entry.sticky else TimerKind.COOLDOWN
        timed.start(effect, item.source, item.entry)
