"""Compute the token budget and trim a prompt to it: oldest exchanges, then examples, then lore.

The cut is estimated from the tokens of single texts and then verified on the joined messages, whose
token count is not the sum of their texts' counts.
"""

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from yarrow.prompting.assembly.inputs import ModelFacts
from yarrow.prompting.assembly.parts import (
    ExpandedBlock,
    ExpandedPrompt,
    ExpandedText,
    TextKey,
    TextPosition,
    TrimStage,
)
from yarrow.prompting.errors import PromptTooLarge
from yarrow.prompting.policy.model import BudgetPolicy
from yarrow.prompting.tokens import CountTokens, count_total_tokens

DEFAULT_CONTEXT = 8192

_SEAM = 1
"""Tokens that joining two texts may add."""

_CHARACTERS_PER_TOKEN = 8
"""More than texts have on average: a longer history is not counted as a whole."""

_COUNTED_CHARACTERS = 400_000
"""Above this length, trimmed texts are estimated instead of counted."""


class TokenAllowance(Struct, frozen=True):
    """Tokens for the prompt, and tokens reserved for the answer."""

    max_input: int
    reserved: int

    def lore_tokens(self, percent: int) -> int:
        """Return the token budget of lore, a percentage of the context."""
        return round((self.max_input + self.reserved) * percent / 100)

    def available_for_reply(self, estimate: int) -> int:
        return max(0, self.max_input + self.reserved - estimate)


def compute_allowance(
    policy: BudgetPolicy,
    model: ModelFacts,
    *,
    preset_context: int | None,
    preset_reply: int | None,
) -> TokenAllowance:
    """Compute the allowance; the request overrides the model, the model the preset."""
    context = model.context_tokens or preset_context or DEFAULT_CONTEXT
    reply = policy.reserved_completion_tokens or model.max_output_tokens or preset_reply or 0
    reserved = min(reply, context)
    return TokenAllowance(
        max_input=policy.max_input_tokens or context - reserved, reserved=reserved
    )


class SizedPrompt(Protocol):
    """A prompt as it would be sent, with its token count."""

    @property
    def tokens(self) -> int: ...


Sized = TypeVar("Sized", bound=SizedPrompt)


class TrimUnit(Struct, frozen=True):
    """A text that is trimmed, or `parts` exchanges of the history."""

    stage: TrimStage | None
    texts: tuple[str, ...]
    place: str
    parts: int = 1
    position: TextPosition | None = None
    lore: int | None = None
    has_effects: bool = False

    @property
    def key(self) -> TextKey:
        return self.place, self.lore


class FittedPrompt(Struct, Generic[Sized], frozen=True):
    """A prompt within its budget, as it will be sent, and what was trimmed."""

    prompt: ExpandedPrompt
    sent: Sized
    cut: tuple[TrimUnit, ...]


def fit_to_budget(
    prompt: ExpandedPrompt,
    *,
    budget: int,
    count: CountTokens,
    measure: Callable[[ExpandedPrompt], Sized],
) -> FittedPrompt[Sized]:
    """Trim as little as possible; raises `PromptTooLarge` if nothing is left to trim."""
    if _may_fit(prompt, budget) and (sent := measure(prompt)).tokens <= budget:
        return FittedPrompt(prompt, sent, ())
    plan = _TrimPlan(prompt, count)
    cut = plan.estimate_cut(budget)
    sent = measure(plan.drop(cut))
    while sent.tokens > budget:
        if cut == len(plan):
            raise PromptTooLarge(needed=sent.tokens, available=budget)
        cut = plan.extend_cut(cut, sent.tokens - budget)
        sent = measure(plan.drop(cut))
    while cut and sent.tokens + plan.count_tokens(cut - 1) <= budget + _SEAM:
        larger = measure(plan.drop(cut - 1))
        if larger.tokens > budget:
            break
        cut, sent = cut - 1, larger
    return FittedPrompt(plan.drop(cut), sent, plan.list_cut(cut))


