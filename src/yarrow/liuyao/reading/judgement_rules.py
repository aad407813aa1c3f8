"""The rules a judgement rests on: what each says, how much it weighs, where it is written.

A data table. The directions are the classics' (增删卜易, 卜筮正宗); the weights are a convention
and belong to rules, never to cases (docs/decisions/0007-liuyao-reading-weights.md). In phrases 之
(English "it") is the line judged, {actor} another line, {month} and {day} the branches of the time.
"""

from typing import Final

from yarrow.liuyao.reading.change_rules import CHANGES as CHANGES  # noqa: PLC0414 - part of this table
from yarrow.liuyao.reading.change_rules import ReadingRule

IS_MONTH: Final = ReadingRule(
    "临月建", 2.5, "临月建{month}当令", "it is 月建 {month} itself", "增删卜易·月将章"
)
MONTH_SAME: Final = ReadingRule(
    "月扶", 2.0, "月建{month}扶之", "月建 {month} supports it", "增删卜易·月将章"
)
MONTH_FEEDS: Final = ReadingRule(
    "月生", 2.0, "月建{month}生之", "月建 {month} feeds it", "增删卜易·月将章"
)
MONTH_LINGERS: Final = ReadingRule(
    "余气", 0.3, "月令尚存余气", "it keeps qi left over from its season", "增删卜易·四时旺相章"
)
MONTH_DRAINS: Final = ReadingRule(
    "月休", -0.5, "泄气于月建而休", "it rests in this month (休)", "卜筮正宗·旺相休囚论"
)
MONTH_CONFINES: Final = ReadingRule(
    "月囚", -1.0, "囚于月令", "it is confined in this month (囚)", "卜筮正宗·旺相休囚论"
)
MONTH_CONTROLS: Final = ReadingRule(
    "月克", -2.0, "月建{month}克之", "月建 {month} controls it (克)", "增删卜易·月将章"
)
MONTH_BROKEN: Final = ReadingRule(
    "月破（真破）",
    -3.0,
    "逢月破而无救",
    "it is broken by the month (月破) and nothing helps",
    "增删卜易·月破章",
)
MONTH_BROKEN_SOFT: Final = ReadingRule(
    "月破",
    -0.8,
    "逢月破，出月方可用",
    "it is broken by the month (月破), usable afterwards",
    "增删卜易·月破章",
)
MONTH_BROKEN_ON_DAY: Final = ReadingRule(
    "月破临日",
    0.0,
    "月破而临日，不作破论",
    "the month breaks it but it is the day, so it holds",
    "增删卜易·月破章",
)
MONTH_COMBINES: Final = ReadingRule(
    "月合", 0.7, "与月建{month}相合", "it combines with 月建 {month} (合)", "增删卜易·六合章"
)

