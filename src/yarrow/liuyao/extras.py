"""What a board shows beside its lines: calendar, 神煞, 卦身, texts, other hexagrams, marks."""

from functools import cache, lru_cache
from typing import Final

from msgspec import Struct

from yarrow.liuyao.almanac import SolarTerm, find_lunar_date, find_terms
from yarrow.liuyao.classic import HexagramTexts, RelatedHexagrams, find_related, find_texts
from yarrow.liuyao.derivation import Derivation
from yarrow.liuyao.five_elements import BEARING, ELEMENT_OF, Bearing, Element
from yarrow.liuyao.hexagrams import HEXAGRAMS, Hexagram
from yarrow.liuyao.najia import HexagramLine
from yarrow.liuyao.reading.asker import UNKNOWN_ASKER, KnownAsker, identify_asker
from yarrow.liuyao.reading.find_focus import find_focus
from yarrow.liuyao.reading.yong_shen import Matter, choose_topic, identify_matter
from yarrow.liuyao.shensha import StarOfDay, find_stars
from yarrow.liuyao.stems_branches import BRANCHES, Branch

ROLES: Final[dict[Bearing, str]] = {"生": "元神", "克": "忌神", "囚": "", "休": "", "扶": ""}


class BoardExtras(Struct, frozen=True):
    """`marks` are one tuple for each line from the bottom up: its role, then its states."""

    lunar_date: str
    term: SolarTerm
    next_term: SolarTerm | None
    stars: tuple[StarOfDay, ...]
    body: Branch
    texts: HexagramTexts
    related: RelatedHexagrams
    marks: tuple[tuple[str, ...], ...]


@lru_cache(maxsize=256)
def _find_matter(question_type: str, question: str, asker: KnownAsker) -> Matter:
    topic = choose_topic(question_type, question)
    known = identify_asker(question) if asker == UNKNOWN_ASKER else asker
    return identify_matter(topic, question, known)


def find_body(hexagram: Hexagram) -> Branch:
    """卦身: "阳世则从子月起,阴世还当午月生", counted from the first line up to 世."""
    world = hexagram.base_lines[hexagram.world - 1]
    return BRANCHES[((0 if world.is_yang else 6) + world.position - 1) % 12]


def find_extras(derivation: Derivation, asker: KnownAsker) -> BoardExtras:
    """Everything that is shown beside the board of a derivation."""
    cast, situation, pillars = derivation.cast, derivation.situation, derivation.pillars
    term, next_term = find_terms(cast.moment)
    return BoardExtras(
        lunar_date=find_lunar_date(cast.moment.date()),
        term=term,
        next_term=next_term,
        stars=find_stars(pillars.day.stem, pillars.day.branch, pillars.month.branch),
        body=find_body(situation.hexagram),
        texts=find_texts(situation.hexagram),
        related=find_related(situation.hexagram),
        marks=find_marks(derivation, asker),
    )


def find_marks(derivation: Derivation, asker: KnownAsker) -> tuple[tuple[str, ...], ...]:
    """Role and state of each line; roles are those of the question that was cast for.

    If the asker is unknown, the words of the question tell, as in a reading.
    """
    cast, situation = derivation.cast, derivation.situation
    focus = find_focus(situation, _find_matter(cast.question_type, cast.question, asker))
    chosen = None if focus.line is None else focus.position
    roles = _name_roles(situation.hexagram.bits, focus.element, chosen)
    return tuple(
        [role + line.state.marks for role, line in zip(roles, situation.lines, strict=True)]
    )


@cache
def _name_roles(bits: str, focus: Element, chosen: int | None) -> tuple[tuple[str, ...], ...]:
    """The role of each line, if it has one."""
    roles = [_find_role(base, focus, chosen) for base in HEXAGRAMS[bits].base_lines]
    return tuple((role,) if role else () for role in roles)


def _find_role(base: HexagramLine, focus: Element, chosen: int | None) -> str:
    if base.position == chosen:
        return "用神"
    bearing = BEARING[base.element][focus]
    # 仇神 controls 元神 and feeds 忌神: it is the element that 用神 controls.
    return "仇神" if bearing == "囚" else ROLES[bearing]


def find_positions(branches: tuple[Branch, ...], bits: str) -> tuple[int, ...]:
    """The lines of hexagram `bits` that have one of the branches."""
    return tuple(base.position for base in HEXAGRAMS[bits].base_lines if base.branch in branches)


def describe_body(body: Branch) -> str:
    return body + ELEMENT_OF[body]
