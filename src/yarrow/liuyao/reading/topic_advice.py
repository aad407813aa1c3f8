"""What the board says about each kind of matter: where, which way, by whose hand, with what.

Each function yields statements, the most useful first. Sources: 增删卜易 and 卜筮正宗, chapters
失物, 疾病, 考试, 出行, 词讼, 功名, 求财, 婚姻, 行人, 家宅, 天时.
"""

from collections.abc import Callable, Iterator
from typing import Final

from yarrow.liuyao.reading.matters import SpecialMatter
from yarrow.liuyao.reading.scene import Scene, Statement
from yarrow.liuyao.reading.strength import Place, find_inability, is_weak
from yarrow.liuyao.reading.topics import Topic
from yarrow.liuyao.situation import Line
from yarrow.liuyao.symbols import BEARING, CLASH_OF, COMBINE_OF, Branch, Relation


def say(
    scene: Scene, key: str, line: Line | None = None, *, rule: str = "", **facts: str
) -> Statement:
    """One line of the advice table, with the label and motion of the line it rests on."""
    lines = (scene.judgement.focus.position,) if line is None else (line.seat.position,)
    label = "" if line is None else line.seat.label
    motion = ""
    if line is not None:
        motion = scene.words.motion[1 if line.moving else 0]
    text = scene.words.advice_lines[key].format(label=label, motion=motion, **facts)
    return Statement(text, (rule or key,), lines)


def _kin(scene: Scene, relation: Relation) -> list[Line]:
    return [line for line in scene.derivation.situation.lines if line.seat.relation == relation]


def _acting(scene: Scene, relation: Relation) -> Line | None:
    """The first line of this kin that acts and is able to."""
    found = (line for line in _kin(scene, relation) if line.acts and not find_inability(line, "克"))
    return next(found, None)


def _direction(scene: Scene, branch: Branch) -> str:
    return scene.words.directions[branch]


def _is_hollow(line: Line) -> bool:
    return bool(line.state.void_kind) or line.state.break_kind in {"真破", "动破", "有扶"}


def _when_day(scene: Scene) -> str:
    words, timing = scene.words, scene.timing
    if not timing.days:
        return ""
    day = timing.days[0]
    return words.advice_day.format(branch=timing.branches[0], month=day.month, day=day.day)


def _lost(scene: Scene) -> Iterator[Statement]:
    focus, situation = scene.judgement.focus, scene.derivation.situation
    way = _direction(scene, focus.branch)
    if focus.line is situation.world:
        yield say(scene, "lost_at_self", focus.line, way=way)
    elif focus.place is Place.HIDDEN:
        over = situation.lines[focus.position - 1]
        cover = scene.words.covers[over.seat.relation]
        yield say(scene, "lost_covered", over, way=way, cover=cover)
    else:
        yield say(scene, "lost_inner" if focus.position <= 3 else "lost_outer", way=way)
    thief = next((line for line in _kin(scene, "官鬼") if line.acts), None)
    if thief is None:
        yield say(scene, "lost_dropped")
    elif find_inability(thief, "克"):
        yield say(scene, "lost_thief_weak", thief)
    else:
        sex = scene.words.thief_sex[1 if thief.seat.is_yang else 0]
        key = "lost_hand_inner" if thief.seat.position <= 3 else "lost_hand_outer"
        yield say(scene, key, thief, sex=sex)
    if when := _when_day(scene):
        yield say(scene, "lost_when", when=when)


def _pet(scene: Scene) -> Iterator[Statement]:
    focus, situation = scene.judgement.focus, scene.derivation.situation
    way = _direction(scene, focus.branch)
    if focus.place is Place.HIDDEN:
        yield say(scene, "pet_covered", situation.lines[focus.position - 1], way=way)
    else:
        yield say(scene, "pet_inner" if focus.position <= 3 else "pet_outer", way=way)
    keeper = next((line for line in _kin(scene, "官鬼") if line.acts), None)
    yield say(scene, "pet_taken", keeper) if keeper else say(scene, "pet_strayed")
    if when := _when_day(scene):
        yield say(scene, "pet_when", when=when)


