"""One book during one scan: which of its entries come up, pass after pass."""

from collections.abc import Collection, Iterable, Sequence

from yarrow.prompting.worldbook.candidates import (
    EntryRejection,
    LoreCandidate,
    check_preconditions,
    entry_place,
)
from yarrow.prompting.worldbook.compile import (
    MACRO,
    CompiledBook,
    DeferredKeys,
    EntryPlan,
    resolve_deferred_keys,
)
from yarrow.prompting.worldbook.key_hits import KeyHits
from yarrow.prompting.worldbook.match import EntryView, KeyMatcher, RegexKeys
from yarrow.prompting.worldbook.model import (
    EntryDecorator,
    LoreEntry,
    LoreWarning,
    LoreWarningCode,
    SegmentKind,
)
from yarrow.prompting.worldbook.request import (
    ActivationMode,
    CutReason,
    FirstMatch,
    ScanRequest,
    ScanTools,
)
from yarrow.prompting.worldbook.timers import ActiveTimers, TimerKind


class EntryMatcher:
    """The texts of a turn, read with the keys of one book."""

    def __init__(
        self,
        number: int,
        compiled: CompiledBook,
        *,
        request: ScanRequest,
        tools: ScanTools,
        timed: ActiveTimers,
    ) -> None:
        self._number, self._compiled, self._timed = number, compiled, timed
        self._settings, self._source = compiled.book.settings, compiled.book.source
        self.warnings: list[LoreWarning] = []
        self._keys = self._late_keys(tools)
        self._patterns = RegexKeys(self._keys, tools.regexes, on_timeout=self._timed_out)
        self._sightings = KeyHits(request.messages, request.sources)
        self._matcher = KeyMatcher(self._sightings, self._keys, self._patterns)
        self._views: dict[tuple[int, tuple[SegmentKind, ...], bool], EntryView] = {}
        self.depth = self._settings.scan_depth

    def read(self) -> set[int]:
        """Read messages and sources; the entries that may come up."""
        self._sightings.add_reader(self._compiled.index.find, depth=self._compiled.reach)
        if self._compiled.late:
            reach = self._compiled.late_reach
            self._sightings.add_reader(self._keys.plain.find, depth=reach)
            self._sightings.add_reader(self._patterns.find, depth=reach)
        touched = self._owners(self._sightings.seen()) | self._spanning()
        return touched | self._sticky() | set(self._compiled.always)

    def read_deeper(self) -> set[int]:
        """Read one message more; the entries that it touches."""
        self.depth += 1
        return self._owners(self._sightings.deepen(self.depth))

    def read_echoes(self, texts: Iterable[str]) -> set[int]:
        """Read contents of active entries; the entries that they touch."""
        fresh: set[int] = set()
        for text in texts:
            fresh |= self._sightings.add_echo(text)
        return self._owners(fresh) | self._spanning()

    def look(self, place: int, *, level: int) -> LoreCandidate | None:
        plan = self._compiled.plans[place]
        entry = plan.entry
        if self.is_sticky(entry):
            return self._forced(place, ActivationMode.STICKY, level=level)
        if entry.constant or EntryDecorator.ACTIVATE in entry.decorators:
            return self._forced(place, ActivationMode.CONSTANT, level=level)
        match = self._matcher.match(plan, self._view(entry))
        if match is None:
            return None
        mode, first = ActivationMode.TRIGGERED, match.first
        return self._found(place, mode, level=level, first=first, score=match.score)

    def is_sticky(self, entry: LoreEntry) -> bool:
        return self._timed.running(TimerKind.STICKY, self._source, entry) is not None

    def _forced(self, place: int, mode: ActivationMode, *, level: int) -> LoreCandidate:
        plan = self._compiled.plans[place]
        score = self._matcher.score(plan, self._view(plan.entry)) if plan.entry.groups else 0
        return self._found(place, mode, level=level, first=None, score=score)

    def _found(
        self,
        place: int,
        mode: ActivationMode,
        *,
        level: int,
        first: FirstMatch | None,
        score: int,
    ) -> LoreCandidate:
        entry = self._compiled.plans[place].entry
        counts = entry.group_scoring
        return LoreCandidate(
            book=self._number,
            place=place,
            entry=entry,
            source=self._source,
            mode=mode,
            level=level,
            first_match=first,
            score=score,
            scored=self._settings.group_scoring if counts is None else counts,
            echoes=self._settings.recursive and not entry.prevent_recursion,
        )

    def _view(self, entry: LoreEntry) -> EntryView:
        """Most entries see the same, so their view is made once."""
        depth = self.depth if entry.scan_depth is None else entry.scan_depth
        wishes = (depth, entry.sources, entry.exclude_recursion)
        view = self._views.get(wishes)
        if view is None:
            echoes = self._settings.recursive and not entry.exclude_recursion
            view = EntryView(depth, (*entry.sources, SegmentKind.INJECTION), echoes)
            self._views[wishes] = view
        return view

    def _owners(self, keys: Iterable[int]) -> set[int]:
        owners = self._compiled.owners
        return {place for key in keys for place in owners[key]}

    def _spanning(self) -> set[int]:
        """Entries whose regexes may match where no single text shows a key."""
        return self._owners(self._keys.spanning)

    def _sticky(self) -> set[int]:
        uids = {
            key.uid
            for key in self._timed.kept
            if key.effect is TimerKind.STICKY and key.book == self._source.ref
        }
        plans = enumerate(self._compiled.plans) if uids else ()
        return {place for place, plan in plans if plan.entry.uid in uids}

    def _late_keys(self, tools: ScanTools) -> DeferredKeys:
        late, plans = self._compiled.late, self._compiled.plans
        texts = tuple(
            tools.peek(key.key, entry_place(self._source, plans[key.owner].entry)).strip()
            if MACRO in key.key
            else key.key
            for key in late
        )
        keys = self._compiled.resolved.get(texts)
        if keys is None:
            keys = resolve_deferred_keys(late, texts, regexes=tools.regexes)
            self._compiled.resolved.put(texts, keys)
        for key in keys.invalid:
            self._warn(LoreWarningCode.REGEX_INVALID, plans[key.owner], key.key)
        return keys

    def _timed_out(self, number: int) -> None:
        key = next(key for key in self._compiled.late if key.number == number)
        self._warn(LoreWarningCode.REGEX_TIMED_OUT, self._compiled.plans[key.owner], key.key)

    def _warn(self, code: LoreWarningCode, plan: EntryPlan, detail: str) -> None:
        self.warnings.append(LoreWarning(code, self._source, plan.entry.uid, detail))


