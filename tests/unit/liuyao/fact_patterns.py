# ruff: noqa: E501
"""What clauses of a Chinese reading claim: a pattern for each, and the facts that must hold."""

import re
from collections.abc import Callable

from msgspec import Struct
from tests.unit.liuyao.board_facts import (
    COMBINE,
    CONTROLS,
    ELEMENT,
    END,
    FEEDS,
    LABEL,
    LINGERS,
    NAME,
    RULER,
    TOMB,
    BoardFacts,
    FactLine,
    clash,
)

Check = Callable[["Clause"], bool]


class Clause(Struct, frozen=True):
    """A clause with the match, the board and the line it is about."""

    match: re.Match[str]
    facts: BoardFacts
    subject: FactLine
    on_board: bool

    def group(self, number: int = 1) -> str:
        return self.match.group(number)

    @property
    def month(self) -> str:
        return ELEMENT[self.facts.month]

    @property
    def day(self) -> str:
        return ELEMENT[self.facts.day]

    @property
    def day_clashes(self) -> bool:
        return clash(self.subject.branch) == self.facts.day

    @property
    def month_clashes(self) -> bool:
        return clash(self.subject.branch) == self.facts.month


def _names_month(clause: Clause) -> bool:
    return clause.group() == clause.facts.month + clause.month


def _names_day(clause: Clause) -> bool:
    return clause.group() == clause.facts.day + clause.day


def _day_helps(clause: Clause) -> bool:
    day, subject = ELEMENT[clause.facts.day], clause.subject
    feeds = day == subject.element or FEEDS[day] == subject.element
    return feeds and clash(subject.branch) != clause.facts.day


def _void(clause: Clause) -> bool:
    return clause.subject.branch in clause.facts.void


def _broken(clause: Clause) -> bool:
    return clause.month_clashes and clause.subject.branch != clause.facts.day


def _moving(clause: Clause) -> bool:
    return clause.subject.moving


def _after(clause: Clause) -> str:
    return ELEMENT[clause.subject.after]


def _deed(clause: Clause) -> bool:
    """ "X动而生之": X acts in that way, its element bears so, and its change does not undo it."""
    actor, how, what = clause.facts.at(clause.group(1)), clause.group(2), clause.group(3)
    subject = clause.subject
    if actor.moving != (how == "动") or not clause.facts.acts(actor):
        return False
    if what == "克" and clause.facts.undone(actor):
        return False
    return {
        "生": FEEDS[actor.element] == subject.element,
        "克": CONTROLS[actor.element] == subject.element,
        "扶": actor.element == subject.element and clash(actor.branch) != subject.branch,
        "冲": clash(actor.branch) == subject.branch,
        "泄": FEEDS[subject.element] == actor.element,
    }[what]


def _spent(clause: Clause) -> bool:
    side, actor, how = clause.group(1), clause.facts.at(clause.group(2)), clause.group(3)
    if actor.moving != (how == "动") or not clause.facts.acts(actor):
        return False
    table = FEEDS if side == "元神" else CONTROLS
    return table[actor.element] == clause.subject.element


def _both_act(clause: Clause) -> bool:
    acting = [line for line in clause.facts.lines if clause.facts.acts(line)]
    feeds = any(FEEDS[line.element] == clause.subject.element for line in acting)
    return feeds and any(CONTROLS[line.element] == clause.subject.element for line in acting)


def _over(clause: Clause) -> FactLine:
    return clause.facts.lines[clause.subject.position - 1]


def _opened(clause: Clause) -> bool:
    over, facts = _over(clause), clause.facts
    return {
        "发动": over.moving,
        "逢月破": clash(over.branch) == facts.month,
        "旬空": over.branch in facts.void,
        "逢日冲": clash(over.branch) == facts.day,
    }[clause.group()]


def _special(*marks: str) -> Check:
    return lambda clause: any(mark in clause.facts.special for mark in marks)


