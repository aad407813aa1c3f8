"""What the board says about each kind of matter: where, which way, by whose hand, with what.

Each function yields statements, the most useful first. Sources: 增删卜易 and 卜筮正宗, chapters
失物, 疾病, 考试, 出行, 词讼, 功名, 求财, 婚姻, 行人, 家宅, 天时.
"""

from collections.abc import Callable, Iterator
from typing import Final

from yarrow.liuyao.five_elements import BEARING, Relation
from yarrow.liuyao.reading.context import ReadingContext, Statement
from yarrow.liuyao.reading.line_advice import (
    advise_acting,
    find_acting,
    is_hollow,
    list_kin,
    name_direction,
    name_first_day,
    write_advice,
)
from yarrow.liuyao.reading.strength import FocusLocation, find_inability, is_weak
from yarrow.liuyao.reading.topics import Topic
from yarrow.liuyao.reading.yong_shen import SpecialMatter
from yarrow.liuyao.stems_branches import CLASH_OF, COMBINE_OF


def _advise_lost_item(context: ReadingContext) -> Iterator[Statement]:
    focus, situation = context.judgement.focus, context.derivation.situation
    way = name_direction(context, focus.branch)
    if focus.line is situation.world:
        yield write_advice(context, "lost_at_self", focus.line, way=way)
    elif focus.place is FocusLocation.HIDDEN:
        over = situation.lines[focus.position - 1]
        cover = context.words.covers[over.base.relation]
        yield write_advice(context, "lost_covered", over, way=way, cover=cover)
    else:
        yield write_advice(context, "lost_inner" if focus.position <= 3 else "lost_outer", way=way)
    thief = next((line for line in list_kin(context, "官鬼") if line.acts), None)
    becomes = focus.line.becomes if focus.line is not None else None
    if thief is None:
        # What changes into 官鬼 may well have been taken.
        if becomes is None or becomes.relation != "官鬼":
            yield write_advice(context, "lost_dropped")
    elif find_inability(thief, "克"):
        yield write_advice(context, "lost_thief_weak", thief)
    else:
        sex = context.words.thief_sex[1 if thief.base.is_yang else 0]
        key = "lost_hand_inner" if thief.base.position <= 3 else "lost_hand_outer"
        yield write_advice(context, key, thief, sex=sex)
    if when := name_first_day(context):
        yield write_advice(context, "lost_when", when=when)


def _advise_pet(context: ReadingContext) -> Iterator[Statement]:
    focus, situation = context.judgement.focus, context.derivation.situation
    way = name_direction(context, focus.branch)
    if focus.place is FocusLocation.HIDDEN:
        yield write_advice(context, "pet_covered", situation.lines[focus.position - 1], way=way)
    else:
        yield write_advice(context, "pet_inner" if focus.position <= 3 else "pet_outer", way=way)
    keeper = next((line for line in list_kin(context, "官鬼") if line.acts), None)
    yield write_advice(context, "pet_taken" if keeper else "pet_strayed", keeper)
    if when := name_first_day(context):
        yield write_advice(context, "pet_when", when=when)


def _advise_debt(context: ReadingContext) -> Iterator[Statement]:
    """应爻 is who owes, 妻财 the money (增删卜易·求财章)."""
    situation = context.derivation.situation
    world, response = situation.world, situation.response
    if response.state.void_kind:
        yield write_advice(context, "debt_void", response)
    else:
        bearing = BEARING[response.base.element][world.base.element]
        yield write_advice(context, f"debt_{_LOVE[bearing]}", response)
    yield from advise_acting(context, (("兄弟", "debt_rival"), ("子孙", "debt_source")))


def _advise_health(context: ReadingContext) -> Iterator[Statement]:
    """Nothing here names an illness, a drug or a date; `rules` stay empty for that reason."""
    words, at = context.words, (context.judgement.focus.position,)
    healers = list_kin(context, "子孙")
    own = context.judgement.matter.own
    if healers:
        way = name_direction(context, healers[0].base.branch)
        yield Statement(words.advice_lines["health_doctor"].format(way=way), (), at)
    key = "health_rest" if own else "health_carer"
    yield Statement(words.advice_lines[key], (), at)