IS_DAY: Final = ReadingRule(
    "临日辰", 2.5, "临日辰{day}得力", "it is 日辰 {day} itself", "增删卜易·日辰章"
)
DAY_FEEDS: Final = ReadingRule(
    "日生", 2.0, "日辰{day}生之", "日辰 {day} feeds it", "增删卜易·日辰章"
)
DAY_SAME: Final = ReadingRule(
    "日扶", 1.5, "日辰{day}扶之", "日辰 {day} supports it", "增删卜易·日辰章"
)
DAY_CONTROLS: Final = ReadingRule(
    "日克", -2.0, "日辰{day}克之", "日辰 {day} controls it (克)", "增删卜易·日辰章"
)
DAY_DRAINS: Final = ReadingRule(
    "日休", -0.5, "泄气于日辰", "it spends itself on 日辰 (休)", "增删卜易·日辰章"
)
DAY_CONFINES: Final = ReadingRule(
    "日囚", -0.4, "于日辰无助", "日辰 gives it nothing (囚)", "增删卜易·日辰章"
)
DAY_BIRTH: Final = ReadingRule(
    "长生于日",
    0.5,
    "金有气而长生于巳日",
    "metal with qi is born on a 巳 day (长生)",
    "增删卜易·生旺墓绝章",
)
STIRRED: Final = ReadingRule(
    "暗动", 0.5, "日辰{day}冲之而暗动", "日辰 {day} stirs it (暗动)", "增删卜易·暗动章"
)
DAY_BROKEN: Final = ReadingRule(
    "日破", -2.0, "日辰{day}冲破之", "日辰 {day} breaks it (日破)", "增删卜易·暗动章"
)
SCATTERED: Final = ReadingRule(
    "动而逢冲", -0.5, "动而被日辰{day}冲散", "日辰 {day} scatters its motion", "增删卜易·动散章"
)
DAY_RAISES: Final = ReadingRule(
    "日合起", 1.0, "与日辰{day}相合而起", "it combines with 日辰 {day} and rises", "增删卜易·六合章"
)
DAY_BINDS: Final = ReadingRule(
    "日合绊", -0.5, "动而被日辰{day}合绊", "日辰 {day} binds its motion (合绊)", "增删卜易·六合章"
)
DAY_TOMB: Final = ReadingRule(
    "入日墓",
    -1.0,
    "入墓于日辰{day}",
    "it lies in the tomb of 日辰 {day} (墓)",
    "增删卜易·生旺墓绝章",
)
DAY_END: Final = ReadingRule(
    "绝于日", -0.7, "绝于日辰{day}", "it is cut off on 日辰 {day} (绝)", "增删卜易·生旺墓绝章"
)

VOID_TRUE: Final = ReadingRule(
    "旬空（真空）", -2.5, "旬空而无救，是为真空", "it is truly void (真空)", "增删卜易·旬空章"
)
VOID_BROKEN: Final = ReadingRule(
    "旬空（空破）",
    -2.5,
    "旬空又逢月破，空破同临",
    "it is void and broken by the month at once",
    "增删卜易·旬空章",
)
VOID_WEAK: Final = ReadingRule(
    "旬空（休囚空）", -1.0, "旬空又休囚", "it is void and weak (旬空)", "增删卜易·旬空章"
)
VOID_HELPED: Final = ReadingRule(
    "旬空（有扶）", -0.5, "旬空而有扶", "it is void but helped (旬空)", "增删卜易·旬空章"
)
VOID_STRONG: Final = ReadingRule(
    "旬空（旺空）", -0.4, "旺而旬空，出旬可用", "it is void but strong (旬空)", "增删卜易·旬空章"
)
VOID_MOVING: Final = ReadingRule(
    "旬空（动空）", -0.4, "动而旬空，待出旬", "it moves while void (动空)", "增删卜易·旬空章"
)
VOID_CLASHED: Final = ReadingRule(
    "旬空（冲空）", 0.0, "旬空逢冲则实", "it is void, and the clash fills it", "增删卜易·旬空章"
)

