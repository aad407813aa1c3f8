"""Place active lore entries, and find those that are not in the prompt."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from yarrow.prompting.assembly.parts import (
    WORLDBOOK,
    ChatInsertion,
    PromptBlock,
    SourceText,
    TrimStage,
)
from yarrow.prompting.model import PromptRole
from yarrow.prompting.preset.model import ChatPosition
from yarrow.prompting.worldbook import ActiveEntry, CutReason, LorePosition, name_entry_place


def list_texts_by_position(
    active: Sequence[ActiveEntry], position: LorePosition
) -> tuple[SourceText, ...]:
    """Return the entries of one position, in text order."""
    return tuple(
        _build_source_text(number, item)
        for number, item in enumerate(active)
        if item.entry.position is position
    )


def build_depth_insertions(active: Sequence[ActiveEntry]) -> list[ChatInsertion]:
    """Build insertions for entries at a depth; entries of one depth and role share a block."""
    groups: dict[tuple[int, PromptRole], list[SourceText]] = {}
    for number, item in enumerate(active):
        if item.entry.position is LorePosition.AT_DEPTH:
            key = (max(0, item.entry.depth), item.entry.role)
            groups.setdefault(key, []).append(_build_source_text(number, item))
    return [
        ChatInsertion(ChatPosition(depth), PromptBlock(role, WORLDBOOK, tuple(texts)))
        for (depth, role), texts in groups.items()
    ]


def join_outlet_texts(active: Sequence[ActiveEntry]) -> dict[str, str]:
    """Join the entries of each outlet; they appear only where `{{outlet::name}}` does."""
    contents: dict[str, list[str]] = {}
    for item in active:
        if item.entry.position is LorePosition.OUTLET:
            contents.setdefault(item.entry.outlet_name, []).append(item.entry.content)
    return {name: "\n".join(texts) for name, texts in contents.items()}


class OutletTexts(Mapping[str, str]):
    """Texts by outlet name; records in `used` which were read."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self.used: list[str] = []

    def __getitem__(self, name: str) -> str:
        text = self._texts[name]
        self.used.append(name)
        return text

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def _build_source_text(number: int, active: ActiveEntry) -> SourceText:
    return SourceText(
        text=active.entry.content,
        place=name_entry_place(active.source, active.entry),
        lore=number,
        stage=TrimStage.LORE,
        rank=active.entry.order,
        depth=active.entry.depth if active.entry.position is LorePosition.AT_DEPTH else None,
    )


class DroppedLore(Struct, frozen=True):
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
    """Return the active entries that are not in the prompt, by number.

    `cut` were trimmed, `placed` have a place in the layout, `outlets` were used.
    """
    dropped: dict[int, DroppedLore] = {}
    for number, active in enumerate(lore):
        if number in cut:
            dropped[number] = DroppedLore(CutReason.BUDGET, "the prompt was longer than its budget")
        elif not _has_place(number, active, placed=placed, outlets=outlets):
            dropped[number] = DroppedLore(
                CutReason.NO_PLACE, _explain_missing_place(active.entry.position)
            )
    return dropped


def _explain_missing_place(position: LorePosition) -> str:
    if position is LorePosition.OUTLET:
        return "no text of the prompt asks for the outlet"
    return f"the prompt has no place for lore at {position}"


def _has_place(
    number: int, active: ActiveEntry, *, placed: Collection[int], outlets: Collection[str]
) -> bool:
    if active.entry.position is LorePosition.OUTLET:
        return active.entry.outlet_name in outlets
    return number in placed