def _advise_pregnancy(context: ReadingContext) -> Iterator[Statement]:
    """Like `_advise_health`: nothing of the board is told, a doctor is."""
    text = context.words.advice_lines["pregnancy_rest"]
    yield Statement(text, (), (context.judgement.focus.position,))


def _advise_sale(context: ReadingContext) -> Iterator[Statement]:
    situation, focus = context.derivation.situation, context.judgement.focus
    if (rival := find_acting(context, "兄弟")) is not None:
        yield write_advice(context, "sale_rival", rival)
    papers = list_kin(context, "父母")
    if papers and is_hollow(papers[0]):
        yield write_advice(context, "sale_papers_hollow", papers[0])
    if situation.response.state.void_kind:
        yield write_advice(context, "sale_buyer_void", situation.response)
    if (source := find_acting(context, "子孙")) is not None:
        yield write_advice(context, "sale_buyers", source)
    yield write_advice(context, "sale_way", way=name_direction(context, focus.branch))


def _advise_study(context: ReadingContext) -> Iterator[Statement]:
    situation = context.derivation.situation
    yield from advise_acting(
        context, (("兄弟", "study_rivals"), ("妻财", "study_money"), ("子孙", "study_slack"))
    )
    if situation.world.state.void_kind:
        yield write_advice(context, "study_nerves", situation.world)
    papers = list_kin(context, "父母")
    if papers and is_weak(papers[0].state):
        yield write_advice(context, "study_papers_weak", papers[0])
    elif papers and context.judgement.score >= 0:
        yield write_advice(context, "study_papers_strong", papers[0])
    elif not papers:
        yield write_advice(context, "study_papers_absent")


def _advise_papers(context: ReadingContext, kind: str) -> Iterator[Statement]:
    """Whether the papers hold: a hollow, a weak or a strong 父母."""
    papers = list_kin(context, "父母")
    if papers and is_hollow(papers[0]):
        yield write_advice(context, f"{kind}_hollow", papers[0])
    elif papers and is_weak(papers[0].state):
        yield write_advice(context, f"{kind}_weak", papers[0])
    elif papers and context.judgement.score >= 0:
        yield write_advice(context, f"{kind}_strong", papers[0])


def _advise_purchase(context: ReadingContext) -> Iterator[Statement]:
    yield from _advise_papers(context, "purchase_papers")
    yield from advise_acting(context, (("兄弟", "purchase_rival"), ("妻财", "purchase_money")))


def _advise_documents(context: ReadingContext) -> Iterator[Statement]:
    yield from _advise_papers(context, "papers")
    yield from advise_acting(context, (("妻财", "papers_money"), ("官鬼", "papers_official")))
    if when := name_first_day(context):
        yield write_advice(context, "papers_when", when=when)


def _advise_parcel(context: ReadingContext) -> Iterator[Statement]:
    if (delay := find_acting(context, "妻财")) is not None:
        yield write_advice(context, "parcel_delay", delay)
    if when := name_first_day(context):
        yield write_advice(context, "parcel_when", when=when)


def _advise_travel(context: ReadingContext) -> Iterator[Statement]:
    situation = context.derivation.situation
    actions: tuple[tuple[Relation, str], ...] = (
        ("官鬼", "travel_trouble"),
        ("兄弟", "travel_expense"),
        ("父母", "travel_papers"),
    )
    yield from advise_acting(context, actions)
    guard = find_acting(context, "子孙")
    # Nobody is told to be at ease by a line that harms 世, or where the verdict is against going.
    world = situation.world.base.element
    is_safe = guard is not None and BEARING[guard.base.element][world] != "克"
    if is_safe and context.judgement.score >= 0:
        yield write_advice(context, "travel_safe", guard)
    if when := name_first_day(context):
        yield write_advice(context, "travel_day", when=when)
    worst = next((one for one in situation.lines if BEARING[one.base.element][world] == "克"), None)
    if worst is not None:
        way = name_direction(context, worst.base.branch)
        yield write_advice(context, "travel_avoid", worst, way=way)