MOVES: Final = ReadingRule("发动", 0.5, "自身发动", "it moves", "增删卜易·动变章")
LINE_FEEDS: Final = ReadingRule(
    "动来生", 2.0, "{actor}{motion}而生之", "{actor} {moves} and feeds it", "增删卜易·五行相生章"
)
LINE_CONTROLS: Final = ReadingRule(
    "动来克",
    -2.0,
    "{actor}{motion}而克之",
    "{actor} {moves} and controls it",
    "增删卜易·五行相克章",
)
LINE_SUPPORTS: Final = ReadingRule(
    "动相扶",
    0.6,
    "{actor}{motion}而扶之",
    "{actor} {moves} and supports it",
    "增删卜易·元神忌神衰旺章",
)
LINE_CLASHES: Final = ReadingRule(
    "动相冲", -0.6, "{actor}{motion}而冲之", "{actor} {moves} and clashes it", "增删卜易·六冲章"
)
LINE_DRAINS: Final = ReadingRule(
    "动来泄",
    -0.3,
    "{actor}{motion}而泄之",
    "{actor} {moves} and drains it",
    "增删卜易·元神忌神衰旺章",
)
HELP_SPENT: Final = ReadingRule(
    "元神无力",
    0.0,
    "元神{actor}{motion}而无力，不能生之",
    "元神 {actor} {moves} without strength and cannot feed it",
    "增删卜易·元神忌神衰旺章",
)
HARM_SPENT: Final = ReadingRule(
    "忌神无力",
    0.0,
    "忌神{actor}{motion}而无力，不能克之",
    "忌神 {actor} {moves} without strength and cannot harm it",
    "增删卜易·元神忌神衰旺章",
)
GREED: Final = ReadingRule(
    "贪生忘克",
    0.0,
    "忌神与元神同动，贪生忘克",
    "忌神 feeds 元神 and forgets to harm (贪生忘克)",
    "增删卜易·元神忌神衰旺章",
)
RESCUED: Final = ReadingRule(
    "克处逢生",
    1.5,
    "受克而又逢生，是为克处逢生",
    "it is controlled and fed at once, so it survives (克处逢生)",
    "增删卜易·克处逢生章",
)
ROOTLESS: Final = ReadingRule(
    "用神无根",
    0.0,
    "月建{month}{hurt}之，日辰{day}又{strike}之，用神无根",
    "月建 {month} hurts it ({hurt}) and 日辰 {day} too ({strike}), so it has no root (无根)",
    "增删卜易·元神忌神衰旺章",
)
TRIAD_FEEDS: Final = ReadingRule(
    "三合局生扶", 1.5, "三合成局来助", "a complete 三合局 helps it", "卜筮正宗·十八问答"
)
TRIAD_CONTROLS: Final = ReadingRule(
    "三合局克", -1.5, "三合成局来克", "a complete 三合局 controls it", "卜筮正宗·十八问答"
)

BY_DAY: Final = ReadingRule(
    "用神为日辰",
    0.0,
    "不上卦而日辰{day}即是用神",
    "it is not on the board, but 日辰 {day} is that kin",
    "卜筮正宗·十八问答",
)
BY_MONTH: Final = ReadingRule(
    "用神为月建",
    0.0,
    "不上卦而月建{month}即是用神",
    "it is not on the board, but 月建 {month} is that kin",
    "卜筮正宗·十八问答",
)
BY_CHANGE: Final = ReadingRule(
    "用神变出",
    -0.8,
    "不上卦而由{actor}变出",
    "it is not on the board; {actor} changes into it",
    "增删卜易·飞伏神章",
)
HIDDEN_USABLE: Final = ReadingRule(
    "伏而可用",
    -0.5,
    "伏于{actor}之下而可用",
    "it lies under {actor} but can be used (伏神)",
    "增删卜易·飞伏神章",
)
HIDDEN: Final = ReadingRule(
    "不上卦",
    -1.5,
    "不上卦，伏于{actor}之下",
    "it is not on the board; it lies under {actor} (伏神)",
    "增删卜易·飞伏神章",
)
OVER_CONTROLS: Final = ReadingRule(
    "飞克伏", -1.0, "飞神克之", "飞神 controls it", "增删卜易·飞伏神章"
)
OVER_FEEDS: Final = ReadingRule("飞生伏", 1.4, "飞神生之", "飞神 feeds it", "增删卜易·飞伏神章")
OVER_YIELDS: Final = ReadingRule(
    "伏克飞", 0.5, "伏神克飞神，可出", "it controls 飞神 and can come out", "增删卜易·飞伏神章"
)
OVER_OPENS: Final = ReadingRule(
    "飞神空破冲动",
    0.8,
    "飞神{opened}，伏神易出",
    "飞神 {opened}, so it comes out easily",
    "增删卜易·飞伏神章",
)

