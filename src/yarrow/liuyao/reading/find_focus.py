"""Where 用神 is on a board: one of the six lines, or what stands in for a kin that none shows."""

from yarrow.liuyao.five_elements import BEARING, ELEMENT_OF, RELATION_OF, Relation
from yarrow.liuyao.reading.strength import FocusLocation, JudgedBranch, judge_line
from yarrow.liuyao.reading.yong_shen import Matter
from yarrow.liuyao.situation import CastLine, Situation, assess_hidden
from yarrow.liuyao.stems_branches import Branch


def find_focus(situation: Situation, matter: Matter) -> JudgedBranch:
    """用神 of a matter on this board."""
    return find_focus_and_cover(situation, matter)[0]


def find_focus_and_cover(
    situation: Situation, matter: Matter
) -> tuple[JudgedBranch, CastLine | None]:
    """用神, and the 飞神 above it when it is hidden."""
    if matter.focus == "世":
        return judge_line(situation.world), None
    if matter.focus == "应":
        return judge_line(situation.response), None
    candidates = [line for line in situation.lines if line.base.relation == matter.focus]
    if candidates:
        return judge_line(
            max(candidates, key=_rank_candidate) if candidates[1:] else candidates[0]
        ), None
    return _find_stand_in_line(situation, matter.focus)


def _rank_candidate(line: CastLine) -> tuple[bool, ...]:
    """Who stands for a kin that shows twice (增删卜易·两现章, 卜筮正宗·十八问答)."""
    state = line.state
    return (
        line.base.mark == "世",
        line.moving,
        state.is_month or state.is_day,
        state.day_clash == "暗动",
        bool(state.void_kind or state.break_kind),
        state.has_qi,
        line.base.mark == "应",
    )


def _find_stand_in_line(
    situation: Situation, relation: Relation
) -> tuple[JudgedBranch, CastLine | None]:
    """用神 that none of the six lines shows, in the order of the books.

    The day or the month, if one of them is that kin ("日月即是用神,不必寻伏神"); then a changed
    line ("卦中无用神,变出者可用"); then the hidden one (增删卜易·飞伏神章, 卜筮正宗·十八问答).
    """
    hidden = next(h for h in situation.hexagram.hidden if h.relation == relation)
    rulers = ((FocusLocation.DAY, situation.day.branch), (FocusLocation.MONTH, situation.month))
    for place, branch in rulers:
        if ELEMENT_OF[branch] == hidden.element:
            return _make_stand_in_branch(situation, branch, hidden.position, place), None
    for line in situation.lines:
        if line.becomes is not None and line.becomes.element == hidden.element:
            branch = line.becomes.branch
            position = line.base.position
            return _make_stand_in_branch(situation, branch, position, FocusLocation.CHANGED), None
    over = situation.lines[hidden.position - 1]
    return _make_stand_in_branch(
        situation, hidden.branch, hidden.position, FocusLocation.HIDDEN
    ), over


def _make_stand_in_branch(
    situation: Situation, branch: Branch, position: int, place: FocusLocation
) -> JudgedBranch:
    element = ELEMENT_OF[branch]
    relation = RELATION_OF[BEARING[situation.hexagram.element][element]]
    state = assess_hidden(situation, branch)
    return JudgedBranch(position, branch, element, relation, state, None, place)
