"""Scan worldbooks: find the lore entries that a turn activates.

`BookScan` matches the entries of one book pass by pass, with recursion, depth and delays.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec.structs import replace

from yarrow.prompting.worldbook.candidates import (
    EntryRejection,
    LoreCandidate,
    check_preconditions,
    name_entry_place,
)
from yarrow.prompting.worldbook.compile import (
    MACRO,
    CompiledBook,
    DeferredKeys,
    EntryPlan,
    resolve_deferred_keys,
)
from yarrow.prompting.worldbook.key_index import KeyHits
from yarrow.prompting.worldbook.match import EntryView, KeyMatcher, RegexKeys
from yarrow.prompting.worldbook.model import (
    EntryDecorator,
    LoreEntry,
    LoreWarning,
    LoreWarningCode,
    SegmentKind,
    Worldbook,
)
from yarrow.prompting.worldbook.request import (
    ActivationMode,
    ActiveEntry,
    CutReason,
    FirstMatch,
    LoreScan,
    ScanRequest,
    ScanTools,
)
from yarrow.prompting.worldbook.selection import LoreSelection
from yarrow.prompting.worldbook.timers import ActiveTimers, TimerKind, update_timers


class EntryMatcher:
    """Reads the texts of a turn with the keys of one book and matches entries against them."""

    def __init__(
        self,
        number: int,
        compiled: CompiledBook,
        *,
        request: ScanRequest,
        tools: ScanTools,
        timers: ActiveTimers,
    ) -> None:
        self._number, self._compiled, self._timers = number, compiled, timers
        self._settings, self._source = compiled.book.settings, compiled.book.source
        self.warnings: list[LoreWarning] = []
        self._keys = self._resolve_keys(tools)
        self._regex_keys = RegexKeys(self._keys, tools.regexes, on_timeout=self._warn_timeout)
        self._hits = KeyHits(request.messages, request.sources)
        self._key_matcher = KeyMatcher(self._hits, self._keys, self._regex_keys)
        self._views: dict[tuple[int, tuple[SegmentKind, ...], bool], EntryView] = {}
        self.depth = self._settings.scan_depth

    def read_messages(self) -> set[int]:
        """Read messages and sources; return the entries that may match."""
        self._hits.add_reader(self._compiled.index.find, depth=self._compiled.max_depth)
        if self._compiled.deferred:
            depth = self._compiled.deferred_depth
            self._hits.add_reader(self._keys.plain.find, depth=depth)
            self._hits.add_reader(self._regex_keys.find, depth=depth)
        indexes = (
            self._list_entries_with_keys(self._hits.all_keys()) | self._list_spanning_entries()
        )
        return indexes | self._list_sticky_entries() | set(self._compiled.unconditional)

    def read_one_deeper(self) -> set[int]:
        """Read one more message; return the entries whose keys it is the first to contain."""
        self.depth += 1
        return self._list_entries_with_keys(self._hits.read_deeper(self.depth))

    def read_recursion_texts(self, texts: Iterable[str]) -> set[int]:
        """Read contents of active entries; return the entries that may match now."""
        new_keys: set[int] = set()
        for text in texts:
            new_keys |= self._hits.add_recursion_text(text)
        return self._list_entries_with_keys(new_keys) | self._list_spanning_entries()

    def match_entry(self, index: int, *, level: int) -> LoreCandidate | None:
        plan = self._compiled.plans[index]
        entry = plan.entry
        if self.is_sticky(entry):
            return self._activate_entry(index, ActivationMode.STICKY, level=level)
        if entry.constant or EntryDecorator.ACTIVATE in entry.decorators:
            return self._activate_entry(index, ActivationMode.CONSTANT, level=level)
        match = self._key_matcher.match(plan, self._find_view(entry))
        if match is None:
            return None
        mode, first = ActivationMode.TRIGGERED, match.first
        return self._make_candidate(index, mode, level=level, first=first, score=match.score)

    def is_sticky(self, entry: LoreEntry) -> bool:
        return self._timers.find(TimerKind.STICKY, self._source, entry) is not None

    def _activate_entry(self, index: int, mode: ActivationMode, *, level: int) -> LoreCandidate:
        plan = self._compiled.plans[index]
        score = (
            self._key_matcher.score(plan, self._find_view(plan.entry)) if plan.entry.groups else 0
        )
        return self._make_candidate(index, mode, level=level, first=None, score=score)

    def _make_candidate(
        self,
        index: int,
        mode: ActivationMode,
        *,
        level: int,
        first: FirstMatch | None,
        score: int,
    ) -> LoreCandidate:
        entry = self._compiled.plans[index].entry
        scoring = entry.group_scoring
        return LoreCandidate(
            book=self._number,
            index=index,
            entry=entry,
            source=self._source,
            mode=mode,
            level=level,
            first_match=first,
            score=score,
            is_scored=self._settings.group_scoring if scoring is None else scoring,
            feeds_recursion=self._settings.recursive and not entry.prevent_recursion,
        )

    def _find_view(self, entry: LoreEntry) -> EntryView:
        """Return what an entry may see; cached, since most entries see the same."""
        depth = self.depth if entry.scan_depth is None else entry.scan_depth
        key = (depth, entry.sources, entry.exclude_recursion)
        view = self._views.get(key)
        if view is None:
            recursive = self._settings.recursive and not entry.exclude_recursion
            view = EntryView(depth, (*entry.sources, SegmentKind.INJECTION), recursive)
            self._views[key] = view
        return view

    def _list_entries_with_keys(self, keys: Iterable[int]) -> set[int]:
        owners = self._compiled.owners
        return {index for key in keys for index in owners[key]}

    def _list_spanning_entries(self) -> set[int]:
        """Return entries whose regex may match across texts although no single text contains it."""
        return self._list_entries_with_keys(self._keys.spanning)

    def _list_sticky_entries(self) -> set[int]:
        uids = {
            key.uid
            for key in self._timers.timers
            if key.effect is TimerKind.STICKY and key.book == self._source.ref
        }
        plans = enumerate(self._compiled.plans) if uids else ()
        return {index for index, plan in plans if plan.entry.uid in uids}

    def _resolve_keys(self, tools: ScanTools) -> DeferredKeys:
        deferred, plans = self._compiled.deferred, self._compiled.plans
        texts = tuple(
            tools.peek(key.key, name_entry_place(self._source, plans[key.owner].entry)).strip()
            if MACRO in key.key
            else key.key
            for key in deferred
        )
        keys = self._compiled.resolutions.get(texts)
        if keys is None:
            keys = resolve_deferred_keys(deferred, texts, regexes=tools.regexes)
            self._compiled.resolutions.put(texts, keys)
        for key in keys.invalid:
            self._add_warning(LoreWarningCode.REGEX_INVALID, plans[key.owner], key.key)
        return keys

    def _warn_timeout(self, number: int) -> None:
        key = next(key for key in self._compiled.deferred if key.number == number)
        self._add_warning(LoreWarningCode.REGEX_TIMED_OUT, self._compiled.plans[key.owner], key.key)

    def _add_warning(self, code: LoreWarningCode, plan: EntryPlan, detail: str) -> None:
        self.warnings.append(LoreWarning(code, self._source, plan.entry.uid, detail))


class BookScan:
    """Matches the entries of one book; a pass looks only at entries whose keys a new text contains.

    Passes continue while contents of active entries arrive (recursion), then while fewer than
    `min_activations` entries are active (one message deeper each time), then while entries are
    delayed until a later recursion level.
    """

    def __init__(
        self,
        number: int,
        compiled: CompiledBook,
        *,
        request: ScanRequest,
        tools: ScanTools,
        timers: ActiveTimers,
    ) -> None:
        self._compiled, self._settings = compiled, compiled.book.settings
        self._request, self._timers = request, timers
        self._matcher = EntryMatcher(number, compiled, request=request, tools=tools, timers=timers)
        self._done: set[int] = set()
        self._delayed: set[int] = set()
        self._rejected: list[tuple[LoreCandidate, EntryRejection]] = []
        self._has_started = False
        self._level = 0
        self._open_delay = 0
        self._texts_read = 0

    @property
    def warnings(self) -> list[LoreWarning]:
        return self._matcher.warnings

    def run_pass(
        self, recursion_texts: Sequence[str], *, active: int
    ) -> list[LoreCandidate] | None:
        """Return the entries that match in the next pass; None if nothing is left to look at.

        `recursion_texts` are the contents that may trigger further entries, `active` is the number
        of this book's active entries.
        """
        if not self._has_started:
            self._has_started = True
            return self._match_entries(self._matcher.read_messages(), level=0)
        if (
            self._settings.recursive
            and self._texts_read < len(recursion_texts)
            and self._is_level_allowed(self._level + 1)
        ):
            return self._scan_recursion(recursion_texts)
        if (
            active < self._settings.min_activations
            and self._matcher.depth < self._compute_depth_limit()
        ):
            return self._scan_deeper()
        return self._open_next_delay()

    def list_rejections(self) -> list[tuple[LoreCandidate, EntryRejection]]:
        """Return entries that matched but were rejected or are still delayed."""
        delayed = []
        for index in sorted(self._delayed - self._done):
            candidate = self._matcher.match_entry(index, level=self._level)
            if candidate is not None:
                detail = f"waits for recursion level {candidate.entry.recursion_delay}"
                delayed.append((candidate, EntryRejection(CutReason.RECURSION_DELAY, detail)))
        return self._rejected + delayed

    def _scan_recursion(self, recursion_texts: Sequence[str]) -> list[LoreCandidate]:
        self._level += 1
        indexes = self._matcher.read_recursion_texts(recursion_texts[self._texts_read :])
        self._texts_read = len(recursion_texts)
        if not self._open_delay:
            self._open_delay = 1
            indexes |= self._delayed
        return self._match_entries(indexes, level=self._level)

    def _scan_deeper(self) -> list[LoreCandidate]:
        candidates: list[LoreCandidate] = []
        while not candidates and self._matcher.depth < self._compute_depth_limit():
            candidates = self._match_entries(self._matcher.read_one_deeper(), level=0)
        return candidates

    def _compute_depth_limit(self) -> int:
        """Return how deep the scan may go for more entries; 0 if the book limits passes."""
        if self._settings.max_recursion_steps:
            return 0
        messages = len(self._request.messages)
        return min(self._settings.min_activations_depth_max or messages, messages)

    def _open_next_delay(self) -> list[LoreCandidate] | None:
        """Open the next delay level once the previous one yields nothing more."""
        delay = next((level for level in self._compiled.delays if level > self._open_delay), None)
        if delay is None or not self._settings.recursive:
            return None
        level = max(self._level + 1, delay)
        if not self._is_level_allowed(level):
            return None
        self._level, self._open_delay = level, delay
        return self._match_entries(self._delayed, level=level)

    def _is_level_allowed(self, level: int) -> bool:
        return not self._settings.max_recursion_steps or level < self._settings.max_recursion_steps

    def _match_entries(self, indexes: Collection[int], *, level: int) -> list[LoreCandidate]:
        candidates = []
        for index in sorted(set(indexes) - self._done):
            entry = self._compiled.plans[index].entry
            if not self._is_due(entry):
                self._delayed.add(index)
                continue
            candidate = self._matcher.match_entry(index, level=level)
            if candidate is not None:
                self._done.add(index)
                candidates.append(candidate)
        return [candidate for candidate in candidates if not self._reject_candidate(candidate)]

    def _is_due(self, entry: LoreEntry) -> bool:
        """Whether the entry may match now; a delayed entry that excludes recursion never may."""
        if not entry.recursion_delay or self._matcher.is_sticky(entry):
            return True
        return entry.recursion_delay <= self._open_delay and not entry.exclude_recursion

    def _reject_candidate(self, candidate: LoreCandidate) -> bool:
        rejection = check_preconditions(
            candidate.entry, candidate.source, request=self._request, timers=self._timers
        )
        if rejection is not None:
            self._rejected.append((candidate, rejection))
        return rejection is not None


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
    read = (warning for book in books for warning in _list_file_warnings(book.book))
    scanned = (warning for book_scan in scans for warning in book_scan.warnings)
    return LoreScan(active, selection.list_cuts(), timers.timers, (*read, *scanned))


def _list_file_warnings(book: Worldbook) -> Iterator[LoreWarning]:
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