def _debt(scene: Scene) -> Iterator[Statement]:
    """应爻 is who owes, 妻财 the money (增删卜易·求财章)."""
    situation = scene.derivation.situation
    world, response = situation.world, situation.response
    if response.state.void_kind:
        yield say(scene, "debt_void", response)
    else:
        bearing = BEARING[response.seat.element][world.seat.element]
        yield say(scene, f"debt_{_LOVE[bearing]}", response)
    if (rival := _acting(scene, "兄弟")) is not None:
        yield say(scene, "debt_rival", rival)
    if (source := _acting(scene, "子孙")) is not None:
        yield say(scene, "debt_source", source)


def _health(scene: Scene) -> Iterator[Statement]:
    """Nothing here names an illness, a drug or a date; `rules` stay empty for that reason."""
    words, at = scene.words, (scene.judgement.focus.position,)
    healers = _kin(scene, "子孙")
    own = scene.judgement.matter.own
    if healers:
        way = _direction(scene, healers[0].seat.branch)
        yield Statement(words.advice_lines["health_doctor"].format(way=way), (), at)
    key = "health_rest" if own else "health_carer"
    yield Statement(words.advice_lines[key], (), at)


def _pregnancy(scene: Scene) -> Iterator[Statement]:
    """Like `_health`: nothing of the board is told, a doctor is."""
    text = scene.words.advice_lines["pregnancy_rest"]
    yield Statement(text, (), (scene.judgement.focus.position,))


def _sale(scene: Scene) -> Iterator[Statement]:
    situation, focus = scene.derivation.situation, scene.judgement.focus
    if (rival := _acting(scene, "兄弟")) is not None:
        yield say(scene, "sale_rival", rival)
    papers = _kin(scene, "父母")
    if papers and _is_hollow(papers[0]):
        yield say(scene, "sale_papers_hollow", papers[0])
    if situation.response.state.void_kind:
        yield say(scene, "sale_buyer_void", situation.response)
    if (source := _acting(scene, "子孙")) is not None:
        yield say(scene, "sale_buyers", source)
    yield say(scene, "sale_way", way=_direction(scene, focus.branch))


def _study(scene: Scene) -> Iterator[Statement]:
    situation = scene.derivation.situation
    if (rival := _acting(scene, "兄弟")) is not None:
        yield say(scene, "study_rivals", rival)
    if (money := _acting(scene, "妻财")) is not None:
        yield say(scene, "study_money", money)
    if (slack := _acting(scene, "子孙")) is not None:
        yield say(scene, "study_slack", slack)
    if situation.world.state.void_kind:
        yield say(scene, "study_nerves", situation.world)
    papers = _kin(scene, "父母")
    if papers and is_weak(papers[0].state):
        yield say(scene, "study_papers_weak", papers[0])
    elif papers and scene.judgement.score >= 0:
        yield say(scene, "study_papers_strong", papers[0])
    elif not papers:
        yield say(scene, "study_papers_absent")


def _documents(scene: Scene) -> Iterator[Statement]:
    papers = _kin(scene, "父母")
    if papers and _is_hollow(papers[0]):
        yield say(scene, "papers_hollow", papers[0])
    elif papers and is_weak(papers[0].state):
        yield say(scene, "papers_weak", papers[0])
    elif papers and scene.judgement.score >= 0:
        yield say(scene, "papers_strong", papers[0])
    if (money := _acting(scene, "妻财")) is not None:
        yield say(scene, "papers_money", money)
    if (official := _acting(scene, "官鬼")) is not None:
        yield say(scene, "papers_official", official)
    if when := _when_day(scene):
        yield say(scene, "papers_when", when=when)


