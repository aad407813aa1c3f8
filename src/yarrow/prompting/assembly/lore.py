"""Where active lore goes."""

from collections.abc import Iterator, Mapping, Sequence

from yarrow.prompting.assembly.in_chat import Injection
from yarrow.prompting.assembly.parts import WORLDBOOK, CutStage, Draft, Text
from yarrow.prompting.messages import Role
from yarrow.prompting.preset.model import InChat
from yarrow.prompting.worldbook import ActiveEntry, Position, place_of


def lore_texts(active: Sequence[ActiveEntry], position: Position) -> tuple[Text, ...]:
    """The entries of one position, in the order of the text."""
    return tuple(
        _text(number, one) for number, one in enumerate(active) if one.entry.position is position
    )


def lore_in_chat(active: Sequence[ActiveEntry]) -> list[Injection]:
    """Entries for a depth; those of one depth and role stand together."""
    groups: dict[tuple[int, Role], list[Text]] = {}
    for number, one in enumerate(active):
        if one.entry.position is Position.AT_DEPTH:
            key = (max(0, one.entry.depth), one.entry.role)
            groups.setdefault(key, []).append(_text(number, one))
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


def _text(number: int, active: ActiveEntry) -> Text:
    return Text(
        text=active.entry.content,
        place=place_of(active.source, active.entry),
        lore=number,
        stage=CutStage.LORE,
        rank=active.entry.order,
    )
