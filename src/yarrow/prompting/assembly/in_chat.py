"""Texts that stand inside the history, counted from its end."""

from collections.abc import Iterable, Sequence

import msgspec

from yarrow.prompting.assembly.parts import Draft, Part
from yarrow.prompting.messages import PromptMessage, Role
from yarrow.prompting.preset.model import InChat

# The later one stands lower, so a system text has the last word.
_ROLE_RANK = {Role.USER: 0, Role.ASSISTANT: 1, Role.SYSTEM: 2}


class Injection(msgspec.Struct, frozen=True, gc=False):
    """A draft for a place inside the history."""

    at: InChat
    draft: Draft


class Injected(msgspec.Struct, frozen=True, gc=False):
    """The same with its text ready; depth 0 is after the last message."""

    depth: int
    part: Part


def in_prompt_order(injections: Iterable[Injection]) -> list[Injection]:
    """Deepest first; then by order, role, and the order in which they were given."""
    return sorted(
        injections,
        key=lambda one: (-one.at.depth, one.at.order, _ROLE_RANK[one.draft.role]),
    )


def weave(
    turns: Sequence[PromptMessage], injected: Sequence[Injected]
) -> list[PromptMessage | Part]:
    """The history with its injections, which come in prompt order; too deep means on top."""
    woven: list[PromptMessage | Part] = []
    taken = 0
    for one in injected:
        until = max(taken, len(turns) - one.depth)
        woven.extend(turns[taken:until])
        taken = until
        woven.append(one.part)
    woven.extend(turns[taken:])
    return woven