class BookScan:
    """Each pass looks only at entries for which a new text shows a key.

    Passes go on while contents of active entries arrive (recursion), then while too few entries
    are active (one message deeper each time), then while entries wait for a later level.
    """

    def __init__(
        self,
        number: int,
        compiled: CompiledBook,
        *,
        request: ScanRequest,
        tools: ScanTools,
        timed: ActiveTimers,
    ) -> None:
        self._compiled, self._settings = compiled, compiled.book.settings
        self._request, self._timed = request, timed
        self._lookout = EntryMatcher(number, compiled, request=request, tools=tools, timed=timed)
        self._done: set[int] = set()
        self._held: set[int] = set()
        self._barred: list[tuple[LoreCandidate, EntryRejection]] = []
        self._begun = False
        self._level = 0
        self._open_delay = 0
        self._heard = 0

    @property
    def warnings(self) -> list[LoreWarning]:
        return self._lookout.warnings

    def step(self, echoes: Sequence[str], *, active: int) -> list[LoreCandidate] | None:
        """The entries that come up in the next pass; None when there is nothing left to look at.

        `echoes` are all contents that may trigger others, `active` counts this book's entries.
        """
        if not self._begun:
            self._begun = True
            return self._consider(self._lookout.read(), level=0)
        if (
            self._settings.recursive
            and self._heard < len(echoes)
            and self._may_reach(self._level + 1)
        ):
            return self._recurse(echoes)
        if active < self._settings.min_activations and self._lookout.depth < self._deepest():
            return self._deepen()
        return self._open_next_delay()

    def barred(self) -> list[tuple[LoreCandidate, EntryRejection]]:
        """Entries that matched and were kept out, also those whose recursion level never came."""
        waiting = []
        for place in sorted(self._held - self._done):
            found = self._lookout.look(place, level=self._level)
            if found is not None:
                detail = f"waits for recursion level {found.entry.recursion_delay}"
                waiting.append((found, EntryRejection(CutReason.RECURSION_DELAY, detail)))
        return self._barred + waiting

    def _recurse(self, echoes: Sequence[str]) -> list[LoreCandidate]:
        self._level += 1
        touched = self._lookout.read_echoes(echoes[self._heard :])
        self._heard = len(echoes)
        if not self._open_delay:
            self._open_delay = 1
            touched |= self._held
        return self._consider(touched, level=self._level)

    def _deepen(self) -> list[LoreCandidate]:
        found: list[LoreCandidate] = []
        while not found and self._lookout.depth < self._deepest():
            found = self._consider(self._lookout.read_deeper(), level=0)
        return found

    def _deepest(self) -> int:
        """How far a lack of entries may push the scan; a book that limits passes is not pushed."""
        if self._settings.max_recursion_steps:
            return 0
        messages = len(self._request.messages)
        return min(self._settings.min_activations_depth_max or messages, messages)

    def _open_next_delay(self) -> list[LoreCandidate] | None:
        """A level opens when the one before has nothing more to say."""
        delay = next((level for level in self._compiled.delays if level > self._open_delay), None)
        if delay is None or not self._settings.recursive:
            return None
        level = max(self._level + 1, delay)
        if not self._may_reach(level):
            return None
        self._level, self._open_delay = level, delay
        return self._consider(self._held, level=level)

    def _may_reach(self, level: int) -> bool:
        return not self._settings.max_recursion_steps or level < self._settings.max_recursion_steps

    def _consider(self, places: Collection[int], *, level: int) -> list[LoreCandidate]:
        found = []
        for place in sorted(set(places) - self._done):
            entry = self._compiled.plans[place].entry
            if not self._is_due(entry):
                self._held.add(place)
                continue
            item = self._lookout.look(place, level=level)
            if item is not None:
                self._done.add(place)
                found.append(item)
        return [item for item in found if not self._bars(item)]

    def _is_due(self, entry: LoreEntry) -> bool:
        """What waits for recursion and does not take part in it waits for ever."""
        if not entry.recursion_delay or self._lookout.is_sticky(entry):
            return True
        return entry.recursion_delay <= self._open_delay and not entry.exclude_recursion

    def _bars(self, item: LoreCandidate) -> bool:
        barred = check_preconditions(
            item.entry, item.source, request=self._request, timed=self._timed
        )
        if barred is not None:
            self._barred.append((item, barred))
        return barred is not None
