"""Select the active entries among the candidates, and put them in order.

An entry may lose to its group, to its probability or to the token budget.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from random import Random

from yarrow.prompting.macros import has_macros
from yarrow.prompting.worldbook.candidates import EntryRejection, LoreCandidate, name_entry_place
from yarrow.prompting.worldbook.request import (
    ActivationMode,
    ActiveEntry,
    CutEntry,
    CutReason,
    ScanRequest,
    ScanTools,
)


def _make_selection_key(candidate: LoreCandidate) -> tuple[bool, int, int, int]:
    """Sticky entries are selected first, then those of a higher order."""
    is_other = candidate.mode is not ActivationMode.STICKY
    return is_other, -candidate.entry.order, candidate.book, candidate.index


def _make_text_key(candidate: LoreCandidate) -> tuple[int, int, int]:
    """In the prompt the lower order comes first: models weigh the last text most."""
    return candidate.entry.order, candidate.book, candidate.index


def find_group_losers(
    candidates: Sequence[LoreCandidate], *, active_groups: Collection[str], seed: str
) -> dict[LoreCandidate, str]:
    """Return the members of inclusion groups that lose, with the reason.

    `active_groups` already have an active entry. Everything but the draw is decided first in all
    groups: nobody loses a draw to a member that is out anyway.
    """
    groups: dict[str, list[LoreCandidate]] = {}
    for candidate in candidates:
        for name in candidate.entry.groups:
            groups.setdefault(name, []).append(candidate)
    losers: dict[LoreCandidate, str] = {}
    for name, members in groups.items():
        losers.update(_find_blocked_members(name, members, is_active=name in active_groups))
    for name, members in groups.items():
        present = [member for member in members if member not in losers]
        if not any(map(_is_sticky, present)):
            losers.update(_pick_winner(name, present, seed=f"{seed}:group:{name}"))
    return losers


def _find_blocked_members(
    name: str, members: Sequence[LoreCandidate], *, is_active: bool
) -> dict[LoreCandidate, str]:
    sticky = [member for member in members if _is_sticky(member)]
    if sticky:
        return _reject_others(sticky, members, f"group {name} has a sticky entry")
    return _reject_others([], members, f"group {name} is active already") if is_active else {}


def _pick_winner(
    name: str, members: Sequence[LoreCandidate], *, seed: str
) -> dict[LoreCandidate, str]:
    losers: dict[LoreCandidate, str] = {}
    if any(member.is_scored for member in members):
        best = max(member.score for member in members)
        remaining = [member for member in members if member.score == best or not member.is_scored]
        losers = _reject_others(
            remaining, members, f"another entry of group {name} has more keys in the text"
        )
        members = remaining
    if len(members) > 1:
        winner = _draw_winner(members, seed=seed)
        losers |= _reject_others(
            [winner], members, f"group {name} went to entry {winner.entry.uid}"
        )
    return losers


def _is_sticky(member: LoreCandidate) -> bool:
    return member.mode is ActivationMode.STICKY


def _draw_winner(members: Sequence[LoreCandidate], *, seed: str) -> LoreCandidate:
    """Return the preferred member of the highest order, or draw by weight."""
    preferred = [member for member in members if member.entry.group_override]
    weights = [member.entry.group_weight for member in members]
    if preferred or not any(weights):
        return min(preferred or members, key=_make_selection_key)
    return Random(seed).choices(members, weights)[0]


def _reject_others(
    remaining: Sequence[LoreCandidate], members: Sequence[LoreCandidate], reason: str
) -> dict[LoreCandidate, str]:
    return {member: reason for member in members if member not in remaining}


class LoreSelection:
    """The active entries, collected pass by pass. A rejected entry stays rejected."""

    def __init__(self, request: ScanRequest, tools: ScanTools) -> None:
        self._request, self._tools = request, tools
        self._selected: list[tuple[LoreCandidate, int]] = []
        self._cut: list[CutEntry] = []
        self._groups: set[str] = set()
        self._tokens_used = 0
        self.is_full = False
        self.active_count: Counter[int] = Counter()
        """How many entries of each book are in."""

    def select(self, candidates: Sequence[LoreCandidate]) -> list[str]:
        """Activate the candidates that pass; return contents that may trigger other entries."""
        losers = find_group_losers(candidates, active_groups=self._groups, seed=self._request.seed)
        recursion_texts = []
        for candidate in sorted(candidates, key=_make_selection_key):
            content = self._expand_content(candidate)
            tokens = self._tools.count(content)
            rejection = self._check_candidate(candidate, tokens, lost_because=losers.get(candidate))
            if rejection is not None:
                self._record_cut(candidate, rejection, tokens)
                continue
            self._add_candidate(candidate, tokens)
            if candidate.feeds_recursion and content:
                recursion_texts.append(content)
        return recursion_texts

    def reject(self, candidate: LoreCandidate, rejection: EntryRejection) -> None:
        """Record an entry that was rejected before selection."""
        self._record_cut(candidate, rejection, self._tools.count(self._expand_content(candidate)))

    def list_active(self) -> tuple[ActiveEntry, ...]:
        """Return all active entries in the order of their texts in the prompt."""
        ordered = sorted(self._selected, key=lambda pair: _make_text_key(pair[0]))
        return tuple(_make_entry(candidate, tokens) for candidate, tokens in ordered)

    def list_cuts(self) -> tuple[CutEntry, ...]:
        return tuple(self._cut)

    def _check_candidate(
        self, candidate: LoreCandidate, tokens: int, *, lost_because: str | None
    ) -> EntryRejection | None:
        if lost_because is not None:
            return EntryRejection(CutReason.GROUP, lost_because)
        return self._check_probability(candidate) or self._check_budget(candidate, tokens)

    def _check_probability(self, candidate: LoreCandidate) -> EntryRejection | None:
        probability = candidate.entry.probability
        if probability >= 100 or candidate.mode is ActivationMode.STICKY:
            return None
        place = name_entry_place(candidate.source, candidate.entry)
        roll = Random(f"{self._request.seed}:probability:{place}").random() * 100
        if roll < probability:
            return None
        return EntryRejection(
            CutReason.PROBABILITY, f"rolled {roll:.0f}, needs less than {probability:g}"
        )

    def _check_budget(self, candidate: LoreCandidate, tokens: int) -> EntryRejection | None:
        """Reject entries that exceed the budget; once it is used up, all that do not ignore it."""
        budget = self._request.budget_tokens
        if budget is None or candidate.entry.ignore_budget:
            return None
        self.is_full = self.is_full or self._tokens_used + tokens >= budget
        if not self.is_full:
            return None
        return EntryRejection(
            CutReason.BUDGET, f"{tokens} tokens beside {self._tokens_used} of {budget}"
        )

    def _add_candidate(self, candidate: LoreCandidate, tokens: int) -> None:
        self._selected.append((candidate, tokens))
        self._groups.update(candidate.entry.groups)
        self._tokens_used += tokens
        self.active_count[candidate.book] += 1

    def _record_cut(self, candidate: LoreCandidate, rejection: EntryRejection, tokens: int) -> None:
        match = _make_entry(candidate, tokens)
        self._cut.append(CutEntry(match, rejection.reason, rejection.detail))

    def _expand_content(self, candidate: LoreCandidate) -> str:
        content = candidate.entry.content
        if not has_macros(content):
            return content
        return self._tools.peek(content, name_entry_place(candidate.source, candidate.entry))


def _make_entry(candidate: LoreCandidate, tokens: int) -> ActiveEntry:
    return ActiveEntry(
        entry=candidate.entry,
        source=candidate.source,
        mode=candidate.mode,
        recursion_level=candidate.level,
        first_match=candidate.first_match,
        tokens=tokens,
    )
