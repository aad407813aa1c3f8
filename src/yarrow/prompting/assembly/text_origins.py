"""Find where each stretch of the sent messages came from."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from yarrow.prompting.assembly.inputs import HistoryTurn
from yarrow.prompting.assembly.parts import HISTORY, ExpandedPrompt
from yarrow.prompting.assembly.result import TextOrigin
from yarrow.prompting.model import PromptMessage, PromptRole
from yarrow.prompting.tokens import CountTokens

_Piece: TypeAlias = tuple[PromptRole, str, str, str | None, int | None, tuple[str, ...]]
"""One text of the prompt: role, text, place, template, number of its lore, ids of its turns."""


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
    contents = [message.content for message in messages]
    number, offset = 0, 0
    counted, is_plain = -1, True
    for role, text, place, template, lore, turn_ids in _list_pieces(prompt, turns):
        found, start = number, offset
        while found < len(contents):
            is_searched = not keeps_roles or messages[found].role is role
            if is_searched and (start := contents[found].find(text, start)) >= 0:
                break
            found, start = found + 1, 0
        else:
            continue
        number, offset = found, start + len(text)
        content = contents[number]
        if number != counted:
            counted = number
            is_plain = content.isascii() or _count_units(content, len(content)) == len(content)
        origins.append(
            TextOrigin(
                number,
                start if is_plain else _count_units(content, start),
                offset if is_plain else _count_units(content, offset),
                place,
                count(text),
                template,
                None if lore is None else matches.get(lore),
                turn_ids,
            )
        )
    return tuple(origins)


def shift_origins(
    origins: Sequence[TextOrigin], *, message: int, before: str
) -> tuple[TextOrigin, ...]:
    """The origins after a text was put before the content of a message."""
    units = _count_units(before, len(before))
    return tuple(
        replace(each, start=each.start + units, end=each.end + units)
        if each.message == message
        else each
        for each in origins
    )


def _list_pieces(prompt: ExpandedPrompt, turns: Sequence[HistoryTurn]) -> Iterator[_Piece]:
    """List the texts in order. The turns of the prompt are the newest ones of the history."""
    number = len(turns) - len(prompt.turns)
    for part in prompt.iter_in_order():
        if isinstance(part, PromptMessage):  # nearly always
            yield part.role, part.content, HISTORY, None, None, turns[number].turn_ids
            number += 1
        else:
            for text in part.texts:
                template = text.source.text
                changed = None if template == text.text else template
                yield part.role, text.text, text.source.place, changed, text.source.lore, ()


def _count_units(text: str, end: int) -> int:
    """Count UTF-16 units before a position."""
    return end if text.isascii() else len(text[:end].encode("utf-16-le", "surrogatepass")) // 2
