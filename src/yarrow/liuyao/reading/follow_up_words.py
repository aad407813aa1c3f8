"""The words of answers to follow-up questions, in Chinese and English."""

from enum import Enum, auto
from typing import Final

from msgspec import Struct

from yarrow.liuyao.five_elements import Bearing
from yarrow.liuyao.reading.branch_effects import BranchEffect


class Comparison(Enum):
    """How the best of some coming times compares with the time of the cast."""

    BETTER = auto()
    EVEN = auto()
    EVEN_BUT = auto()
    """Even, while some of the coming times are bad."""
    BOTH_BAD = auto()
    WORSE = auto()


class FollowUpWords(Struct, frozen=True):
    """Templates; `{…}` names are filled by the plan."""

    thanks: str
    why: str
    why_item: str
    why_rest: str
    why_total: str
    numerals: tuple[str, ...]
    adds: str
    takes: str
    obstacle: str
    obstacle_acts: str
    obstacle_spent: str
    obstacle_greedy: str
    obstacle_still: str
    obstacle_absent: str
    obstacle_time: str
    obstacle_trouble: str
    helper: str
    helper_acts: str
    helper_spent: str
    helper_still: str
    helper_absent: str
    helper_time: str
    helper_kin: str
    no_time_help: str
    if_not: str
    if_not_choices: tuple[str, str, str, str]
    if_stays: tuple[str, str, str, str]
    if_fails: str
    if_feared: tuple[str, str]
    period: str
    period_effects: dict[BranchEffect, str]
    weather_effects: dict[BranchEffect, str]
    period_plain: str
    period_days: str
    period_days_plain: str
    compare_days: dict[Comparison, str]
    day_name: str
    period_beyond: str
    coming_year: str
    coming_days: str
    first_days: str
    no_bad_time: str
    no_bad_day: str
    compare: dict[Comparison, str]
    compare_feared: tuple[str, str, str]
    keeps_level: tuple[str, str]
    other_side: str
    other_moves: str
    other_will: dict[Bearing, str]
    taker_unnamed: str
    where: str
    inner: str
    outer: str
    advice: str
    sure: str
    topic: str
    other_matter: str
    beyond: str
    open_: str
    hint: str


