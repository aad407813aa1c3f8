"""Compute the token budget and trim a prompt to it: oldest exchanges, then examples, then lore.

The cut is estimated from the tokens of single texts and then verified on the joined messages, whose
token count is not the sum of their texts' counts.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Generic, Protocol, TypeVar

import msgspec

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
from yarrow.prompting.tokens import CountTokens

DEFAULT_CONTEXT = 8192

_SEAM = 1
"""Tokens that joining two texts may add."""

_CHARACTERS_PER_TOKEN = 8
"""More than texts have on average: a longer history is not counted as a whole."""

_COUNTED_CHARACTERS = 400_000
"""Above this length, trimmed texts are estimated instead of counted."""


class TokenAllowance(msgspec.Struct, frozen=True):
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


class TrimUnit(msgspec.Struct, frozen=True):
    """What is trimmed at once: an exchange of the history, or one text."""

    stage: TrimStage | None
    texts: tuple[str, ...]
    place: str
    turns: int = 0
    position: TextPosition | None = None
    lore: int | None = None
    has_effects: bool = False

    @property
    def key(self) -> TextKey:
        return self.place, self.lore


class FittedPrompt(msgspec.Struct, Generic[Sized], frozen=True):
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
    units = list(_units(prompt))
    cut = _estimate_cut(prompt, units, budget, count)
    sent = measure(_drop_units(prompt, units[:cut]))
    while sent.tokens > budget:
        if cut == len(units):
            raise PromptTooLarge(needed=sent.tokens, available=budget)
        cut = _extend_cut(units, cut, sent.tokens - budget, count)
        sent = measure(_drop_units(prompt, units[:cut]))
    while cut and sent.tokens + _text_tokens(units[cut - 1], count) <= budget + _SEAM:
        larger = measure(_drop_units(prompt, units[: cut - 1]))
        if larger.tokens > budget:
            break
        cut, sent = cut - 1, larger
    return FittedPrompt(_drop_units(prompt, units[:cut]), sent, tuple(units[:cut]))


def count_cut_tokens(units: Sequence[TrimUnit], count: CountTokens) -> int:
    """Count the tokens saved; an estimate if the texts are very long."""
    texts = [text for unit in units for text in unit.texts]
    if sum(map(len, texts)) > _COUNTED_CHARACTERS:
        return sum(-(-len(text) // 4) for text in texts)
    return sum(map(count, texts))


def _may_fit(prompt: ExpandedPrompt, budget: int) -> bool:
    """Whether the prompt is short enough to be worth counting as a whole."""
    characters = sum(len(turn.content) for turn in prompt.turns)
    return characters <= budget * _CHARACTERS_PER_TOKEN


def _units(prompt: ExpandedPrompt) -> Iterator[TrimUnit]:
    """Yield everything that may be trimmed, in trimming order."""
    starts = prompt.exchange_starts()
    for start, end in pairwise(starts):
        texts = tuple(turn.content for turn in prompt.turns[start:end])
        yield TrimUnit(None, texts, "history", turns=end)
    yield from trimmable_units(prompt)


def trimmable_units(prompt: ExpandedPrompt) -> list[TrimUnit]:
    """Return the texts that may be trimmed, in trimming order; history not included."""
    texts = [
        (text.source.stage, text.source.rank, _unit(text, (number, index)))
        for number, block in enumerate(prompt.blocks)
        for index, text in enumerate(block.texts)
        if text.source.stage is not TrimStage.FIXED
    ]
    return [unit for _stage, _rank, unit in sorted(texts, key=lambda item: item[:2])]


def _unit(text: ExpandedText, position: TextPosition) -> TrimUnit:
    return TrimUnit(
        stage=text.source.stage,
        texts=(text.text,),
        place=text.source.place,
        position=position,
        lore=text.source.lore,
        has_effects=text.has_effects,
    )


def _drop_units(prompt: ExpandedPrompt, units: Sequence[TrimUnit]) -> ExpandedPrompt:
    if not units:
        return prompt
    turns = max(unit.turns for unit in units)
    return prompt.drop(turns, {unit.position for unit in units if unit.position is not None})


def _estimate_cut(
    prompt: ExpandedPrompt, units: Sequence[TrimUnit], budget: int, count: CountTokens
) -> int:
    """Estimate how many units to trim if every text cost its own tokens.

    Counts from the newest unit, so a very long history is not counted beyond the budget.
    """
    left = budget - sum(_count_fixed_tokens(block, count) for block in prompt.blocks)
    left -= sum(
        count(turn.content) + _SEAM for turn in prompt.turns[prompt.exchange_starts()[-1] :]
    )
    for kept, unit in enumerate(reversed(units)):
        left -= _unit_tokens(unit, count)
        if left < 0:
            return len(units) - kept
    return 0


def _count_fixed_tokens(block: ExpandedBlock, count: CountTokens) -> int:
    fixed = [text.text for text in block.texts if text.source.stage is TrimStage.FIXED]
    return sum(count(text) + _SEAM for text in fixed)


def _extend_cut(units: Sequence[TrimUnit], cut: int, over: int, count: CountTokens) -> int:
    """Trim enough further units to save `over` tokens."""
    while cut < len(units) and over > 0:
        over -= _unit_tokens(units[cut], count)
        cut += 1
    return cut


def _unit_tokens(unit: TrimUnit, count: CountTokens) -> int:
    """Return an upper bound: a text may be joined to another, a turn never is."""
    return _text_tokens(unit, count) + (0 if unit.turns else _SEAM)


def _text_tokens(unit: TrimUnit, count: CountTokens) -> int:
    return sum(map(count, unit.texts))