def _advise_lawsuit(context: ReadingContext) -> Iterator[Statement]:
    situation = context.derivation.situation
    world, response = situation.world, situation.response
    mine, theirs = is_weak(world.state), is_weak(response.state)
    if mine != theirs:
        yield write_advice(context, "suit_weak" if mine else "suit_strong", world)
    if (peace := find_acting(context, "子孙")) is not None:
        yield write_advice(context, "suit_peace", peace)
    court = list_kin(context, "官鬼")
    if court and court[0] is not world and not is_hollow(court[0]):
        on_world = BEARING[court[0].base.element][world.base.element]
        on_response = BEARING[court[0].base.element][response.base.element]
        if on_world == "生":
            yield write_advice(context, "suit_court_mine", court[0])
        elif on_world == "克":
            yield write_advice(context, "suit_court_hard", court[0])
        elif on_response == "生" and court[0] is not response:
            yield write_advice(context, "suit_court_theirs", court[0])
    for papers in list_kin(context, "父母")[:1]:
        key = "suit_papers_weak" if is_weak(papers.state) else "suit_papers"
        yield write_advice(context, key, papers)


def _advise_career(context: ReadingContext) -> Iterator[Statement]:
    yield from _advise_colleagues(context)
    yield from _advise_papers(context, "job_papers")
    world = context.derivation.situation.world
    if world.state.void_kind:
        yield write_advice(context, "job_unsure", world)


def _advise_colleagues(context: ReadingContext) -> Iterator[Statement]:
    yield from advise_acting(
        context, (("子孙", "job_rebel"), ("兄弟", "job_rival"), ("妻财", "job_means"))
    )


def _advise_wealth(context: ReadingContext) -> Iterator[Statement]:
    situation, matter = context.derivation.situation, context.judgement.matter
    yield from advise_acting(context, (("兄弟", "money_rival"), ("子孙", "money_source")))
    if situation.response.state.void_kind:
        yield write_advice(context, "money_partner_void", situation.response)
    if not matter.is_feared:
        way = name_direction(context, context.judgement.focus.branch)
        yield write_advice(context, "money_way", way=way)
    sources = list_kin(context, "子孙")
    if sources and is_weak(sources[0].state):
        yield write_advice(context, "money_source_weak", sources[0])


def _advise_seeking(context: ReadingContext) -> Iterator[Statement]:
    """Nobody is there yet, so nothing is said of what 应爻 thinks or gives."""
    world = context.derivation.situation.world
    if world.state.void_kind:
        yield write_advice(context, "seek_self_void", world)
    yield write_advice(
        context, "seek_way", way=name_direction(context, context.judgement.focus.branch)
    )
    if when := name_first_day(context):
        yield write_advice(context, "seek_when", when=when)


def _advise_love(context: ReadingContext) -> Iterator[Statement]:
    situation = context.derivation.situation
    world, response = situation.world, situation.response
    low, high = sorted((world.base.position, response.base.position))
    between = [
        line
        for line in situation.lines
        if low < line.base.position < high and line.acts and not find_inability(line, "克")
    ]
    if between:
        yield write_advice(context, "love_between", between[0])
    if response.state.void_kind:
        yield write_advice(context, "love_other_void", response)
    if world.state.void_kind:
        yield write_advice(context, "love_self_void", world)
    if COMBINE_OF[response.base.branch] == world.base.branch:
        yield write_advice(context, "love_combine", response)
    elif CLASH_OF[response.base.branch] == world.base.branch:
        yield write_advice(context, "love_clash", response)
    else:
        bearing = BEARING[response.base.element][world.base.element]
        yield write_advice(context, f"love_{_LOVE[bearing]}", response)


_LOVE: Final = {"生": "fed", "克": "pressed", "扶": "even", "休": "giving", "囚": "pressing"}


def _advise_absence(context: ReadingContext) -> Iterator[Statement]:
    focus = context.judgement.focus
    key = "absent_moving" if focus.moving else "absent_still"
    yield write_advice(context, key, way=name_direction(context, focus.branch))
    if (word := find_acting(context, "父母")) is not None:
        yield write_advice(context, "absent_word", word)
    if when := name_first_day(context):
        yield write_advice(context, "absent_when", when=when)


def _advise_children(context: ReadingContext) -> Iterator[Statement]:
    yield from advise_acting(context, (("父母", "child_strict"), ("兄弟", "child_friend")))
    focus = context.judgement.focus
    yield write_advice(context, "child_weak" if is_weak(focus.state) else "child_strong")