ZH: Final = FollowUpWords(
    thanks="不客气，愿事情顺遂。还有想问的，另起一卦即可。",
    why="{focus}。断为{level}，依次看这几处：",
    why_item="{number}、{phrase}（{change}，{basis}）",
    why_rest="；另有{count}条轻微的不列",
    why_total="。合计{score}分：四分以上为上上签，零分以上为中上签，负四分以上为中下签，再低为下下签。",
    numerals=("一", "二", "三", "四", "五", "六", "七", "八"),
    adds="加{value}",
    takes="减{value}",
    obstacle="阻碍看忌神。用神{focus}，忌神为{kin}：",
    obstacle_acts="{label}{motion}，正来克用神",
    obstacle_spent="{label}{motion}，然{reason}，不能克用神",
    obstacle_greedy="{label}{motion}，然元神同动，贪生忘克",
    obstacle_still="{labels}安静未动，眼下不为害",
    obstacle_absent="六爻不见，无人从中作对",
    obstacle_time="时令上，{causes}",
    obstacle_trouble="落到人事，是{trouble}。",
    helper="助力看元神。用神{focus}，元神为{kin}：",
    helper_acts="{label}{motion}，正来生用神",
    helper_spent="{label}{motion}，然{reason}，无力生用神",
    helper_still="{labels}安静未动，要等它逢值逢冲才出力",
    helper_absent="六爻不见，助力一时难寻",
    helper_time="时令上，{causes}",
    helper_kin="落到人事，可找{help}。",
    no_time_help="月建日辰都不来生扶",
    if_not="若不如此，看世爻与应爻。世爻（{world}）{world_state}；应爻（{response}）{relation}。",
    if_not_choices=(
        "事本可成，世爻亦稳，不做也无大失，只是错过这一回。",
        "事本可成，而世爻力弱，守着不动反而更难，宁可一试。",
        "事既难成，世爻却稳，守住现状胜过勉强去做。",
        "事既难成，世爻也力弱，不动也不轻松，先养精神，不急着作决定。",
    ),
    if_stays=(
        "留下即是守这段缘分：缘分可成，世爻亦稳，值得再用心经营。",
        "留下即是守这段缘分：缘分可成，而世爻力弱，先顾好自己，慢慢来。",
        "留下即是守这段缘分：缘分难成，世爻却稳，留下多是勉强，好在自己站得住。",
        "留下即是守这段缘分：缘分难成，世爻也力弱，勉强留下更耗心力，先找人商量。",
    ),
    if_fails="这一步不由问卦之人作主，看用神：{verdict}，属{level}。若真不成，可以这样做：",
    if_feared=(
        "世爻站得稳，即便所忧成真也承受得住。",
        "世爻力弱，宜先找人分担，留好退路。",
    ),
    period="问“{period}”，看用神（{focus}）在其间各月的旺衰。",
    period_effects={
        BranchEffect.FEEDS: "{times}生扶用神，较为有利",
        BranchEffect.COMBINES: "{times}与用神相合，较为有利",
        BranchEffect.STRIKES: "{times}冲克用神，宜避",
    },
    weather_effects={
        BranchEffect.FEEDS: "{times}生扶用神，所问的天气较易应验",
        BranchEffect.COMBINES: "{times}与用神相合，所问的天气较易应验",
        BranchEffect.STRIKES: "{times}冲克用神，所问的天气不易应验",
    },
    period_plain="其间各月对用神既不生扶也不冲克，平平",
    period_days="问“{period}”，看用神（{focus}）逢其间各日如何。",
    period_days_plain="其间各日对用神既不生扶也不冲克，平平",
    compare_days={
        Comparison.BETTER: "其中较好之日胜过起卦的{now}日，等一等值得。",
        Comparison.EVEN: "与起卦的{now}日相差不大，早晚都可。",
        Comparison.EVEN_BUT: "避开这些不利之日，其中最好的与起卦的{now}日相差不大。",
        Comparison.BOTH_BAD: "起卦的{now}日与那时同样不利，宜另择日子。",
        Comparison.WORSE: "不如起卦的{now}日，要做就趁早。",
    },
    day_name="{branch}日（{year}年{month}月{day}日）",
    period_beyond="“{period}”在节气表之外，无从推算",
    coming_year="未来一年",
    coming_days="今起十二天",
    first_days="{period}的头十二天",
    no_bad_time="其间没有冲克用神之月",
    no_bad_day="其间没有冲克用神之日",
    compare={
        Comparison.BETTER: "其中较好之月胜过眼下的{now}月，等一等值得。",
        Comparison.EVEN: "与眼下的{now}月相差不大，早晚都可。",
        Comparison.EVEN_BUT: "避开这些不利之月，其中最好的与眼下的{now}月相差不大。",
        Comparison.BOTH_BAD: "眼下的{now}月与那时同样不利，宜另择时候。",
        Comparison.WORSE: "不如眼下的{now}月，要做就趁早。",
    },
    compare_feared=("那时比现在安稳。", "那时与现在相差不大。", "那时比现在更须留心。"),
    keeps_level=(
        "卦之大势仍是{level}，换个时候只改迟速。",
        "卦之大势仍是{level}，换个时候能减阻力，未必能改结果。",
    ),
    other_side="对方看应爻。应爻（{label}）{state}；{relation}。",
    other_moves="应爻发动，化{after}，对方已有动作。",
    other_will={
        "生": "应来生世，对方多半愿意。",
        "扶": "世应比和，好好说，对方肯商量。",
        "克": "应来克世，对方眼下不肯相让。",
        "休": "世去生应，须我先付出，对方才会松口。",
        "囚": "世能克应，对方勉强可从，逼紧了反而不成。",
    },
    taker_unnamed="至于究竟是谁，卦断不出。",
    where="方位看用神（{focus}）：宜取{way}；{place}。",
    inner="在内卦，近处、家中或身边",
    outer="在外卦，远处、外头或别人那里",
    advice="可以这样做：{items}",
    sure="卦上助用神者{good}条，合{plus}分；损用神者{bad}条，合{minus}分；相抵得{score}分，属{level}。卦只说倾向，不是定数。",
    topic="同一卦改看{topic}：{focus}。{reasons}，{verdict}，为{level}。",
    other_matter="“{question}”是另一件事。此卦为“{first}”而起，一卦只断一事，不能拿来断它；请为它另起一卦。这一问不算追问。",
    beyond="“{question}”问的是人名、样貌或数目；卦只断成败、缘由、时机与方向，断不出这个。",
    open_="就“{question}”再看此卦：{focus}。{reasons}，{verdict}。",
    hint="想知道何时、为何、若不如此、谁在阻碍、何来助力，可以直接这样问。",
)