def _special_ends(mark: str) -> Check:
    return lambda clause: any(one.endswith(mark) for one in clause.facts.special)


def _motion(clause: Clause) -> bool:
    line = clause.facts.at(clause.group(1))
    return line.moving if clause.group(2) == "发动" else clause.facts.stirred(line)


def find_labels(text: str) -> list[str]:
    return re.findall(LABEL, text)


def _still(clause: Clause) -> bool:
    return True


def _world_of(clause: Clause) -> FactLine:
    return clause.facts.world


def _bears(
    table: dict[str, str], a: Callable[[Clause], FactLine], b: Callable[[Clause], FactLine]
) -> Check:
    return lambda clause: table[a(clause).element] == b(clause).element


def _subject(clause: Clause) -> FactLine:
    return clause.subject


def _response(clause: Clause) -> FactLine:
    return clause.facts.response


def _same(a: Callable[[Clause], FactLine], b: Callable[[Clause], FactLine]) -> Check:
    return lambda clause: a(clause).element == b(clause).element


def _weak(facts: BoardFacts, line: FactLine) -> bool:
    day = ELEMENT[facts.day]
    helps = (day == line.element or FEEDS[day] == line.element) and clash(line.branch) != facts.day
    return not (facts.has_qi(line) or line.branch == facts.day or helps)


def _is_unaided(clause: Clause) -> bool:
    """Whether neither month nor day helps the world line, or the month breaks it."""
    facts, world = clause.facts, clause.facts.world
    broken = clash(world.branch) == facts.month and world.branch != facts.day
    return broken or _weak(facts, world)


def _all_act(clause: Clause) -> bool:
    """ "A、B暗动" or "A发动、B暗动": each of them does what is said of it."""
    text, facts = clause.match.group(), clause.facts
    said = re.findall(rf"({LABEL})(发动|暗动)?", text)
    how = clause.group(2)
    return all(
        facts.at(label).moving if (motion or how) == "发动" else facts.stirred(facts.at(label))
        for label, motion in said
    )


def _is_side(clause: Clause, table: dict[str, str]) -> bool:
    """元神 feeds the element of 用神, 忌神 controls it; kin are named by the palace."""
    kin = {line.relation: line.element for line in clause.facts.lines}
    for hidden in clause.facts.hidden:
        kin[hidden["relationName"]] = hidden["elementName"]
    return table[kin[clause.group()]] == clause.subject.element


