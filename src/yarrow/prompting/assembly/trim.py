"""Cutting a prompt to size: oldest exchanges, then examples, then the least important lore.

What to cut is guessed from the texts one by one and then checked on the messages themselves,
because a joined message does not have the sum of its parts' tokens.
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

# Where neither the model nor a preset says anything.
DEFAULT_CONTEXT = 8192


class TokenAllowance(msgspec.Struct, frozen=True):
    """Tokens for the prompt, and tokens kept free for the answer."""

    max_input: int
    reserved: int

    def lore_tokens(self, percent: int) -> int:
        """How much of the context lore may fill."""
        return round((self.max_input + self.reserved) * percent / 100)

    def available_for_reply(self, estimate: int) -> int:
        return max(0, self.max_input + self.reserved - estimate)


def compute_allowance(
    asked: BudgetPolicy,
    model: ModelFacts,
    *,
    preset_context: int | None,
    preset_reply: int | None,
) -> TokenAllowance:
    """What a prompt may use: the request first, then the model, then the preset."""
    context = model.context_tokens or preset_context or DEFAULT_CONTEXT
    wanted = asked.reserved_completion_tokens or model.max_output_tokens or preset_reply or 0
    reserved = min(wanted, context)
    return TokenAllowance(max_input=asked.max_input_tokens or context - reserved, reserved=reserved)


_SEAM = 1
"""What joining two texts may add."""

_CHARACTERS_PER_TOKEN = 8
"""More than texts have on average: a longer prompt is not counted as a whole."""

_COUNTED_CHARACTERS = 400_000
"""Beyond this, texts that are cut anyway are estimated: nobody waits for their exact number."""


class SizedPrompt(Protocol):
    """A prompt as it would be sent, with its tokens."""

    @property
    def tokens(self) -> int: ...


Sized = TypeVar("Sized", bound=SizedPrompt)


class TrimUnit(msgspec.Struct, frozen=True):
    """What is cut at once: an exchange of the history, or one piece."""

    stage: TrimStage | None
    texts: tuple[str, ...]
    place: str
    turns: int = 0
    piece: TextPosition | None = None
    lore: int | None = None
    has_effects: bool = False

    @property
    def key(self) -> TextKey:
        return self.place, self.lore


class FittedPrompt(msgspec.Struct, Generic[Sized], frozen=True):
    """A prompt that fits, as it will be sent, and what was cut for it."""

    prompt: ExpandedPrompt
    sent: Sized
    cut: tuple[TrimUnit, ...]


def fit_to_budget(
    prompt: ExpandedPrompt,
    *,
    budget: int,
    count: CountTokens,
    weigh: Callable[[ExpandedPrompt], Sized],
) -> FittedPrompt[Sized]:
    """Cut as little as possible; raises `PromptTooLarge` when nothing is left to cut."""
    if _may_fit(prompt, budget) and (sent := weigh(prompt)).tokens <= budget:
        return FittedPrompt(prompt, sent, ())
    units = list(_units(prompt))
    cut = _estimate_cut(prompt, units, budget, count)
    sent = weigh(_drop_units(prompt, units[:cut]))
    while sent.tokens > budget:
        if cut == len(units):
            raise PromptTooLarge(needed=sent.tokens, available=budget)
        cut = _extend_cut(units, cut, sent.tokens - budget, count)
        sent = weigh(_drop_units(prompt, units[:cut]))
    while cut and sent.tokens + _text_tokens(units[cut - 1], count) <= budget + _SEAM:
        larger = weigh(_drop_units(prompt, units[: cut - 1]))
        if larger.tokens > budget:
            break
        cut, sent = cut - 1, larger
    return FittedPrompt(_drop_units(prompt, units[:cut]), sent, tuple(units[:cut]))


def count_cut_tokens(units: Sequence[TrimUnit], count: CountTokens) -> int:
    """What cutting these saved; exact unless they are very long."""
    texts = [text for unit in units for text in unit.texts]
    if sum(map(len, texts)) > _COUNTED_CHARACTERS:
        return sum(-(-len(text) // 4) for text in texts)
    return sum(map(count, texts))


def _may_fit(prompt: ExpandedPrompt, budget: int) -> bool:
    """Whether counting the whole prompt is worth it."""
    characters = sum(len(turn.content) for turn in prompt.turns)
    return characters <= budget * _CHARACTERS_PER_TOKEN


def _units(prompt: ExpandedPrompt) -> Iterator[TrimUnit]:
    """Everything that may be cut, in the order of cutting."""
    starts = prompt.exchanges()
    for start, end in pairwise(starts):
        texts = tuple(turn.content for turn in prompt.turns[start:end])
        yield TrimUnit(None, texts, "history", turns=end)
    yield from trimmable_units(prompt)


def trimmable_units(prompt: ExpandedPrompt) -> list[TrimUnit]:
    """The pieces that may be cut, in the order of cutting."""
    pieces = [
        (piece.source.stage, piece.source.rank, _unit(piece, (number, at)))
        for number, part in enumerate(prompt.others)
        for at, piece in enumerate(part.pieces)
        if piece.source.stage is not TrimStage.FIXED
    ]
    return [unit for _stage, _rank, unit in sorted(pieces, key=lambda one: one[:2])]


def _unit(piece: ExpandedText, key: TextPosition) -> TrimUnit:
    return TrimUnit(
        stage=piece.source.stage,
        texts=(piece.text,),
        place=piece.source.place,
        piece=key,
        lore=piece.source.lore,
        has_effects=piece.has_effects,
    )


def _drop_units(prompt: ExpandedPrompt, units: Sequence[TrimUnit]) -> ExpandedPrompt:
    if not units:
        return prompt
    turns = max(unit.turns for unit in units)
    return prompt.without(turns, {unit.piece for unit in units if unit.piece is not None})


def _estimate_cut(
    prompt: ExpandedPrompt, units: Sequence[TrimUnit], budget: int, count: CountTokens
) -> int:
    """How many units must go if every text cost its own tokens; the newest are looked at first,
    so a very long history is not counted beyond what can be sent."""
    left = budget - sum(_fixed_tokens(part, count) for part in prompt.others)
    left -= sum(count(turn.content) + _SEAM for turn in prompt.turns[prompt.exchanges()[-1] :])
    for kept, unit in enumerate(reversed(units)):
        left -= _unit_tokens(unit, count)
        if left < 0:
            return len(units) - kept
    return 0


def _fixed_tokens(part: ExpandedBlock, count: CountTokens) -> int:
    fixed = [piece.text for piece in part.pieces if piece.source.stage is TrimStage.FIXED]
    return sum(count(text) + _SEAM for text in fixed)


def _extend_cut(units: Sequence[TrimUnit], cut: int, over: int, count: CountTokens) -> int:
    """Enough more units to save what is too much."""
    while cut < len(units) and over > 0:
        over -= _unit_tokens(units[cut], count)
        cut += 1
    return cut


def _unit_tokens(unit: TrimUnit, count: CountTokens) -> int:
    """What a unit costs at most: turns stand alone, pieces may be joined to something."""
    return _text_tokens(unit, count) + (0 if unit.turns else _SEAM)


def _text_tokens(unit: TrimUnit, count: CountTokens) -> int:
    return sum(map(count, unit.texts))