def _travel(scene: Scene) -> Iterator[Statement]:
    situation = scene.derivation.situation
    deeds: tuple[tuple[Relation, str], ...] = (
        ("官鬼", "travel_trouble"),
        ("兄弟", "travel_expense"),
        ("父母", "travel_papers"),
        ("子孙", "travel_safe"),
    )
    for kin, key in deeds:
        line = _acting(scene, kin)
        if line is not None:
            yield say(scene, key, line)
    if when := _when_day(scene):
        yield say(scene, "travel_day", when=when)
    world = situation.world.seat.element
    worst = next((one for one in situation.lines if BEARING[one.seat.element][world] == "克"), None)
    if worst is not None:
        yield say(scene, "travel_avoid", worst, way=_direction(scene, worst.seat.branch))


def _lawsuit(scene: Scene) -> Iterator[Statement]:
    situation = scene.derivation.situation
    world, response = situation.world, situation.response
    mine, theirs = is_weak(world.state), is_weak(response.state)
    if mine != theirs:
        yield say(scene, "suit_weak" if mine else "suit_strong", world)
    if (peace := _acting(scene, "子孙")) is not None:
        yield say(scene, "suit_peace", peace)
    court = _kin(scene, "官鬼")
    if court and court[0] is not world:
        on_world = BEARING[court[0].seat.element][world.seat.element]
        on_response = BEARING[court[0].seat.element][response.seat.element]
        if on_world == "生":
            yield say(scene, "suit_court_mine", court[0])
        elif on_world == "克":
            yield say(scene, "suit_court_hard", court[0])
        elif on_response == "生" and court[0] is not response:
            yield say(scene, "suit_court_theirs", court[0])
    papers = _kin(scene, "父母")
    if papers:
        yield say(
            scene, "suit_papers_weak" if is_weak(papers[0].state) else "suit_papers", papers[0]
        )


def _career(scene: Scene) -> Iterator[Statement]:
    situation = scene.derivation.situation
    if (rebel := _acting(scene, "子孙")) is not None:
        yield say(scene, "job_rebel", rebel)
    if (rival := _acting(scene, "兄弟")) is not None:
        yield say(scene, "job_rival", rival)
    if (means := _acting(scene, "妻财")) is not None:
        yield say(scene, "job_means", means)
    papers = _kin(scene, "父母")
    if papers and _is_hollow(papers[0]):
        yield say(scene, "job_papers_hollow", papers[0])
    elif papers and is_weak(papers[0].state):
        yield say(scene, "job_papers_weak", papers[0])
    elif papers and scene.judgement.score >= 0:
        yield say(scene, "job_papers", papers[0])
    if situation.world.state.void_kind:
        yield say(scene, "job_unsure", situation.world)


def _wealth(scene: Scene) -> Iterator[Statement]:
    situation, focus = scene.derivation.situation, scene.judgement.focus
    if (rival := _acting(scene, "兄弟")) is not None:
        yield say(scene, "money_rival", rival)
    if (source := _acting(scene, "子孙")) is not None:
        yield say(scene, "money_source", source)
    if situation.response.state.void_kind:
        yield say(scene, "money_partner_void", situation.response)
    yield say(scene, "money_way", way=_direction(scene, focus.branch))
    sources = _kin(scene, "子孙")
    if sources and is_weak(sources[0].state):
        yield say(scene, "money_source_weak", sources[0])


def _love(scene: Scene) -> Iterator[Statement]:
    situation = scene.derivation.situation
    world, response = situation.world, situation.response
    low, high = sorted((world.seat.position, response.seat.position))
    between = [
        line
        for line in situation.lines
        if low < line.seat.position < high and line.acts and not find_inability(line, "克")
    ]
    if between:
        yield say(scene, "love_between", between[0])
    if response.state.void_kind:
        yield say(scene, "love_other_void", response)
    if world.state.void_kind:
        yield say(scene, "love_self_void", world)
    if COMBINE_OF[response.seat.branch] == world.seat.branch:
        yield say(scene, "love_combine", response)
    elif CLASH_OF[response.seat.branch] == world.seat.branch:
        yield say(scene, "love_clash", response)
    else:
        bearing = BEARING[response.seat.element][world.seat.element]
        yield say(scene, f"love_{_LOVE[bearing]}", response)