WORLD_STRENGTH: Final = ReadingRule(
    "世爻旺衰", 0.35, "世爻自身之旺衰", "the strength of 世爻", "卜筮正宗·世应论用神"
)
HOLDS_WORLD: Final = ReadingRule(
    "用神持世",
    1.0,
    "用神持世，事在己身",
    "用神 holds 世: the matter is in your hands",
    "卜筮正宗·世应论用神",
)
FEEDS_WORLD: Final = ReadingRule(
    "用神生世", 1.0, "用神生世，事来就我", "用神 feeds 世: it comes to you", "卜筮正宗·世应论用神"
)
FEEDS_WORLD_WEAKLY: Final = ReadingRule(
    "用神生世（无力）", 0.4, "用神生世而力弱", "用神 feeds 世, but weakly", "卜筮正宗·世应论用神"
)
CONTROLS_WORLD: Final = ReadingRule(
    "用神克世",
    -0.7,
    "用神克世，于己有压力",
    "用神 controls 世: it presses on you",
    "卜筮正宗·世应论用神",
)
COMES_TO_WORLD: Final = ReadingRule(
    "用神克世（来就）",
    0.3,
    "用神克世，其来速",
    "用神 controls 世: it comes fast",
    "增删卜易·求财章",
)
WORLD_FEEDS: Final = ReadingRule(
    "世生用神", -0.4, "世生用神，须己付出", "世 feeds 用神: it costs you", "卜筮正宗·世应论用神"
)
WORLD_CONTROLS: Final = ReadingRule(
    "世克用神",
    0.2,
    "世克用神，事可把握",
    "世 controls 用神: you can steer it",
    "卜筮正宗·世应论用神",
)
COMBINES_WORLD: Final = ReadingRule(
    "用神合世", 0.5, "用神与世相合", "用神 combines with 世 (合)", "增删卜易·六合章"
)
WORLD_VOID: Final = ReadingRule(
    "世空", -0.7, "世爻旬空，己心未定", "世爻 is void: you are not settled", "增删卜易·旬空章"
)
SERVES_RESPONSE: Final = ReadingRule(
    "用神属应", -1.0, "用神属应，利在他人", "用神 belongs to 应: others gain", "增删卜易·求财章"
)
SERVES_RESPONSE_YET_COMES: Final = ReadingRule(
    "用神属应而克世",
    -0.5,
    "用神属应而克世，利分于人",
    "用神 belongs to 应 yet comes: shared gain",
    "增删卜易·求财章",
)

SPECIAL: Final[dict[str, ReadingRule]] = {
    "六冲卦": ReadingRule(
        "六冲卦",
        -0.8,
        "卦逢六冲，主散",
        "the hexagram clashes throughout (六冲)",
        "增删卜易·六冲章",
    ),
    "六合卦": ReadingRule(
        "六合卦",
        0.8,
        "卦逢六合，主聚",
        "the hexagram combines throughout (六合)",
        "增删卜易·六合章",
    ),
    "六冲变六合": ReadingRule(
        "六冲变六合",
        1.5,
        "六冲变六合，散而复合",
        "clash turns to union (六冲变六合)",
        "增删卜易·六合章",
    ),
    "六合变六冲": ReadingRule(
        "六合变六冲",
        -1.5,
        "六合变六冲，合而复散",
        "union turns to clash (六合变六冲)",
        "增删卜易·六冲章",
    ),
    "变六冲": ReadingRule(
        "变六冲", -0.5, "变出六冲", "it changes into clash (变六冲)", "增删卜易·六冲章"
    ),
    "六冲变六冲": ReadingRule(
        "六冲变六冲", -0.5, "六冲又变六冲", "clash turns to clash (六冲变六冲)", "增删卜易·六冲章"
    ),
    "变六合": ReadingRule(
        "变六合", 0.5, "变出六合", "it changes into union (变六合)", "增删卜易·六合章"
    ),
    "六合变六合": ReadingRule(
        "六合变六合", 0.5, "六合又变六合", "union stays union (六合变六合)", "增删卜易·六合章"
    ),
}
FAN_YIN: Final = ReadingRule(
    "反吟",
    -0.7,
    "卦见反吟，事多反复",
    "反吟 makes things turn back and forth",
    "卜筮正宗·反吟卦定例",
)
FU_YIN: Final = ReadingRule(
    "伏吟", -0.7, "卦见伏吟，呻吟不前", "伏吟 makes things stall", "卜筮正宗·伏吟卦定例"
)