PATTERNS: list[tuple[str, Check]] = [
    # the month
    (rf"临月建{RULER}(?:当令)?", lambda c: _names_month(c) and c.subject.branch == c.facts.month),
    (rf"(?:得月建{RULER}扶|月建{RULER}扶之)", lambda c: c.month == c.subject.element and not c.month_clashes),
    (rf"(?:得月建{RULER}生|月建{RULER}生之)", lambda c: FEEDS[c.month] == c.subject.element),
    (rf"月令尚存余气|于月建{RULER}尚存余气", lambda c: (c.subject.element, c.facts.month) in LINGERS),
    (rf"泄气于月建(?:而休|{RULER})", lambda c: FEEDS[c.subject.element] == c.month),
    (rf"囚于月(?:令|建{RULER})", lambda c: CONTROLS[c.subject.element] == c.month),
    (rf"(?:受月建{RULER}克|月建{RULER}克之)", lambda c: CONTROLS[c.month] == c.subject.element),
    (rf"月建{RULER}冲破之", lambda c: _names_month(c) and _broken(c)),
    (r"逢月破而无救", lambda c: _broken(c) and not c.subject.moving and not c.facts.helped(c.subject)),
    (r"逢?月破", _broken),
    (r"旬空", _void),
    (r"入墓", lambda c: TOMB.get(c.subject.element) in {c.facts.day, c.subject.after}),
    (r"出月方可用", lambda c: _broken(c) and (c.subject.moving or c.facts.helped(c.subject))),
    (r"逢月破而动", lambda c: _broken(c) and c.subject.moving),
    (r"逢月破而有扶", lambda c: _broken(c) and c.facts.helped(c.subject)),
    (rf"月建{RULER}冲而临日不破|月破而临日|不作破论", lambda c: c.month_clashes and c.subject.branch == c.facts.day),
    (rf"与月建{RULER}相合", lambda c: COMBINE[c.subject.branch] == c.facts.month),
    # the day
    (rf"临日辰{RULER}(?:得力)?", lambda c: _names_day(c) and c.subject.branch == c.facts.day),
    (rf"(?:得日辰{RULER}扶|日辰{RULER}扶之)", lambda c: c.day == c.subject.element and not c.day_clashes),
    (rf"(?:得日辰{RULER}生|日辰{RULER}生之)", lambda c: FEEDS[c.day] == c.subject.element and not c.day_clashes),
    (rf"泄气于日辰(?:{RULER})?", lambda c: FEEDS[c.subject.element] == c.day),
    (rf"于日辰(?:{RULER})?无助", lambda c: CONTROLS[c.subject.element] == c.day and not c.day_clashes),
    (rf"(?:受日辰{RULER}克|日辰{RULER}又?克之)", lambda c: CONTROLS[c.day] == c.subject.element and not c.day_clashes),
    (rf"日辰{RULER}又冲克之", lambda c: c.day_clashes and CONTROLS[c.day] == c.subject.element),
    (rf"日辰{RULER}又冲破之", lambda c: c.day_clashes),
    (rf"(?:日辰{RULER}冲之而暗动|被日辰{RULER}冲而暗动)", lambda c: c.facts.stirred(c.subject)),
    (rf"(?:日辰{RULER}冲破之|被日辰{RULER}冲破)",
     lambda c: c.day_clashes and not c.subject.moving and not c.facts.stirred(c.subject) and not _void(c)),
    (rf"动而(?:被日辰{RULER}冲散|逢日辰{RULER}冲)", lambda c: c.subject.moving and c.day_clashes),
    (rf"旬空逢(?:日辰{RULER})?冲则实", lambda c: _void(c) and c.day_clashes and not c.subject.moving),
    (rf"与日辰{RULER}相合(?:而起)?", lambda c: COMBINE[c.subject.branch] == c.facts.day),
    (rf"动而被日辰{RULER}合绊", lambda c: c.subject.moving and COMBINE[c.subject.branch] == c.facts.day),
    (rf"入墓于日辰{RULER}", lambda c: TOMB.get(c.subject.element) == c.facts.day),
    (rf"绝于日辰{RULER}", lambda c: END[c.subject.element] == c.facts.day),
    (r"金有气而长生于巳日", lambda c: c.subject.element == "金" and c.facts.day == "巳" and c.facts.has_qi(c.subject)),
    # the void
    (r"旬空而无救|是为真空|旬空又逢月破|空破同临|又值旬空", lambda c: _void(c) and not c.subject.moving),
    (r"旬空又休囚", lambda c: _void(c) and not c.subject.moving),
    (r"旬空而有扶", lambda c: _void(c) and c.facts.helped(c.subject)),
    (r"旺而旬空|出旬可用|旬空而旺", lambda c: _void(c) and c.facts.has_qi(c.subject)),
    (r"动而旬空|待出旬|旬空而动", lambda c: _void(c) and c.subject.moving),
    # its own change
    (r"动化回头生", lambda c: _moving(c) and FEEDS[_after(c)] == c.subject.element),
    (r"动化回头克", lambda c: _moving(c) and CONTROLS[_after(c)] == c.subject.element),
    (r"动化[进退]神", lambda c: _moving(c) and _after(c) == c.subject.element),
    (r"动而化冲", lambda c: _moving(c) and clash(c.subject.branch) == c.subject.after),
    (r"动而化合", lambda c: _moving(c) and COMBINE[c.subject.branch] == c.subject.after),
    (r"动化伏吟|动如不动", lambda c: _moving(c) and c.subject.branch == c.subject.after),
    (r"动而化空", lambda c: _moving(c) and c.subject.after in c.facts.void),
    (r"动而化破", lambda c: _moving(c) and clash(c.facts.month) == c.subject.after),
    (r"动而化墓", lambda c: _moving(c) and TOMB.get(c.subject.element) == c.subject.after),
    (r"动而化绝", lambda c: _moving(c) and END[c.subject.element] == c.subject.after),
    (r"动化长生|动而化泄|动而化耗|自身发动", _moving),
    # other lines
    (rf"({LABEL})(动|暗动)而([生克扶冲泄])之", _deed),
    (rf"(元神|忌神)({LABEL})(动|暗动)而无力", _spent),
    (r"不能[生克]之|忌神与元神同动|贪生忘克", _still),
    (r"用神无根", lambda c: (_broken(c) or CONTROLS[c.month] == c.subject.element)
     and (c.day_clashes or CONTROLS[c.day] == c.subject.element)),
    (r"受克而又逢生|是为克处逢生",
     lambda c: c.subject.element in (CONTROLS[c.month], CONTROLS[c.day])),
    (r"三合成局来[助克]", lambda c: bool(c.facts.triads)),
    (r"飞神克之", lambda c: CONTROLS[_over(c).element] == c.subject.element),
    (r"飞神生之", lambda c: FEEDS[_over(c).element] == c.subject.element),
    (r"伏神克飞神|可出", lambda c: CONTROLS[c.subject.element] == _over(c).element),
    (r"飞神(发动|逢月破|旬空|逢日冲)", _opened),
    (r"伏神易出", _still),
    # the hexagram
    (r"卦逢六冲|可决之事宜速决", _special("六冲卦")),
    (r"卦逢六合|宜以和为先", _special("六合卦")),
    (r"六冲变六合|散而复合", _special("六冲变六合")),
    (r"六合变六冲|合而复散", _special("六合变六冲")),
    (r"变出六冲", _special("变六冲")),
    (r"变出六合", _special("变六合")),
    (r"六冲又变六冲", _special("六冲变六冲")),
    (r"六合又变六合", _special("六合变六合")),
    (r"卦见反吟|事多反复", _special_ends("反吟")),
    (r"卦见伏吟", _special_ends("伏吟")),
    (r"(游魂|归魂)卦", lambda c: f"{c.group()}卦" in c.facts.special),
    (r"一爻独发", _special("独发")),
    (r"五爻俱动而一爻独静", _special("独静")),
    (r"六爻皆动", _special("六爻皆动")),
    (r"六爻安静", lambda c: not any(map(c.facts.acts, c.facts.lines))),
    (r"卦无动爻", lambda c: not any(map(c.facts.acts, c.facts.lines))),
    (r"明动无爻", lambda c: not any(line.moving for line in c.facts.lines)),
    (rf"(?:间爻)?((?:{LABEL}(?:暗动|发动)?、?)+)(暗动|发动)", _all_act),
    (r"得(\S+?)之(\S+)", lambda c: (c.group(1), c.group(2)) == c.facts.names),
    (r"得(\S+)", lambda c: c.group() == c.facts.names[0]),
    (r"[子丑寅卯辰巳午未申酉戌亥]{3}三合([木火土金水])局(?:已成|尚缺.*)", lambda c: any(f"三合{c.group()}局" in t for t in c.facts.triads)),
    # 世 and 应
    (r"官鬼持世", lambda c: c.facts.world.relation == "官鬼"),
    (r"子孙持世", lambda c: c.facts.world.relation == "子孙"),
    (r"子孙发动", lambda c: any(n.relation == "子孙" and c.facts.acts(n) for n in c.facts.lines)),
    (r"用神持世", lambda c: c.subject == c.facts.world),
    (r"世爻即用神", lambda c: c.subject == c.facts.world),
    (r"用神生世(?:而力弱)?", _bears(FEEDS, _subject, _world_of)),
    (r"用神克世|用神属应而克世", _bears(CONTROLS, _subject, _world_of)),
    (r"世生用神", _bears(FEEDS, _world_of, _subject)),
    (r"世克用神而发动", lambda c: _bears(CONTROLS, _world_of, _subject)(c) and c.facts.world.moving),
    (r"世虽克应", _bears(CONTROLS, _world_of, _response)),
    (r"世克用神", _bears(CONTROLS, _world_of, _subject)),
    (r"用神与世爻五行相同", _same(_subject, _world_of)),
    (r"用神与世相合", lambda c: COMBINE[c.subject.branch] == c.facts.world.branch),
    (r"世爻旬空", lambda c: c.facts.world.branch in c.facts.void),
    (r"自身有力|有日月扶助而仍受制力弱", lambda clause: not _is_unaided(clause)),
    (r"自身力弱|不得日月之助而得动变扶持", _is_unaided),
    (r"应来生世|应爻生世", _bears(FEEDS, _response, _world_of)),
    (r"应来克世|应爻克世", _bears(CONTROLS, _response, _world_of)),
    (r"世应比和|应爻与世比和", _same(_response, _world_of)),
    (r"世去生应|世生应爻", _bears(FEEDS, _world_of, _response)),
    (r"世能克应|世克应爻", _bears(CONTROLS, _world_of, _response)),
    # labels, 用神 and the two sides
    (rf"({LABEL})", lambda c: bool(c.facts.at(c.group()))),
    (rf"({LABEL}(?:、{LABEL})+)", lambda c: all(c.facts.at(one) for one in find_labels(c.group()))),
    (rf"即({LABEL})", lambda c: bool(c.facts.at(c.group()))),
    (rf"以{NAME}伏于({LABEL})之下论之", lambda c: bool(c.facts.at(c.group())) and not c.on_board),
    (rf"由({LABEL})变出{NAME}", lambda c: c.facts.at(c.group()).moving),
    (rf"日辰{RULER}即是(父母|兄弟|妻财|官鬼|子孙)", lambda c: _names_day(c) and c.group(2) == c.subject.relation),
    (rf"月建{RULER}即是(父母|兄弟|妻财|官鬼|子孙)", lambda c: _names_month(c) and c.group(2) == c.subject.relation),
    (rf"(?:日辰|月建|变爻)?{NAME}", _still),
    (r"用神取(?:父母|兄弟|妻财|官鬼|子孙|世爻|应爻)", _still),
    (r"不上卦|不在六爻之中|为伏神|以日辰为用|以月建为用|以变爻为用", lambda c: not c.on_board),
    (r"六爻不见", lambda c: len({line.relation for line in c.facts.lines}) < 5),
    (r"元神为(父母|兄弟|妻财|官鬼|子孙)", lambda c: _is_side(c, FEEDS)),
    (r"忌神为(父母|兄弟|妻财|官鬼|子孙)", lambda c: _is_side(c, CONTROLS)),
    (r"有气", lambda c: c.facts.has_qi(c.subject)),
    (r"无气", lambda c: not c.facts.has_qi(c.subject) and not _day_helps(c)),
    (r"失令而得日辰之助", lambda c: not c.facts.has_qi(c.subject) and _day_helps(c)),
    (rf"飞神为({LABEL})", lambda c: c.facts.at(c.group()) == _over(c)),
    # acting lines as points
    (rf"化({NAME})", lambda c: any(line.after == c.group()[2] for line in c.facts.lines if line.moving)),
    (rf"({LABEL})被日辰冲而暗动", lambda c: c.facts.stirred(c.facts.at(c.group()))),
]  # fmt: skip