_LOVE: Final = {"生": "fed", "克": "pressed", "扶": "even", "休": "giving", "囚": "pressing"}


def _absent(scene: Scene) -> Iterator[Statement]:
    focus = scene.judgement.focus
    key = "absent_moving" if focus.moving else "absent_still"
    yield say(scene, key, way=_direction(scene, focus.branch))
    if (word := _acting(scene, "父母")) is not None:
        yield say(scene, "absent_word", word)
    if when := _when_day(scene):
        yield say(scene, "absent_when", when=when)


def _children(scene: Scene) -> Iterator[Statement]:
    if (strict := _acting(scene, "父母")) is not None:
        yield say(scene, "child_strict", strict)
    if (friend := _acting(scene, "兄弟")) is not None:
        yield say(scene, "child_friend", friend)
    focus = scene.judgement.focus
    yield say(scene, "child_weak" if is_weak(focus.state) else "child_strong")


def _friends(scene: Scene) -> Iterator[Statement]:
    situation = scene.derivation.situation
    bearing = BEARING[situation.response.seat.element][situation.world.seat.element]
    yield say(scene, f"friend_{_LOVE[bearing]}", situation.response)
    if (money := _acting(scene, "妻财")) is not None:
        yield say(scene, "friend_money", money)


def _home(scene: Scene) -> Iterator[Statement]:
    focus = scene.judgement.focus
    if (ghost := _acting(scene, "官鬼")) is not None:
        yield say(scene, "home_trouble", ghost)
    if (money := _acting(scene, "妻财")) is not None:
        yield say(scene, "home_money", money)
    yield say(scene, "home_way", way=_direction(scene, focus.branch))


def _weather(scene: Scene) -> Iterator[Statement]:
    deeds: tuple[tuple[Relation, str], ...] = (
        ("父母", "weather_rain"),
        ("妻财", "weather_clear"),
        ("子孙", "weather_sun"),
        ("兄弟", "weather_wind"),
        ("官鬼", "weather_thunder"),
    )
    for kin, key in deeds:
        line = _acting(scene, kin)
        if line is not None:
            yield say(scene, key, line)


def _other(scene: Scene) -> Iterator[Statement]:
    situation = scene.derivation.situation
    deeds: tuple[tuple[Relation, str], ...] = (
        ("子孙", "other_relief"),
        ("官鬼", "other_worry"),
        ("兄弟", "other_peers"),
        ("父母", "other_toil"),
        ("妻财", "other_means"),
    )
    for kin, key in deeds:
        line = _acting(scene, kin)
        if line is not None:
            yield say(scene, key, line)
    bearing = BEARING[situation.response.seat.element][situation.world.seat.element]
    yield say(scene, f"other_{_LOVE[bearing]}", situation.response)


BY_TOPIC: Final[dict[Topic | SpecialMatter, Callable[[Scene], Iterator[Statement]]]] = {
    Topic.CAREER: _career,
    Topic.WEALTH: _wealth,
    Topic.LOVE: _love,
    Topic.HEALTH: _health,
    Topic.STUDY: _study,
    Topic.DOCUMENTS: _documents,
    Topic.TRAVEL: _travel,
    Topic.ABSENT: _absent,
    Topic.LOST: _lost,
    Topic.LAWSUIT: _lawsuit,
    Topic.CHILDREN: _children,
    Topic.FRIENDS: _friends,
    Topic.HOME: _home,
    Topic.WEATHER: _weather,
    Topic.OTHER: _other,
    SpecialMatter.PREGNANCY: _pregnancy,
    SpecialMatter.SALE: _sale,
    SpecialMatter.EXAM: _study,
    SpecialMatter.DEBT: _debt,
    SpecialMatter.PET: _pet,
    SpecialMatter.RAIN: _weather,
    SpecialMatter.WIND: _weather,
    SpecialMatter.THUNDER: _weather,
}
