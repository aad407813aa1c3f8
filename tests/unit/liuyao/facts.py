# ruff: noqa: E501
"""Check every clause of a Chinese reading against the facts of the board it was read from.

    python -m tests.unit.liuyao.facts [--castings N] [--seed N]

The facts are computed from the payload by `board_facts`, without the engine's own states and rules. A
clause must match a pattern whose facts hold, or be one of the phrases that claim none; a clause that
matches nothing is reported too.
"""

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

from tests.unit.liuyao.board_facts import LABEL, BoardFacts, FactLine
from tests.unit.liuyao.fact_patterns import ADVICE, EFFECTS, PATTERNS, TAGS, Clause, find_labels
from tests.unit.liuyao.follow_up_facts import check_follow_ups

from yarrow.liuyao import Asker, Cast, build_divination_payload, derive, write_reading
from yarrow.liuyao.coins import YAO_LINES
from yarrow.liuyao.reading.words_zh import ZH
from yarrow.liuyao.reading.write_reading import Reading


def _phrases() -> set[str]:
    """Clauses of the tables that hold no placeholder and claim nothing of the board."""
    texts: list[str] = []

    def walk(value: object) -> None:
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, dict):
            for one in value.values():
                walk(one)
        elif isinstance(value, tuple | list):
            for one in value:
                walk(one)

    for name in ("verdicts", "counsel", "advice_lines", "kin_trouble", "kin_help", "spirits",
                 "special", "sensitivity_notes", "closing", "advice_general", "advice_turned_back",
                 "advice_trouble", "advice_help", "advice_void", "advice_broken", "advice_bound",
                 "advice_tomb", "advice_hidden", "advice_fan_yin", "advice_fu_yin",
                 "advice_harm_spent", "advice_concord", "world_own", "world_other",
                 "world_is_focus", "world_holds", "response_bears", "world_even", "strong", "weak",
                 "strong_by_lines", "weak_by_lines",
                 "balanced", "effect_on_focus", "effect_spent", "effect_greedy",
                 "effect_on_ruler", "effect_becomes", "is_still", "partner_guessed", "asker_known",
                 "asker_source", "point_still", "timing_delayed", "answer_verdict",
                 "scope_first", "scope_bond", "assumed"):  # fmt: skip
        walk(getattr(ZH, name))
    found = {part for text in texts for part in split(text) if "{" not in part}
    return {part for part in found if not any(re.fullmatch(p, part) for p, _ in PATTERNS)}


def split(text: str) -> list[str]:
    return [part for part in re.split(r"[。；，：（）\s]", text) if part]


_FREE = [
    r"近可留意.*|事缓则看.*|在“.*”之内|可留意.*|“.*”之内不见应期|此后最近为.*|应期|时机尚须等待",
    r"至?\d{4}年\d+月\d+日(?:\S+起)?(?:、\S*)?|\d+月\d+日|、.*",
    r"[子丑寅卯辰巳午未申酉戌亥][日月](?:、\S*)?|前后.*|再议|出月后到.*|\S{1,3}[日月]",
    r"临(?:青龙|朱雀|勾陈|螣蛇|白虎|玄武)|世爻|应爻|用神|文书|财源|状词证据|间爻",
    r"事在己身|事来就我|于己有压力|其来速|须己付出|事可把握|牵挂在此|己心未定|利在他人|利分于人|用神属应|主[散聚]|力有不逮|官星受制",
    r"何时见分晓|忧患在身|可以无忧|制鬼解忧|忧扰在身|忧疑可解|制鬼有力|近病逢.*|久病逢.*|须多加小心|缠绵难去|呻吟不前|力弱|无力",
    r"就卦而论|此事为[上中下]+签|安静未动|此占轻重在用神|为问卦之人",
    r"(?:伏神|旬空|月破|合绊|入墓|用神|动爻|静爻|或).*(?:冲|出|实|应|开|库|时|旺|月|方出|之时)",
    r"休囚|逢合|逢值|用神休囚|逢值逢合为应|应于.*|须待.*|逢冲之时|待\S日|\S+月补全|其势众|待\S+",
    r"用神在[内外]卦|官鬼不动|物.*|.*的可能较大|先找\S+|往\S+去问|求财可留意\S+|买主可留意\S+|动身可取.*|看房动土可留意\S+",
    r"\S+非必要不往|先看\S+|先翻\S+|可往\S+联络|先从\S+打听|求医可先看\S+|压在\S+|多在\S+|用神(?:发动|安静|力弱|有力)",
    r"须防\S*|可多借\S*|长辈\S*|同辈\S*|钱财\S*|规章\S*|松懈\S*|上级\S*|晚辈\S*|卦象.*|身体不适|请及时就医",
    r"问者男女未明|以应爻为对方|以问者为[男女]|据\S+|妻财为对方|官鬼为对方|文书不上卦|变出用神|不受爻之生克|用神为日月",
    r"只看牵系|成败系于己身|为对方与外境|其事与己相系|彼此比和|外力肯助|外来有压力|彼此平等|付出在我|主动在我",
    r"此签断的是先说的“.*”|题中没有说明是哪一类事|这里按\S+来断|若问的是别的事|请写明后另起一卦",
    r"强弱相当|牵制用神之力|无力生用神|不能克用神|无力相扶|所泄有限|无碍于用神|元神同动",
]  # fmt: skip
_FREE_PATTERN = re.compile("|".join(f"(?:{one})" for one in _FREE))
_PHRASES = _phrases()
_COMPILED = [(re.compile(pattern), check) for pattern, check in PATTERNS]
# "用神囚于月令" says what "囚于月令" says; "用神生世" is another thing.
_FOCUS = re.compile(r"^用神(?=临|泄|囚于|逢|月破|月令|与月|与日|动[而化]|入墓|绝于|旬空|旺而|自身)")
_LEADING = re.compile(r"^(?:虽|而|奈|然|又)(?!值旬空)")