EN: Final = FollowUpWords(
    thanks="You are welcome, and I hope it goes well. For another matter, cast again.",
    why="{focus}. It is {level} for these reasons, in order: ",
    why_item="{number}. {phrase} ({change}, {basis})",
    why_rest="; {count} slight ones are left out",
    why_total=". Together {score}: 4 and more is 上上签, 0 and more 中上签, above -4 中下签, "
    "less 下下签. ",
    numerals=("1", "2", "3", "4", "5", "6", "7", "8"),
    adds="+{value}",
    takes="-{value}",
    obstacle="What stands in the way is 忌神. 用神 is {focus}, 忌神 is {kin}: ",
    obstacle_acts="{label} {motion} and controls 用神",
    obstacle_spent="{label} {motion}, but {reason}, unable to harm 用神",
    obstacle_greedy="{label} {motion}, but 元神 acts with it and it forgets to harm (贪生忘克)",
    obstacle_still="{labels} lies still and does no harm for now",
    obstacle_absent="no line shows it, so nobody works against you",
    obstacle_time="of the time, {causes}",
    obstacle_trouble="Among people this is {trouble}. ",
    helper="What helps is 元神. 用神 is {focus}, 元神 is {kin}: ",
    helper_acts="{label} {motion} and feeds 用神",
    helper_spent="{label} {motion}, but {reason}, too weak to feed 用神",
    helper_still="{labels} lies still and helps only on its own day or when clashed",
    helper_absent="no line shows it, so help is hard to find for now",
    helper_time="of the time, {causes}",
    helper_kin="Among people, turn to {help}. ",
    no_time_help="neither month nor day helps",
    if_not="If not, look at 世爻 and 应爻. 世爻 {world} is {world_state}; 应爻 {response}: "
    "{relation}. ",
    if_not_choices=(
        "The matter could succeed and you stand firm: leaving it costs little but the chance. ",
        "The matter could succeed and you are weak: staying put is harder than trying. ",
        "The matter is unlikely and you stand firm: keeping things as they are is better. ",
        "The matter is unlikely and you are weak too: gather strength and decide nothing now. ",
    ),
    if_stays=(
        "Staying means keeping this bond: it can hold and you stand firm, so it is worth tending. ",
        "Staying means keeping this bond: it can hold, but you are weak; look after yourself and "
        "go slowly. ",
        "Staying means keeping this bond: it will hardly hold; you stand firm, but staying is "
        "forced. ",
        "Staying means keeping this bond: it will hardly hold and you are weak too; staying costs "
        "more strength, so talk to somebody first. ",
    ),
    if_fails="That is not up to you; by 用神 {verdict} ({level}). Should it not come about: ",
    if_feared=(
        "You stand firm: even if it comes, you can bear it. ",
        "You are weak: let somebody share the load and keep a way out. ",
    ),
    period="For “{period}” see how 用神 ({focus}) fares in its months: ",
    period_effects={
        BranchEffect.FEEDS: "favourable {times} (feeding or supporting it)",
        BranchEffect.COMBINES: "favourable {times} (combining with it)",
        BranchEffect.STRIKES: "unfavourable {times} (clashing or controlling it)",
    },
    weather_effects={
        BranchEffect.FEEDS: "the weather asked about is likely on {times} (feeding or supporting "
        "it)",
        BranchEffect.COMBINES: "the weather asked about is likely on {times} (combining with it)",
        BranchEffect.STRIKES: "the weather asked about is unlikely on {times} (clashing or "
        "controlling it)",
    },
    period_plain="none of its months helps or hurts it",
    period_days="For “{period}” see how 用神 ({focus}) fares on its days: ",
    period_days_plain="none of its days helps or hurts it",
    compare_days={
        Comparison.BETTER: "Its better days beat the {now} day of the cast; waiting is worth it. ",
        Comparison.EVEN: "That is much like the {now} day of the cast; sooner or later makes "
        "little difference. ",
        Comparison.EVEN_BUT: "Avoid those days; the best are much like the {now} day of the cast. ",
        Comparison.BOTH_BAD: "Neither that time nor the {now} day of the cast is good; choose "
        "another. ",
        Comparison.WORSE: "That is worse than the {now} day of the cast; if at all, do it early. ",
    },
    day_name="the {branch} day ({year}-{month:02}-{day:02})",
    period_beyond="“{period}” lies beyond the table of solar terms",
    coming_year="the coming year",
    coming_days="the coming twelve days",
    first_days="the first twelve days of {period}",
    no_bad_time="none of its months clashes or controls it",
    no_bad_day="none of its days clashes or controls it",
    compare={
        Comparison.BETTER: "Its better months beat the present {now} month; waiting is worth it. ",
        Comparison.EVEN: "That is much like the present {now} month; sooner or later makes "
        "little difference. ",
        Comparison.EVEN_BUT: "Avoid those months; the best are much like the present {now} month. ",
        Comparison.BOTH_BAD: "Neither that time nor the present {now} month is good; choose "
        "another. ",
        Comparison.WORSE: "That is worse than the present {now} month; if at all, do it early. ",
    },
    compare_feared=(
        "That time is safer than now. ",
        "That time is much like now. ",
        "That time needs more care than now. ",
    ),
    keeps_level=(
        "The whole remains {level}; another time changes only the pace. ",
        "The whole remains {level}; another time means less resistance, not another outcome. ",
    ),
    other_side="The other side is 应爻 {label}, {state}; {relation}. ",
    other_moves="It moves into {after}: the other side is acting already. ",
    other_will={
        "生": "应 feeds 世: the other side is likely to be willing. ",
        "扶": "世 and 应 stand level: the other side can be talked to. ",
        "克": "应 controls 世: the other side does not give way for now. ",
        "休": "世 feeds 应: you must give first before the other side gives way. ",
        "囚": "世 controls 应: the other side yields if you do not press too hard. ",
    },
    taker_unnamed="Who exactly it was, no board tells. ",
    where="The direction follows 用神 ({focus}): {way}; {place}. ",
    inner="it is in the inner trigram: near, at home or with you",
    outer="it is in the outer trigram: far, outside or with others",
    advice="What you can do: {items} ",
    sure="{good} rules help 用神 with {plus}, {bad} hurt it with {minus}; together {score}, which "
    "is {level}. A hexagram shows a tendency, not a certainty. ",
    topic="The same board for {topic}: {focus}: {reasons}. On the whole {verdict}: {level}. ",
    other_matter="“{question}” is another matter. This board was cast for “{first}”, and one board "
    "answers one matter: please cast again for it. This question does not count as the follow-up.",
    beyond="“{question}” asks for a name, a number or somebody's looks: a board tells only "
    "whether, why, "
    "when and where to, and not that. ",
    open_="On “{question}” the same board says: {focus}: {reasons}. On the whole {verdict}. ",
    hint="You can ask when, why, what if not, what stands in the way or what helps. ",
)
