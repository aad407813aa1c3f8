"""The words a reading is made of. One text plan, one table of words for each language."""

from msgspec import Struct

from yarrow.liuyao.five_elements import Bearing, Relation
from yarrow.liuyao.hexagrams import Concord
from yarrow.liuyao.reading.asker import Asker, AskerSource
from yarrow.liuyao.reading.sensitive_questions import Sensitivity
from yarrow.liuyao.reading.strength import Inability
from yarrow.liuyao.reading.topics import Topic
from yarrow.liuyao.reading.yong_shen import FocusKind, SpecialMatter
from yarrow.liuyao.six_spirits import Spirit
from yarrow.liuyao.stems_branches import Branch


class ReadingWords(Struct, frozen=True):
    """Templates; `{…}` names are filled by the plan. Canonical terms stay Chinese everywhere."""

    stop: str
    pause: str
    semicolon: str
    and_: str
    verdicts: dict[Topic | SpecialMatter, tuple[str, str, str, str]]
    conclusion: str
    scope_first: str
    scope_bond: str
    assumed: str
    assumed_topics: dict[Topic, str]
    opened: tuple[str, str, str, str]
    opening_still: str
    opening_stirred: str
    opening_moving: str
    focus_shown: str
    focus_hidden: str
    focus_by_day: str
    focus_by_month: str
    focus_changed: str
    focus_names: dict[FocusKind, str]
    reasons_good: str
    reasons_good_although: str
    reasons_bad: str
    reasons_bad_despite: str
    partner_guessed: str
    asker_known: dict[Asker, str]
    asker_source: dict[AskerSource, str]
    world_own: str
    world_other: str
    world_controls_other: str
    world_controls_weakly: str
    world_harms: str
    world_spurns_post: str
    world_is_focus: str
    world_holds: str
    world_even: str
    strong: str
    strong_by_lines: str
    weak: str
    weak_by_lines: str
    balanced: str
    response_bears: dict[Bearing, str]
    response_resists: str
    timing_delayed: str
    timing_plain: str
    timing_feared: str
    timing_day: str
    timing_month: str
    timing_this_month: str
    timing_both: str
    timing_within: str
    timing_not_within: str
    point_focus: str
    point_hidden: str
    has_qi: str
    no_qi: str
    day_qi: str
    spirits: dict[Spirit, str]
    point_absent: str
    point_side: str
    point_side_absent: str
    side_names: tuple[str, str]
    is_moving: str
    is_stirred: str
    is_still: str
    point_moving: str
    point_moving_focus: str
    point_stirred: str
    point_still: str
    effect_on_focus: dict[Bearing, str]
    effect_clash: str
    effect_on_ruler: str
    effect_becomes: str
    effect_spent: dict[Bearing, str]
    effect_greedy: str
    inability: dict[Inability, str]
    point_world: str
    special: dict[str, str]
    triad_complete: str
    triad_waiting: str
    kin_trouble: dict[Relation, str]
    kin_help: dict[Relation, str]
    advice_void: str
    advice_broken: str
    advice_bound: str
    advice_tomb: str
    advice_hidden: str
    advice_turned_back: str
    advice_trouble: str
    advice_help: str
    advice_concord: dict[Concord, str]
    advice_fan_yin: str
    advice_fu_yin: str
    advice_harm_spent: str
    counsel: dict[Topic | SpecialMatter, tuple[str, str, str, str]]
    advice_lines: dict[str, str]
    directions: dict[Branch, str]
    covers: dict[Relation, str]
    thief_sex: tuple[str, str]
    motion: tuple[str, str]
    advice_general: tuple[str, str]
    keyword_focus: str
    keyword_day: str
    keyword_month: str
    answer_verdict: str
    answer_when: str
    answer_reason: str
    answer_advice: str
    sensitivity_notes: dict[Sensitivity, str]
    closing: str
    withheld: dict[Sensitivity, tuple[str, ...]]
    withheld_points: tuple[str, ...]
    withheld_advice: dict[Sensitivity, tuple[str, ...]]
    withheld_keywords: dict[Sensitivity, tuple[str, ...]]
