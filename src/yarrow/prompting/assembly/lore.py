"""Where active lore goes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from yarrow.prompting.assembly.parts import WORLDBOOK, CutStage, Draft, Injection, Text
from yarrow.prompting.model import Role
from yarrow.prompting.preset.model import InChat
from yarrow.prompting.worldbook import ActiveEntry, CutReason, Position, place_of


def lore_texts(active: Sequence[ActiveEntry], position: Position) -> tuple[Text, ...]:
    """The entries of one position, in the order of the text."""
    return tuple(
        _lore_text(number, one)
        for number, one in enumerate(active)
        if one.entry.position is position
    )


def lore_in_chat(active: Sequence[ActiveEntry]) -> list[Injection]:
    """Entries for a depth; those of one depth and role stand together."""
    groups: dict[tuple[int, Role], list[Text]] = {}
    for number, one in enumerate(active):
        if one.entry.position is Position.AT_DEPTH:
            key = (max(0, one.entry.depth), one.entry.role)
            groups.setdefault(key, []).append(_lore_text(number, one))
    return [
        Injection(InChat(depth), Draft(role, WORLDBOOK, tuple(texts)))
        for (depth, role), texts in groups.items()
    ]


def outlet_texts(active: Sequence[ActiveEntry]) -> dict[str, str]:
    """Texts that stand only where `{{outlet::name}}` asks for them."""
    found: dict[str, list[str]] = {}
    for one in active:
        if one.entry.position is Position.OUTLET:
            found.setdefault(one.entry.outlet_name, []).append(one.entry.content)
    return {name: "\n".join(texts) for name, texts in found.items()}


class Outlets(Mapping[str, str]):
    """Texts by outlet; remembers which of them were asked for."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self.asked: list[str] = []

    def __getitem__(self, name: str) -> str:
        text = self._texts[name]
        self.asked.append(name)
        return text

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def _lore_text(number: int, active: ActiveEntry) -> Text:
    return Text(
        text=active.entry.content,
        place=place_of(active.source, active.entry),
        lore=number,
        stage=CutStage.LORE,
        rank=active.entry.order,
    )


@dataclass(frozen=True, slots=True)
class Unsent:
    """Why an active entry is not in the prompt."""

    reason: CutReason
    detail: str


def unsent_lore(
    lore: Sequence[ActiveEntry],
    *,
    cut: Collection[int | None],
    placed: Collection[int],
    outlets: Collection[str],
) -> dict[int, Unsent]:
    """The active entries that are not sent, by their numbers."""
    found: dict[int, Unsent] = {}
    for number, active in enumerate(lore):
        if number in cut:
            found[number] = Unsent(CutReason.BUDGET, "the prompt was longer than its budget")
        elif not _has_place(number, active, placed=placed, outlets=outlets):
            found[number] = Unsent(CutReason.NO_PLACE, no_place(active.entry.position))
    return found


def no_place(position: Position) -> str:
    if position is Position.OUTLET:
        return "no text of the prompt asks for the outlet"
    return f"the prompt has no place for lore at {position}"


def _has_place(
    number: int, active: ActiveEntry, *, placed: Collection[int], outlets: Collection[str]
) -> bool:
    if active.entry.position is Position.OUTLET:
        return active.entry.outlet_name in outlets
    return number in placed