# Clauses that say something about an acting line named just before, or about 用神 in general.
EFFECTS: list[tuple[str, Callable[[BoardFacts, FactLine, FactLine], bool]]] = [
    (r"来生用神", lambda f, a, s: FEEDS[a.element] == s.element),
    (r"来克用神", lambda f, a, s: CONTROLS[a.element] == s.element and not f.undone(a)),
    (r"与用神同气(?:相扶)?", lambda f, a, s: a.element == s.element),
    (r"与用神相冲", lambda f, a, s: clash(a.branch) == s.branch),
    (r"(?:本)?泄用神之气", lambda f, a, s: FEEDS[s.element] == a.element),
    (r"受用神所克", lambda f, a, s: CONTROLS[s.element] == a.element),
    (r"为元神", lambda f, a, s: FEEDS[a.element] == s.element),
    (r"为忌神", lambda f, a, s: CONTROLS[a.element] == s.element),
    (r"(?:衰而入墓|衰而逢绝|休囚受制)", lambda f, a, s: _weak(f, a)),
    (r"衰而化退", lambda f, a, s: _weak(f, a) and a.moving and ELEMENT[a.after] == a.element),
    (r"动而化绝", lambda f, a, s: a.moving and a.after == END[a.element]),
    (r"动化回头克", lambda f, a, s: a.moving and CONTROLS[ELEMENT[a.after]] == a.element),
    (r"动而化破", lambda f, a, s: a.moving and a.after == clash(f.month)),
    (r"空破无救", lambda f, a, s: a.branch in f.void or clash(a.branch) == f.month),
]  # fmt: skip

