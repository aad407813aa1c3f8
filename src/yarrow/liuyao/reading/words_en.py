"""English words. Canonical terms stay Chinese, as the protocol asks."""

from typing import Final

from yarrow.liuyao.reading.care import Care
from yarrow.liuyao.reading.matters import Topic
from yarrow.liuyao.reading.words import ReadingWords

EN: Final = ReadingWords(
    stop=".",
    pause=", ",
    and_=", and ",
    verdicts={
        Topic.CAREER: (
            "the work you ask about can succeed, and the chance is within reach",
            "the work you ask about is likely to succeed if you move steadily",
            "there is more resistance than help in this work matter, so make no big move yet",
            "this work matter is unlikely to succeed now: hold your ground rather than advance",
        ),
        Topic.WEALTH: (
            "the money is strong and can be had",
            "there is money to be had, if you choose the moment well",
            "money comes hard here: much effort for a limited gain",
            "money is held down, so this is no time to put more in",
        ),
        Topic.LOVE: (
            "both sides answer each other and the bond can hold",
            "the bond is fair, and grows if it is tended",
            "there is distance between you and progress is slow",
            "the time does not fit, and forcing it will not help",
        ),
        Topic.HEALTH: (
            "things are steady and recovery is in sight",
            "things are broadly steady; rest and take care",
            "more is being spent than restored, so pay attention",
            "the strain is heavy: see a doctor early and rest well",
        ),
        Topic.STUDY: (
            "the papers are with you and the result can be what you hope for",
            "there is good hope if you keep at it",
            "the pressure is real; guard against slips on the day",
            "the preparation is not enough yet and the result may disappoint",
        ),
        Topic.DOCUMENTS: (
            "the papers go through smoothly",
            "the papers can be done with a few detours",
            "expect delays and papers sent back for completion",
            "the papers are unlikely to go through now; wait or find another way",
        ),
        Topic.TRAVEL: (
            "the journey is smooth and can start on time",
            "the journey can be made with a little preparation",
            "the journey meets inconvenience; take it slowly",
            "this is no time for a long journey; better to postpone",
        ),
        Topic.ABSENT: (
            "the person means to return and news can be expected",
            "the person is well enough, and returns somewhat late",
            "news is slow and the return is not yet in sight",
            "the return is far off; ask in several places",
        ),
        Topic.LOST: (
            "the thing can be found",
            "there is hope of finding it if you look soon",
            "finding it will not be easy",
            "its trace is faint; do not hold on too hard",
        ),
        Topic.LAWSUIT: (
            "the position favours you and the dispute can be resolved",
            "there is room to manoeuvre; peace is worth more than winning",
            "the position leans against you; look for a settlement",
            "the position is against you; do not force the contest",
        ),
        Topic.CHILDREN: (
            "the matter of the young one goes well",
            "the matter of the young one is broadly steady",
            "the young one needs effort and patience",
            "the matter is not smooth now and must not be rushed",
        ),
        Topic.FRIENDS: (
            "you are of one mind and can work together",
            "the friendship is good, and cooperation works with clear limits",
            "it is hard to agree; set the rules before you work together",
            "you do not fit together; better not to go into this jointly",
        ),
        Topic.OTHER: (
            "what you ask goes well and you can act freely",
            "it can broadly be done; advance steadily",
            "there is more hindrance than help; take it slowly",
            "the time has not come; stay quiet and wait",
        ),
    },
    conclusion="{opening}. {focus}: {reasons}. On the whole {verdict}.",
    day_clashes="日辰 {day} clashes it",
    opening_still="The hexagram is {name}, with no moving line",
    opening_moving="The hexagram is {name}, changing to {target}",
    focus_shown="用神 is {what}, the line {label}",
    focus_hidden="用神 is {what}, which is not on the board; {label} lies hidden under {over}",
    focus_names={
        "父母": "父母",
        "兄弟": "兄弟",
        "妻财": "妻财",
        "官鬼": "官鬼",
        "子孙": "子孙",
        "世": "世爻",
        "应": "应爻",
    },
    reasons_good="{main}",
    reasons_good_although="although {other}, {main}",
    reasons_bad="{main}",
    reasons_bad_despite="although {other}, {main}",
    partner_guessed=("{focus} (it is not known who asks, so 应爻 stands for the partner)"),
    world_own="世爻 {label} stands for you and is {strength}; {relation}",
    world_other=(
        "This is about somebody else, so 用神 decides and 世爻 {label} only shows the tie; "
        "{relation}"
    ),
    world_is_focus=(
        "世爻 is itself 用神, so it depends on you; 应爻 {label} is the other side: {relation}"
    ),
    world_holds=(
        "用神 holds 世, so the matter is tied to you; 应爻 {label} is the other side: {relation}"
    ),
    world_even="用神 and 世爻 share an element and stand level",
    strong="strong",
    weak="weak",
    balanced="evenly balanced",
    response_bears={
        "生": "应 feeds 世, so help comes from outside",
        "克": "应 controls 世, so pressure comes from outside",
        "扶": "世 and 应 stand level",
        "休": "世 feeds 应, so the giving is yours",
        "囚": "世 controls 应, so the initiative is yours",
    },
    timing_delayed="The time has not quite come: {rule}. Watch {days}; for slow matters {months}",
    timing_plain="Timing: {rule}. Watch {days}; for slow matters {months}",
    timing_day="{branch} days (the next is {year}-{month:02}-{day:02})",
    timing_month="the {branch} month (after {jie})",
    point_focus="用神 {label} {qi}: {state}; with {spirit}",
    point_hidden="用神 {label} is a 伏神 and {qi}: {state}; 飞神 is {over}",
    has_qi="has qi",
    no_qi="lacks qi",
    spirits={
        "青龙": "青龙, a colour of ease",
        "朱雀": "朱雀, a colour of words and papers",
        "勾陈": "勾陈, a colour of slowness and entanglement",
        "螣蛇": "螣蛇, a colour of needless alarm",
        "白虎": "白虎, a colour of haste and force",
        "玄武": "玄武, a colour of things unsaid",
    },
    point_time="月建 {month}, 日辰 {day}, 旬空 {void}: {by_month}, and {by_day}",
    point_moving="{label} moves and becomes {after} ({tags}); it {effect}",
    point_moving_focus="用神 {label} itself moves and becomes {after} ({tags})",
    point_stirred="{label} is stirred by 日辰 (暗动); it {effect}",
    point_still="No line moves, so 月建 and 日辰 decide",
    effect_on_focus={
        "生": "is 元神 and feeds 用神",
        "克": "is 忌神 and controls 用神",
        "扶": "is of one kind with 用神 and supports it",
        "休": "drains 用神",
        "囚": "is controlled by 用神 and ties up its strength",
    },
    point_world="世爻 {label}: {state}",
    special={
        "六冲卦": "六冲卦: things scatter or change; quick matters succeed, slow ones fall apart",
        "六合卦": "六合卦: things gather and hold; patience serves better than haste",
        "游魂卦": "游魂卦: the mind is unsettled and things shift about",
        "归魂卦": "归魂卦: things tend back to where they were; setting out is hard",
        "六冲变六合": "六冲变六合: scattered first, gathered later",
        "六合变六冲": "六合变六冲: gathered first, scattered later; guard the ending",
        "变六冲": "变六冲: guard against loosening later on",
        "变六合": "变六合: later things come together",
        "六冲变六冲": "六冲变六冲: restless from beginning to end",
        "六合变六合": "六合变六合: harmonious from beginning to end",
        "反吟": "反吟: things turn back and forth",
        "伏吟": "伏吟: hesitation and a heavy heart",
        "独发": "独发: a single moving line holds the key",
        "独静": "独静: five lines move, and the still one is the hinge",
        "六爻皆动": "六爻皆动: everything shifts; watch until it settles",
        "六爻安静": "六爻安静: nothing changes for the time being",
    },
    triad_complete="{members} 三合{element}局 is complete and strong in numbers",
    triad_waiting="{members} 三合{element}局 lacks {missing} and waits for its day or month",
    kin_trouble={
        "父母": "elders, paperwork or toil (父母)",
        "兄弟": "peers, rivals or extra expense (兄弟)",
        "妻财": "money or the lure of a bargain (妻财)",
        "官鬼": "rules, authorities or hidden obstruction (官鬼)",
        "子孙": "slackness, pleasure or defiance (子孙)",
    },
    kin_help={
        "父母": "elders, teachers or documents (父母)",
        "兄弟": "peers, friends or partners (兄弟)",
        "妻财": "money, means or a companion (妻财)",
        "官鬼": "superiors, authorities or the rules (官鬼)",
        "子孙": "younger people, staff or those who know the craft (子孙)",
    },
    advice_void=(
        "用神 is void: settle nothing yet; move once it is filled, around a {branch} day."
    ),
    advice_broken="用神 is broken by the month: do not push now; take it up again next month.",
    advice_bound="The matter is bound: finish what ties you; it loosens around a {branch} day.",
    advice_tomb="用神 lies in its tomb: gather strength and try again around a {branch} day.",
    advice_hidden="The matter is not in the open yet: ask around and find an introduction first.",
    advice_turned_back="Moving first turns against you here: let the other side move.",
    advice_trouble="Guard against trouble from {trouble}.",
    advice_help="Lean on {help}.",
    advice_concord={
        "六冲": "The hexagram clashes (六冲): decide quickly what can be decided.",
        "六合": "The hexagram combines (六合): put harmony first and go step by step.",
        "": "",
    },
    advice_fan_yin="Things will turn back and forth (反吟): leave yourself room.",
    advice_fu_yin="Rather than linger (伏吟), do one small and solid thing to get moving.",
    advice={
        Topic.CAREER: (
            "The chance is here: prepare early and reach for it.",
            "Secure what you have and build up before you change.",
        ),
        Topic.WEALTH: (
            "Stay within your means and take the gain when it is there.",
            "Keep your capital; put off investing and lending.",
        ),
        Topic.LOVE: (
            "Be sincere and say what you mean.",
            "Give each other room and force nothing.",
        ),
        Topic.HEALTH: (
            "Keep regular hours and follow your doctor's advice.",
            "See a doctor early; do not put it off.",
        ),
        Topic.STUDY: (
            "Keep your rhythm and close the gaps.",
            "Change the method; mend the weakest part first.",
        ),
        Topic.DOCUMENTS: (
            "Prepare the papers and follow the procedure.",
            "Check papers and clauses one by one and allow time for corrections.",
        ),
        Topic.TRAVEL: (
            "Prepare as planned and travel light.",
            "Keep a second plan; postpone if you can.",
        ),
        Topic.ABSENT: (
            "Stay in touch and wait calmly.",
            "Ask people you know in several places; do not only wait.",
        ),
        Topic.LOST: (
            "Search the places you were last, one after the other.",
            "Report the loss in time, so that nothing more is lost.",
        ),
        Topic.LAWSUIT: (
            "Have your evidence ready and speak calmly.",
            "Hear a lawyer, and settle if you can.",
        ),
        Topic.CHILDREN: ("Be present more and interfere less.", "Ask for less and listen first."),
        Topic.FRIENDS: (
            "Be open and keep clear accounts.",
            "Write the terms down before you begin.",
        ),
        Topic.OTHER: (
            "Keep your direction and advance steadily.",
            "Slow down until conditions ripen.",
        ),
    },
    advice_general=(
        "Go with the current; there is no need to hurry.",
        "When you meet resistance, pause and look for another way.",
    ),
    advice_rest="Keep a steady routine; see the doctor again if anything changes.",
    keyword_focus="用神 {what}",
    keyword_day="应期 {branch}",
    answer_verdict="By the hexagram this is {level}: {verdict}. ",
    answer_when="{timing}. ",
    answer_advice="{advice} ",
    care_notes={
        Care.NONE: "",
        Care.HEALTH: "A hexagram cannot replace a doctor; if you feel unwell, please see one. ",
        Care.MEDICINE: (
            "A hexagram cannot diagnose or choose medicine; please leave both to your doctor. "
        ),
        Care.LIFESPAN: (
            "How long somebody lives is not for a hexagram to say; please talk to the doctors. "
        ),
        Care.LEGAL: "This is for reflection only; for legal decisions please ask a lawyer. ",
        Care.SELF_HARM: (
            "Please reach somebody you trust now, or call your local emergency number or a "
            "crisis line. "
        ),
    },
    closing="This follows the rules of the board and is for reflection; the choice is yours.",
    withheld={
        Care.SELF_HARM: (
            "Your safety matters more than any hexagram right now, so no verdict is drawn here.",
            "It took courage to say this. Nobody should carry so much pain alone.",
        ),
        Care.LIFESPAN: (
            "How long somebody lives is not for a hexagram to say; no verdict is drawn here, "
            "and the sign level says nothing about it.",
            "Leave the illness to the doctors and give the time to each other.",
        ),
    },
    withheld_points=(
        "The hexagram is {name}, the changed hexagram {target}.",
        "月建 is {month}, 日辰 is {day}.",
        "世爻 is {world}, 应爻 is {response}.",
    ),
    withheld_advice={
        Care.SELF_HARM: (
            "Please contact somebody you trust now and ask them to stay with you.",
            "If you might hurt yourself soon, call your local emergency number or go to the "
            "nearest emergency room.",
            "A local crisis line connects you with people trained to listen.",
        ),
        Care.LIFESPAN: (
            "Talk to the doctors about the illness and what can still be done.",
            "Those who care for the sick need rest too; let family and friends share the load.",
        ),
    },
    withheld_keywords={
        Care.SELF_HARM: ("safety first", "help is available", "crisis line"),
        Care.LIFESPAN: ("no verdict on life span", "ask the doctors", "company"),
    },
)
