"""What a reading is composed from: the judgement, its timing and the words to say it in."""

from dataclasses import dataclass

from yarrow.liuyao.derivation import Derivation
from yarrow.liuyao.hexagrams import PLACES
from yarrow.liuyao.reading.care import Care
from yarrow.liuyao.reading.judge import Judgement
from yarrow.liuyao.reading.strength import Point
from yarrow.liuyao.reading.timing import Timing
from yarrow.liuyao.reading.words import ReadingWords
from yarrow.liuyao.reading.words_en import EN
from yarrow.liuyao.symbols import ELEMENT_OF


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing said, the rules it follows and the lines it rests on."""

    text: str
    rules: tuple[str, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    derivation: Derivation
    judgement: Judgement
    timing: Timing
    words: ReadingWords
    care: Care

    @property
    def label(self) -> str:
        """用神 as a line is named; a hidden one has no place of its own."""
        focus = self.judgement.focus
        name = f"{focus.relation}{focus.branch}{focus.element}"
        return name if self.judgement.hidden else PLACES[focus.position - 1] + name

    @property
    def over(self) -> str:
        """The visible line at the place of 用神."""
        return self.derivation.situation.lines[self.judgement.focus.position - 1].seat.label

    @property
    def month(self) -> str:
        branch = self.derivation.pillars.month.branch
        return branch + ELEMENT_OF[branch]

    @property
    def day(self) -> str:
        branch = self.derivation.pillars.day.branch
        return branch + ELEMENT_OF[branch]

    @property
    def timing_text(self) -> str:
        return self.timing.rule.en if self.words is EN else self.timing.rule.zh


def phrase(scene: Scene, point: Point) -> str:
    """A rule in words, as it applies here."""
    template = point.rule.en if scene.words is EN else point.rule.zh
    return template.format(actor=point.actor, month=scene.month, day=scene.day)
