"""Find where each stretch of the sent messages came from."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from yarrow.prompting.assembly.history import HistoryTurn
from yarrow.prompting.assembly.parts import HISTORY, ExpandedBlock, ExpandedPrompt
from yarrow.prompting.assembly.result import TextOrigin
from yarrow.prompting.model import PromptMessage, PromptRole
from yarrow.prompting.tokens import CountTokens


class _Piece(msgspec.Struct, frozen=True, gc=False):
    """One text of the prompt, in the order in which texts are sent."""

    role: PromptRole
    text: str
    place: str
    template: str | None = None
    lore: int | None = None
    turn_ids: tuple[str, ...] = ()


def locate_origins(
    prompt: ExpandedPrompt,
    turns: Sequence[HistoryTurn],
    messages: Sequence[PromptMessage],
    *,
    matches: Mapping[int, int],
    count: CountTokens,
    keeps_roles: bool,
) -> tuple[TextOrigin, ...]:
    """Find each text of the prompt in the messages; both are in the same order.

    `matches` maps the number of an active entry to its number among the matches. A text that is in
    no message (a policy dropped or rewrote it) has no origin. Where roles are kept, a text is only
    searched for in messages of its role.
    """
    origins: list[TextOrigin] = []
    first, offset = 0, 0
    for piece in _list_pieces(prompt, turns):
        for number in range(first, len(messages)):
            message = messages[number]
            if keeps_roles and message.role is not piece.role:
                continue
            start = message.content.find(piece.text, offset if number == first else 0)
            if start < 0:
                continue
            first, offset = number, start + len(piece.text)
            origins.append(
                TextOrigin(
                    message=number,
                    start=_count_units(message.content, start),
                    end=_count_units(message.content, offset),
                    place=piece.place,
                    token_count=count(piece.text),
                    template=piece.template,
                    match=None if piece.lore is None else matches.get(piece.lore),
                    turn_ids=piece.turn_ids,
                )
            )
            break
    return tuple(origins)


def _list_pieces(prompt: ExpandedPrompt, turns: Sequence[HistoryTurn]) -> Iterator[_Piece]:
    """List the texts in order. The turns of the prompt are the newest ones of the history."""
    number = len(turns) - len(prompt.turns)
    for part in prompt.iter_in_order():
        if isinstance(part, ExpandedBlock):
            for text in part.texts:
                template = text.source.text
                yield _Piece(
                    part.role,
                    text.text,
                    text.source.place,
                    None if template == text.text else template,
                    text.source.lore,
                )
        else:
            yield _Piece(part.role, part.content, HISTORY, turn_ids=turns[number].turn_ids)
            number += 1


def _count_units(text: str, end: int) -> int:
    """Count UTF-16 units before a position."""
    return end if text.isascii() else len(text[:end].encode("utf-16-le", "surrogatepass")) // 2
