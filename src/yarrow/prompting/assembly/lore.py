"""Where active lore goes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from yarrow.prompting.assembly.parts import (
    WORLDBOOK,
    ChatInsertion,
    PromptBlock,
    SourceText,
    TrimStage,
)
from yarrow.prompting.model import PromptRole
from yarrow.prompting.preset.model import ChatPosition
from yarrow.prompting.worldbook import ActiveEntry, CutReason, LorePosition, entry_place


def texts_by_position(
    active: Sequence[ActiveEntry], position: LorePosition
) -> tuple[SourceText, ...]:
    """The entries of one position, in the order of the text."""
    return tuple(
        _source_text(number, one)
        for number, one in enumerate(active)
        if one.entry.position is position
    )


def depth_insertions(active: Sequence[ActiveEntry]) -> list[ChatInsertion]:
    """Entries for a depth; those of one depth and role stand together."""
    groups: dict[tuple[int, PromptRole], list[SourceText]] = {}
    for number, one in enumerate(active):
        if one.entry.position is LorePosition.AT_DEPTH:
            key = (max(0, one.entry.depth), one.entry.role)
            groups.setdefault(key, []).append(_source_text(number, one))
    return [
        ChatInsertion(ChatPosition(depth), PromptBlock(role, WORLDBOOK, tuple(texts)))
        for (depth, role), texts in groups.items()
    ]


def join_outlet_texts(active: Sequence[ActiveEntry]) -> dict[str, str]:
    """Texts that stand only where `{{outlet::name}}` asks for them."""
    found: dict[str, list[str]] = {}
    for one in active:
        if one.entry.position is LorePosition.OUTLET:
            found.setdefault(one.entry.outlet_name, []).append(one.entry.content)
    return {name: "\n".join(texts) for name, texts in found.items()}


class OutletTexts(Mapping[str, str]):
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


def _source_text(number: int, active: ActiveEntry) -> SourceText:
    return SourceText(
        text=active.entry.content,
        place=entry_place(active.source, active.entry),
        lore=number,
        stage=TrimStage.LORE,
        rank=active.entry.order,
    )


@dataclass(frozen=True, slots=True)
class DroppedLore:
    """Why an active entry is not in the prompt."""

    reason: CutReason
    detail: str


def find_dropped(
    lore: Sequence[ActiveEntry],
    *,
    cut: Collection[int | None],
    placed: Collection[int],
    outlets: Collection[str],
) -> dict[int, DroppedLore]:
    """The active entries that are not sent, by their numbers."""
    found: dict[int, DroppedLore] = {}
    for number, active in enumerate(lore):
        if number in cut:
            found[number] = DroppedLore(CutReason.BUDGET, "the prompt was longer than its budget")
        elif not _has_place(number, active, placed=placed, outlets=outlets):
            found[number] = DroppedLore(
                CutReason.NO_PLACE, missing_place_detail(active.entry.position)
            )
    return found


def missing_place_detail(position: LorePosition) -> str:
    if position is LorePosition.OUTLET:
        return "no text of the prompt asks for the outlet"
    return f"the prompt has no place for lore at {position}"


def _has_place(
    number: int, active: ActiveEntry, *, placed: Collection[int], outlets: Collection[str]
) -> bool:
    if active.entry.position is LorePosition.OUTLET:
        return active.entry.outlet_name in outlets
    return number in placed