def _advise_friends(context: ReadingContext) -> Iterator[Statement]:
    situation = context.derivation.situation
    bearing = BEARING[situation.response.base.element][situation.world.base.element]
    yield write_advice(context, f"friend_{_LOVE[bearing]}", situation.response)
    if (money := find_acting(context, "妻财")) is not None:
        yield write_advice(context, "friend_money", money)


def _advise_home(context: ReadingContext) -> Iterator[Statement]:
    focus = context.judgement.focus
    if (ghost := find_acting(context, "官鬼")) is not None:
        yield write_advice(context, "home_trouble", ghost)
    if (money := find_acting(context, "妻财")) is not None:
        yield write_advice(context, "home_money", money)
    yield write_advice(context, "home_way", way=name_direction(context, focus.branch))


# Signs that would speak against the verdict on each kind of weather: if it comes, and if not.
_OPPOSED: Final[dict[str, tuple[tuple[Relation, ...], tuple[Relation, ...]]]] = {
    "父母": (("妻财", "子孙"), ("父母",)), "妻财": (("父母", "兄弟", "官鬼"), ("妻财", "子孙")),
    "兄弟": ((), ("兄弟",)), "官鬼": ((), ("官鬼",)),
}  # fmt: skip


def _advise_weather(context: ReadingContext) -> Iterator[Statement]:
    actions: tuple[tuple[Relation, str], ...] = (
        ("父母", "weather_rain"),
        ("妻财", "weather_clear"),
        ("子孙", "weather_sun"),
        ("兄弟", "weather_wind"),
        ("官鬼", "weather_thunder"),
    )
    judgement = context.judgement
    opposed = _OPPOSED.get(judgement.matter.focus, ((), ()))[judgement.score < 0]
    yield from advise_acting(context, tuple(a for a in actions if a[0] not in opposed))


def _advise_other(context: ReadingContext) -> Iterator[Statement]:
    situation = context.derivation.situation
    actions: tuple[tuple[Relation, str], ...] = (
        ("子孙", "other_relief"),
        ("官鬼", "other_worry"),
        ("兄弟", "other_peers"),
        ("父母", "other_toil"),
        ("妻财", "other_means"),
    )
    yield from advise_acting(context, actions)
    bearing = BEARING[situation.response.base.element][situation.world.base.element]
    yield write_advice(context, f"other_{_LOVE[bearing]}", situation.response)


BY_TOPIC: Final[dict[Topic | SpecialMatter, Callable[[ReadingContext], Iterator[Statement]]]] = {
    Topic.CAREER: _advise_career,
    Topic.WEALTH: _advise_wealth,
    Topic.LOVE: _advise_love,
    Topic.HEALTH: _advise_health,
    Topic.STUDY: _advise_study,
    Topic.DOCUMENTS: _advise_documents,
    Topic.TRAVEL: _advise_travel,
    Topic.ABSENT: _advise_absence,
    Topic.LOST: _advise_lost_item,
    Topic.LAWSUIT: _advise_lawsuit,
    Topic.CHILDREN: _advise_children,
    Topic.FRIENDS: _advise_friends,
    Topic.HOME: _advise_home,
    Topic.WEATHER: _advise_weather,
    Topic.OTHER: _advise_other,
    SpecialMatter.PREGNANCY: _advise_pregnancy,
    SpecialMatter.SALE: _advise_sale,
    SpecialMatter.PURCHASE: _advise_purchase,
    SpecialMatter.PARCEL: _advise_parcel,
    SpecialMatter.EXAM: _advise_study,
    SpecialMatter.DEBT: _advise_debt,
    SpecialMatter.WAGES: _advise_wealth,
    SpecialMatter.SEEKING: _advise_seeking,
    SpecialMatter.PET: _advise_pet,
    SpecialMatter.RAIN: _advise_weather,
    SpecialMatter.WIND: _advise_weather,
    SpecialMatter.THUNDER: _advise_weather,
    SpecialMatter.DISMISSAL: _advise_colleagues,
    SpecialMatter.LOSS: _advise_wealth,
    SpecialMatter.SEPARATION: _advise_love,
    SpecialMatter.RELAPSE: _advise_health,
    SpecialMatter.FAILURE: _advise_study,
    SpecialMatter.REFUSAL: _advise_documents,
    SpecialMatter.MISHAP: _advise_travel,
    SpecialMatter.LITIGATION: _advise_lawsuit,
    SpecialMatter.DANGER: _advise_other,
}