class _TrimPlan:
    """All that may be trimmed, numbered in trimming order: exchanges of the history, then texts.

    A long history has thousands of exchanges; they are numbers here, not objects.
    """

    def __init__(self, prompt: ExpandedPrompt, count: CountTokens) -> None:
        self._prompt, self._count = prompt, count
        self._starts = prompt.exchange_starts()
        self._exchanges = len(self._starts) - 1
        self._units = list_trimmable_units(prompt)

    def __len__(self) -> int:
        return self._exchanges + len(self._units)

    def count_tokens(self, number: int) -> int:
        """Count the tokens of one part."""
        if number >= self._exchanges:
            return sum(map(self._count, self._units[number - self._exchanges].texts))
        turns = self._prompt.turns[self._starts[number] : self._starts[number + 1]]
        return sum([self._count(turn.content) for turn in turns])

    def _limit_tokens(self, number: int) -> int:
        """Return an upper bound: a text may be joined to another, a turn never is."""
        return self.count_tokens(number) + (_SEAM if number >= self._exchanges else 0)

    def estimate_cut(self, budget: int) -> int:
        """Estimate how many parts to trim if every text cost its own tokens.

        Counts from the newest part, so a very long history is not counted beyond the budget.
        """
        prompt, count = self._prompt, self._count
        left = budget - sum(_count_fixed_tokens(block, count) for block in prompt.blocks)
        left -= sum(count(turn.content) + _SEAM for turn in prompt.turns[self._starts[-1] :])
        for number in reversed(range(len(self))):
            left -= self._limit_tokens(number)
            if left < 0:
                return number + 1
        return 0

    def extend_cut(self, cut: int, over: int) -> int:
        """Trim enough further parts to save `over` tokens."""
        while cut < len(self) and over > 0:
            over -= self._limit_tokens(cut)
            cut += 1
        return cut

    def drop(self, cut: int) -> ExpandedPrompt:
        """Return the prompt without its first parts."""
        if not cut:
            return self._prompt
        units = self._units[: max(0, cut - self._exchanges)]
        positions = {unit.position for unit in units if unit.position is not None}
        return self._prompt.drop(self._count_turns(cut), positions)

    def list_cut(self, cut: int) -> tuple[TrimUnit, ...]:
        """List the first parts; the exchanges among them are one unit."""
        units = self._units[: max(0, cut - self._exchanges)]
        exchanges = min(cut, self._exchanges)
        if not exchanges:
            return tuple(units)
        texts = tuple([turn.content for turn in self._prompt.turns[: self._count_turns(cut)]])
        return (TrimUnit(None, texts, "history", exchanges), *units)

    def _count_turns(self, cut: int) -> int:
        return self._starts[min(cut, self._exchanges)]


def count_cut_tokens(units: Sequence[TrimUnit], count: CountTokens) -> int:
    """Count the tokens saved; an estimate if the texts are very long."""
    texts = [text for unit in units for text in unit.texts]
    if sum(map(len, texts)) > _COUNTED_CHARACTERS:
        return sum(-(-len(text) // 4) for text in texts)
    return count_total_tokens(texts, count)


def _may_fit(prompt: ExpandedPrompt, budget: int) -> bool:
    """Whether the prompt is short enough to be worth counting as a whole."""
    left = budget * _CHARACTERS_PER_TOKEN
    for turn in reversed(prompt.turns):
        left -= len(turn.content)
        if left < 0:
            return False
    return True


def list_trimmable_units(prompt: ExpandedPrompt) -> list[TrimUnit]:
    """Return the texts that may be trimmed, in trimming order; history not included."""
    texts = [
        (text.source.stage, text.source.rank, _make_unit(text, (number, index)))
        for number, block in enumerate(prompt.blocks)
        for index, text in enumerate(block.texts)
        if text.source.stage is not TrimStage.FIXED
    ]
    return [unit for _stage, _rank, unit in sorted(texts, key=lambda item: item[:2])]


def _make_unit(text: ExpandedText, position: TextPosition) -> TrimUnit:
    return TrimUnit(
        stage=text.source.stage,
        texts=(text.text,),
        place=text.source.place,
        position=position,
        lore=text.source.lore,
        has_effects=text.has_effects,
    )


def _count_fixed_tokens(block: ExpandedBlock, count: CountTokens) -> int:
    fixed = [text.text for text in block.texts if text.source.stage is TrimStage.FIXED]
    return sum(count(text) + _SEAM for text in fixed)