TAGS = {
    "化伏吟": lambda f, a: a.branch == a.after,
    "化冲": lambda f, a: clash(a.branch) == a.after,
    "化合": lambda f, a: COMBINE[a.branch] == a.after,
    "回头生": lambda f, a: FEEDS[ELEMENT[a.after]] == a.element,
    "回头克": lambda f, a: CONTROLS[ELEMENT[a.after]] == a.element,
    "化泄": lambda f, a: FEEDS[a.element] == ELEMENT[a.after],
    "化耗": lambda f, a: CONTROLS[a.element] == ELEMENT[a.after],
    "化进神": lambda f, a: ELEMENT[a.after] == a.element,
    "化退神": lambda f, a: ELEMENT[a.after] == a.element,
    "化墓": lambda f, a: TOMB.get(a.element) == a.after,
    "化绝": lambda f, a: END[a.element] == a.after,
    "化长生": lambda f, a: True,
    "化空": lambda f, a: a.after in f.void,
    "化破": lambda f, a: a.after == clash(f.month),
}

# What the advice claims of a line, after its label.
ADVICE: list[tuple[str, Callable[[BoardFacts, FactLine], bool]]] = [
    (r"发动(?:于[内外]卦|而无力|而[生克]文书|而克宅爻)?", lambda f, a: a.moving),
    (r"暗动(?:于[内外]卦|而无力|而[生克]文书|而克宅爻)?", lambda f, a: f.stirred(a)),
    (r"虽动而无力", lambda f, a: f.acts(a)),
    (r"旬空", lambda f, a: a.branch in f.void),
    (r"空破", lambda f, a: a.branch in f.void or clash(a.branch) == f.month),
    (r"力弱(?:而应爻有力)?", _weak),
    (r"得力|有力而应爻力弱", lambda f, a: not _weak(f, a)),
    (r"克世", lambda f, a: CONTROLS[a.element] == f.world.element),
    (r"生世", lambda f, a: FEEDS[a.element] == f.world.element),
    (r"生应", lambda f, a: FEEDS[a.element] == f.response.element),
    (r"与世相合", lambda f, a: COMBINE[a.branch] == f.world.branch),
    (r"与世相冲", lambda f, a: clash(a.branch) == f.world.branch),
    (r"与世比和", lambda f, a: a.element == f.world.element),
]  # fmt: skip
