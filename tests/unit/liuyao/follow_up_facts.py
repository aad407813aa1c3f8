"""Check the claims of answers to follow-up questions against the facts of the board.

The facts are computed by `board_facts`, from the payload alone.
"""

import re
from collections.abc import Iterator

from msgspec.structs import replace
from tests.unit.liuyao.board_facts import COMBINE, CONTROLS, ELEMENT, FEEDS, BoardFacts, clash

from yarrow.liuyao import Cast, build_divination_payload, derive, write_follow_up

# 用神 is another line than 世 in these, and 世 in the last.
DECISIONS = (
    ("我该不该辞职开店", "事业", "如果不辞职呢"),
    ("我要不要跟他结婚", "感情", "如果我不结呢"),
    ("孩子要不要转学", "学业", "如果不转呢"),
    ("我要不要搬家", "其他", "如果不搬呢"),
    ("我会被裁员吗", "事业", "真的被裁怎么办"),
)
# Questions about a time, after each of the first ones.
TIMED = (
    ("今年适合买房吗", "文书", ("下半年呢", "明年呢", "这周呢", "哪个月要小心", "哪天要小心")),
    ("我会被裁员吗", "事业", ("明年呢", "什么时候要小心", "下个月哪天不利")),
    ("明天会下雨吗", "天时", ("这周呢", "后天呢")),
    ("孩子今年怎么样", "子女", ("明年上半年呢", "下周呢")),
)
_FIRM = ("世爻亦稳", "世爻却稳", "世爻站得稳")
_WEAK = ("世爻力弱", "世爻也力弱")


def _is_helped_by(giver: str, facts: BoardFacts) -> bool:
    branch = facts.world.branch
    same = ELEMENT[giver] == facts.world.element or FEEDS[ELEMENT[giver]] == facts.world.element
    return same and clash(giver) != branch


def _is_plainly_weak(facts: BoardFacts) -> bool:
    """Neither month nor day nor any acting line feeds or holds 世, and it does not move."""
    held = COMBINE[facts.world.branch] in (facts.month, facts.day)
    givers = [facts.month, facts.day, *(line.branch for line in facts.lines if facts.acts(line))]
    alone = not any(_is_helped_by(giver, facts) for giver in givers)
    able = facts.has_qi(facts.world) or facts.world.moving or bool(facts.triads)
    return alone and not held and not able


def _is_plainly_strong(facts: BoardFacts) -> bool:
    """Month and day both help 世, it is not void, and no acting line strikes it."""
    world = facts.world
    struck = any(
        CONTROLS[line.element] == world.element or clash(line.branch) == world.branch
        for line in facts.lines
        if facts.acts(line)
    )
    helped = _is_helped_by(facts.month, facts) and _is_helped_by(facts.day, facts)
    void = world.branch in facts.void
    return helped and not (struck or void or world.moving or facts.triads)


def check_firmness(cast: Cast) -> Iterator[str]:
    """Yield answers that call 世 firm or weak against its own state."""
    for question, label, later in DECISIONS:
        derivation = derive(replace(cast, question=question, question_type=label))
        facts = BoardFacts(build_divination_payload(derivation))
        answer = write_follow_up(derivation, later).answer
        if not any(word in answer for word in (*_FIRM, *_WEAK)):
            yield f"nothing said of 世 in {answer}"
        if _is_plainly_weak(facts) and any(word in answer for word in _FIRM):
            yield f"世 is weak in {answer}"
        if _is_plainly_strong(facts) and any(word in answer for word in _WEAK):
            yield f"世 is strong in {answer}"


_BRANCH = r"[子丑寅卯辰巳午未申酉戌亥]"
_TIME = rf"(?:本月)?{_BRANCH}[日月]（[^）]*）"
_CLAIM = re.compile(rf"((?:{_TIME}、?)+)(生扶用神|与用神相合|冲克用神)")
_FOCUS = re.compile(rf"用神（[^）]*?({_BRANCH})[木火土金水]）")


def _is_true(claim: str, time: str, focus: str) -> bool:
    controls = CONTROLS[ELEMENT[time]] == ELEMENT[focus]
    if claim == "冲克用神":
        return clash(time) == focus or controls
    if claim == "与用神相合":
        return COMBINE[time] == focus and not controls
    feeds = ELEMENT[time] == ELEMENT[focus] or FEEDS[ELEMENT[time]] == ELEMENT[focus]
    return feeds and clash(time) != focus


def check_times(cast: Cast) -> Iterator[str]:
    """Yield answers about months and days that say what their branches do not do."""
    for question, label, laters in TIMED:
        derivation = derive(replace(cast, question=question, question_type=label))
        for later in laters:
            answer = write_follow_up(derivation, later).answer
            if "宜避" in answer and "早晚都可" in answer:
                yield f"to be avoided, and any time will do: {answer}"
            if later.startswith("哪天") and "冲克用神" not in answer:
                yield f"no day of twelve strikes: {answer}"
            named = _FOCUS.search(answer)
            if named is None:
                continue
            for times, claim in _CLAIM.findall(answer):
                for time in re.findall(rf"({_BRANCH})[日月]（", times):
                    if not _is_true(claim, time, named[1]):
                        yield f"{time} does not: {answer}"


def check_follow_ups(cast: Cast) -> Iterator[str]:
    """Yield everything that is wrong with answers to follow-up questions."""
    yield from check_firmness(cast)
    yield from check_times(cast)
