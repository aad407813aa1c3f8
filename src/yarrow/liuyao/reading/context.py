"""What a reading is composed from: the judgement, its timing and the words to say it in."""

from collections.abc import Iterable
from datetime import date
from typing import Final

from msgspec import Struct

from yarrow.liuyao.derivation import Derivation
from yarrow.liuyao.five_elements import ELEMENT_OF
from yarrow.liuyao.line_state import LineState
from yarrow.liuyao.najia import POSITION_NAMES
from yarrow.liuyao.reading import judgement_rules as rules
from yarrow.liuyao.reading.judge import Judgement
from yarrow.liuyao.reading.sensitive_questions import Sensitivity
from yarrow.liuyao.reading.state_text import describe_line_state
from yarrow.liuyao.reading.strength import FocusLocation, ScoredRule
from yarrow.liuyao.reading.timing import JIE_OF, Timing, TimingMonth, find_civil_day
from yarrow.liuyao.reading.words import ReadingWords
from yarrow.liuyao.reading.words_en import EN
from yarrow.liuyao.stems_branches import Branch


class Statement(Struct, frozen=True):
    """One thing said, the rules it follows and the lines it rests on."""

    text: str
    rules: tuple[str, ...]
    lines: tuple[int, ...]


class ReadingContext(Struct, frozen=True):
    """A judged board, and the names of its parts as sentences use them."""

    derivation: Derivation
    judgement: Judgement
    timing: Timing
    words: ReadingWords
    sensitivity: Sensitivity

    @property
    def label(self) -> str:
        """用神 as a line is named; one that is not on the board by where it was found."""
        focus, name = self.judgement.focus, self.focus_name
        match focus.place:
            case FocusLocation.LINE:
                return POSITION_NAMES[focus.position - 1] + name
            case FocusLocation.DAY:
                return f"日辰{name}"
            case FocusLocation.MONTH:
                return f"月建{name}"
            case FocusLocation.CHANGED:
                return f"变爻{name}"
            case FocusLocation.HIDDEN:
                return name

    @property
    def focus_name(self) -> str:
        """Kin, branch and element of 用神."""
        focus = self.judgement.focus
        return f"{focus.relation}{focus.branch}{focus.element}"

    @property
    def cover_label(self) -> str:
        """The visible line at the place of 用神."""
        return self.derivation.situation.lines[self.judgement.focus.position - 1].base.label

    @property
    def month_branch(self) -> str:
        """月建 with its element, such as 辰土."""
        branch = self.derivation.pillars.month.branch
        return branch + ELEMENT_OF[branch]

    @property
    def day_branch(self) -> str:
        """日辰 with its element."""
        branch = self.derivation.pillars.day.branch
        return branch + ELEMENT_OF[branch]

    @property
    def timing_text(self) -> str:
        return self.timing.rule.en if self.words is EN else self.timing.rule.zh

    @property
    def is_english(self) -> bool:
        return self.words is EN

    def describe(self, state: LineState) -> str:
        """The state of a line in prose."""
        return describe_line_state(
            state, month=self.month_branch, day=self.day_branch, english=self.is_english
        )


# Chinese phrases without a subject: beside a phrase about another line they need one.
_ABOUT_FOCUS: Final = (
    "临", "泄", "囚", "逢", "月破", "月令", "与", "动", "入墓", "绝", "旬空", "旺而", "自身",
)  # fmt: skip


def word_rule(context: ReadingContext, point: ScoredRule) -> str:
    """A rule in words, as it applies here."""
    template = point.rule.en if context.is_english else point.rule.zh
    state = context.judgement.focus.state
    stirred = (
        bool(point.actor) and not context.derivation.situation.lines[point.lines[0] - 1].moving
    )
    moves = "is stirred (暗动)" if stirred else "moves"
    if not context.is_english and template.startswith(_ABOUT_FOCUS):
        template = f"用神{template}"
    return template.format(
        actor=point.actor,
        month=context.month_branch,
        day=context.day_branch,
        motion="暗动" if stirred else "动",
        moves=moves,
        hurt="冲破" if state.break_kind else "克",
        strike=_name_strike(state),
        opened=_explain_opening(context) if point.rule is rules.OVER_OPENS else "",
    )


def _explain_opening(context: ReadingContext) -> str:
    """Why 飞神 lets the hidden line out."""
    over = context.derivation.situation.lines[context.judgement.focus.position - 1]
    causes = (over.moving, over.state.break_kind, over.state.void_kind, over.state.day_clash)
    first = next(index for index, cause in enumerate(causes) if cause)
    return context.words.opened[first]


def _name_strike(state: LineState) -> str:
    """What the day does to a line without root; a clash within an element controls nothing."""
    if state.day_clash:
        return "冲克" if state.day == "克" else "冲破"
    return "克"


def name_day(context: ReadingContext, day: date, branch: Branch) -> str:
    """A day by its branch and its date."""
    return context.words.timing_day.format(
        branch=branch, year=day.year, month=day.month, day=day.day
    )


def name_months(context: ReadingContext, months: Iterable[TimingMonth]) -> str:
    """The months with their first day; the one that the cast is in with its last."""
    today, words = find_civil_day(context.derivation), context.words
    # On the day of a 节 the month before it lasts until its moment.
    present = context.derivation.pillars.month.branch
    return words.pause.join(
        _name_month(words.timing_this_month, month, month.end)
        if month.branch == present and month.start <= today <= month.end
        else _name_month(words.timing_month, month, month.start)
        for month in months
    )


def _name_month(template: str, month: TimingMonth, day: date) -> str:
    jie = JIE_OF[month.branch]
    return template.format(
        branch=month.branch, jie=jie, year=day.year, month=day.month, day=day.day
    )