def check_reading(payload: Any, reading: Reading, texts: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with the texts of a reading."""
    facts = BoardFacts(payload)
    focus = reading.judgement.focus
    on_board = focus.line is not None
    subject = FactLine(focus.position, focus.relation, focus.branch, focus.moving)
    if on_board:
        subject = facts.lines[focus.position - 1]
    for text in texts:
        yield from _check_text(text, facts, subject, on_board=on_board)


def _check_text(text: str, facts: BoardFacts, focus: FactLine, *, on_board: bool) -> Iterator[str]:
    current, named, about = focus, None, focus
    for raw in split(text):
        part = _LEADING.sub("", raw)
        part = _FOCUS.sub("", part)
        labels = find_labels(part)
        if labels:
            try:
                named = facts.at(labels[0])
            except AssertionError as wrong:
                yield f"{wrong}: {text}"
                continue
        if re.fullmatch(LABEL, part):
            about = facts.at(part)
        current = about if re.match(r"世爻（[^）]*）：", text) else focus
        is_point = re.match(rf"{LABEL}(?:发动|被日辰冲而暗动)", text) is not None
        # "用神旬空" is about 用神, whichever line was named before.
        named = None if raw.startswith("用神") and not labels else named
        problem = _check_part(part, facts, current, named, on_board=on_board, is_point=is_point)
        if problem:
            yield f"{problem} 「{raw}」 in {text}"


def _check_part(
    part: str,
    facts: BoardFacts,
    subject: FactLine,
    named: FactLine | None,
    *,
    on_board: bool,
    is_point: bool,
) -> str:
    if named is not None:
        bare = part.removeprefix(named.label)
        for tag in bare.split("、"):
            if tag in TAGS and named.moving:
                return "" if TAGS[tag](facts, named) else "wrong tag"
        for pattern, effect in EFFECTS if is_point else ():
            if re.fullmatch(pattern, part):
                return "" if effect(facts, named, subject) else "wrong effect"
        for pattern, claim in ADVICE:
            if re.fullmatch(pattern, bare):
                return "" if claim(facts, named) else "wrong advice"
    clause_seen = False
    for compiled, check in _COMPILED:
        match = compiled.fullmatch(part)
        if match is None:
            continue
        clause_seen = True
        try:
            if check(Clause(match, facts, subject, on_board)):
                return ""
        except AssertionError as wrong:
            return str(wrong)
    if clause_seen:
        return "untrue"
    if part in _PHRASES or _FREE_PATTERN.fullmatch(part):
        return ""
    return "unchecked"


QUESTIONS = [
    ("我最近换工作是否合适?", "事业"), ("今年财运如何", "财运"), ("我们会怎样", "感情"),
    ("我身体如何", "健康"), ("父亲的病刚起，能好吗", "健康"), ("这次考试能过吗", "学业"),
    ("签证能下来吗", "文书"), ("出行顺利吗", "出行"), ("儿子何时回来", "行人"), ("钱包丢了", "失物"),
    ("官司能赢吗", "官司"), ("孩子近况", "子女"), ("和朋友合伙如何", "朋友"), ("这套房子住得安稳吗", "家宅"),
    ("明天天气如何", "天时"), ("今年运势", "其他"), ("我老公爱我吗", "感情"), ("测妻病", "健康"),
    ("猫跑丢了能找到吗", "失物"), ("朋友借的钱会还吗", "财运"), ("明天会下雨吗", "天时"),
    ("我会被裁员吗", "事业"), ("会离婚吗", "感情"), ("会被起诉吗", "官司"), ("股票会跌吗", "财运"),
    ("会被发现吗", "其他"), ("航班会晚点吗", "出行"), ("签证会被拒签吗", "文书"), ("会挂科吗", "学业"),
    ("我该换车还是修车", "其他"), ("我该不该和他分手", "感情"),
]  # fmt: skip


def random_casts(count: int, seed: int) -> Iterator[Cast]:
    dice = random.Random(seed)
    start = datetime(2000, 1, 1, tzinfo=timezone(timedelta(hours=8)))
    for number in range(count):
        question, label = QUESTIONS[number % len(QUESTIONS)]
        yield Cast(
            lines=tuple(dice.choices(YAO_LINES, weights=(3, 3, 1, 1), k=6)),
            moment=start + timedelta(minutes=dice.randrange(60 * 24 * 365 * 60)),
            question=question,
            question_type=label,
            method="自动起卦",
        )


def check_cast(cast: Cast, *, asker: Asker = Asker.UNKNOWN) -> list[str]:
    """Everything that is wrong with the reading of a cast."""
    derivation = derive(cast)
    reading = write_reading(derivation, asker=asker)
    payload = build_divination_payload(derivation)
    texts = [one.text for one in (*reading.conclusion, *reading.focus_points, *reading.advice)]
    return list(check_reading(payload, reading, [*texts, reading.answer]))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--castings", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=20261116)
    options = parser.parse_args(arguments)
    found: Counter[str] = Counter()
    example: dict[str, str] = {}
    clauses = 0
    for cast in random_casts(options.castings, options.seed):
        # Follow-ups take ten times as long as the reading.
        later = check_follow_ups(cast) if clauses % 10 == 0 else ()
        for problem in (*check_cast(cast), *later):
            key = re.sub(LABEL, "L", problem.split(" in ")[0])
            found[key] += 1
            example.setdefault(key, problem)
        clauses += 1
    for key, count in found.most_common(60):
        print(f"{count:>6}  {example[key][:230]}")
    print(f"{clauses} readings, {sum(found.values())} clauses wrong or unchecked")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
