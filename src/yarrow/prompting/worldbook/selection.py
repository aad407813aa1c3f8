"""Who of the entries that came up gets into the prompt: groups, dice, budget."""

from collections import Counter
from collections.abc import Collection, Sequence
from random import Random

from yarrow.prompting.macros import has_macros
from yarrow.prompting.worldbook.candidates import EntryRejection, LoreCandidate, entry_place
from yarrow.prompting.worldbook.request import (
    ActivationMode,
    ActiveEntry,
    CutEntry,
    CutReason,
    ScanRequest,
    ScanTools,
)


def group_losers(
    found: Sequence[LoreCandidate], *, taken: Collection[str], seed: str
) -> dict[LoreCandidate, str]:
    """Who must leave, with the reason; `taken` are the groups that have an active entry.

    What needs no draw is settled first in all groups: nobody loses to one who must leave anyway.
    """
    groups: dict[str, list[LoreCandidate]] = {}
    for candidate in found:
        for name in candidate.entry.groups:
            groups.setdefault(name, []).append(candidate)
    out: dict[LoreCandidate, str] = {}
    for name, members in groups.items():
        out.update(_block_members(name, members, taken=name in taken))
    for name, members in groups.items():
        present = [member for member in members if member not in out]
        if not any(map(_is_sticky, present)):
            out.update(_pick_winner(name, present, seed=f"{seed}:group:{name}"))
    return out


def _block_members(
    name: str, members: Sequence[LoreCandidate], *, taken: bool
) -> dict[LoreCandidate, str]:
    sticky = [member for member in members if _is_sticky(member)]
    if sticky:
        return _reject_others(sticky, members, f"group {name} has a sticky entry")
    return _reject_others([], members, f"group {name} is active already") if taken else {}


def _pick_winner(
    name: str, members: Sequence[LoreCandidate], *, seed: str
) -> dict[LoreCandidate, str]:
    out: dict[LoreCandidate, str] = {}
    if any(member.scored for member in members):
        best = max(member.score for member in members)
        kept = [member for member in members if member.score == best or not member.scored]
        out = _reject_others(
            kept, members, f"another entry of group {name} has more keys in the text"
        )
        members = kept
    if len(members) > 1:
        winner = _draw_winner(members, seed=seed)
        out |= _reject_others([winner], members, f"group {name} went to entry {winner.entry.uid}")
    return out


def _is_sticky(member: LoreCandidate) -> bool:
    return member.mode is ActivationMode.STICKY


def _draw_winner(members: Sequence[LoreCandidate], *, seed: str) -> LoreCandidate:
    """The one with precedence and the highest order, else a draw by weight."""
    preferred = [member for member in members if member.entry.group_override]
    weights = [member.entry.group_weight for member in members]
    if preferred or not any(weights):
        return min(preferred or members, key=lambda member: member.rank)
    return Random(seed).choices(members, weights)[0]


def _reject_others(
    kept: Sequence[LoreCandidate], members: Sequence[LoreCandidate], why: str
) -> dict[LoreCandidate, str]:
    return {member: why for member in members if member not in kept}


class LoreSelection:
    """The prompt's share of lore, filled pass after pass. What was refused stays refused."""

    def __init__(self, request: ScanRequest, tools: ScanTools) -> None:
        self._request, self._tools = request, tools
        self._admitted: list[tuple[LoreCandidate, int]] = []
        self._cut: list[CutEntry] = []
        self._groups: set[str] = set()
        self._used = 0
        self.full = False
        self.active: Counter[int] = Counter()
        """How many entries of each book are in."""

    def admit(self, found: Sequence[LoreCandidate]) -> list[str]:
        """Let in what may enter; the contents of those that may trigger others."""
        out = group_losers(found, taken=self._groups, seed=self._request.seed)
        echoes = []
        for item in sorted(found, key=lambda item: item.rank):
            content = self._content(item)
            tokens = self._tools.count(content)
            refusal = self._refusal(item, tokens, lost_to=out.get(item))
            if refusal is not None:
                self._leave_out(item, refusal, tokens)
                continue
            self._let_in(item, tokens)
            if item.echoes and content:
                echoes.append(content)
        return echoes

    def bar(self, item: LoreCandidate, barrier: EntryRejection) -> None:
        """Note an entry that was kept out before it came here."""
        self._leave_out(item, barrier, self._tools.count(self._content(item)))

    def entries(self) -> tuple[ActiveEntry, ...]:
        """All that are in, in the order of the text."""
        ordered = sorted(self._admitted, key=lambda pair: pair[0].text_place)
        return tuple(
            ActiveEntry(
                entry=item.entry,
                source=item.source,
                mode=item.mode,
                recursion_level=item.level,
                first_match=item.first_match,
                tokens=tokens,
            )
            for item, tokens in ordered
        )

    def cut(self) -> tuple[CutEntry, ...]:
        return tuple(self._cut)

    def _refusal(
        self, item: LoreCandidate, tokens: int, *, lost_to: str | None
    ) -> EntryRejection | None:
        if lost_to is not None:
            return EntryRejection(CutReason.GROUP, lost_to)
        return self._unlucky(item) or self._too_much(item, tokens)

    def _unlucky(self, item: LoreCandidate) -> EntryRejection | None:
        wanted = item.entry.probability
        if wanted >= 100 or item.mode is ActivationMode.STICKY:
            return None
        place = entry_place(item.source, item.entry)
        rolled = Random(f"{self._request.seed}:probability:{place}").random() * 100
        if rolled < wanted:
            return None
        return EntryRejection(
            CutReason.PROBABILITY, f"rolled {rolled:.0f}, needs less than {wanted:g}"
        )

    def _too_much(self, item: LoreCandidate, tokens: int) -> EntryRejection | None:
        """Once the budget is reached, only entries that ignore it get in."""
        budget = self._request.budget_tokens
        if budget is None or item.entry.ignore_budget:
            return None
        self.full = self.full or self._used + tokens >= budget
        if not self.full:
            return None
        return EntryRejection(CutReason.BUDGET, f"{tokens} tokens beside {self._used} of {budget}")

    def _let_in(self, item: LoreCandidate, tokens: int) -> None:
        self._admitted.append((item, tokens))
        self._groups.update(item.entry.groups)
        self._used += tokens
        self.active[item.book] += 1

    def _leave_out(self, item: LoreCandidate, barrier: EntryRejection, tokens: int) -> None:
        cut = CutEntry(item.entry, item.source, barrier.reason, barrier.detail, tokens)
        self._cut.append(cut)

    def _content(self, item: LoreCandidate) -> str:
        content = item.entry.content
        if not has_macros(content):
            return content
        return self._tools.peek(content, entry_place(item.source, item.entry))
