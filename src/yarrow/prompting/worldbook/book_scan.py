"""One book during one scan: which of its entries come up, pass after pass."""

from collections.abc import Collection, Sequence

from yarrow.prompting.worldbook.barriers import barrier
from yarrow.prompting.worldbook.compile import CompiledBook
from yarrow.prompting.worldbook.found import Barrier, Found
from yarrow.prompting.worldbook.lookout import Lookout
from yarrow.prompting.worldbook.model import Entry, LoreWarning
from yarrow.prompting.worldbook.request import CutReason, ScanRequest, ScanTools
from yarrow.prompting.worldbook.timers import TimedEffects


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
        timed: TimedEffects,
    ) -> None:
        self._compiled, self._settings = compiled, compiled.book.settings
        self._request, self._timed = request, timed
        self._lookout = Lookout(number, compiled, request=request, tools=tools, timed=timed)
        self._done: set[int] = set()
        self._held: set[int] = set()
        self._barred: list[tuple[Found, Barrier]] = []
        self._begun = False
        self._level = 0
        self._open_delay = 0
        self._heard = 0

    @property
    def warnings(self) -> list[LoreWarning]:
        return self._lookout.warnings

    def step(self, echoes: Sequence[str], *, active: int) -> list[Found] | None:
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

    def barred(self) -> list[tuple[Found, Barrier]]:
        """Entries that matched and were kept out, also those whose recursion level never came."""
        waiting = []
        for place in sorted(self._held - self._done):
            found = self._lookout.look(place, level=self._level)
            if found is not None:
                detail = f"waits for recursion level {found.entry.recursion_delay}"
                waiting.append((found, Barrier(CutReason.RECURSION_DELAY, detail)))
        return self._barred + waiting

    def _recurse(self, echoes: Sequence[str]) -> list[Found]:
        self._level += 1
        touched = self._lookout.read_echoes(echoes[self._heard :])
        self._heard = len(echoes)
        if not self._open_delay:
            self._open_delay = 1
            touched |= self._held
        return self._consider(touched, level=self._level)

    def _deepen(self) -> list[Found]:
        found: list[Found] = []
        while not found and self._lookout.depth < self._deepest():
            found = self._consider(self._lookout.read_deeper(), level=0)
        return found

    def _deepest(self) -> int:
        """How far a lack of entries may push the scan; a book that limits passes is not pushed."""
        if self._settings.max_recursion_steps:
            return 0
        messages = len(self._request.messages)
        return min(self._settings.min_activations_depth_max or messages, messages)

    def _open_next_delay(self) -> list[Found] | None:
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

    def _consider(self, places: Collection[int], *, level: int) -> list[Found]:
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

    def _is_due(self, entry: Entry) -> bool:
        """What waits for recursion and does not take part in it waits for ever."""
        if not entry.recursion_delay or self._lookout.is_sticky(entry):
            return True
        return entry.recursion_delay <= self._open_delay and not entry.exclude_recursion

    def _bars(self, item: Found) -> bool:
        barred = barrier(item.entry, item.source, request=self._request, timed=self._timed)
        if barred is not None:
            self._barred.append((item, barred))
        return barred is not None
