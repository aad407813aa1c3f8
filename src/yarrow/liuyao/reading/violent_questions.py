"""Questions that would harm another: no verdict is drawn on them.

A harm and a victim stand together, in either order: 捅他, 把他推下去, 给他下毒, "burn her house".
"""

import re
from functools import cache
from typing import Final

from yarrow.liuyao.reading.fiction import is_fiction

# Harm to another person. Not 杀价, 杀青, 必杀技, and no one who is killed in a game.
_VICTIM_ZH: Final = (
    r"(?:[他她佢](?!们?(?:的?(?:队|公司|店|班|团队|战队|分数|纪录|记录|成绩|酒量|下载)))"
    r"|人(?![气设民生工案犯质])|对方(?!的?价)|那个|那帮|这个(?!价|题|项|怪)|贱人|畜生"
    r"|混蛋|老[板公婆]|婆婆|公公|岳[父母]|前[任夫妻男女]|仇|小三|债主|情敌|负心汉|邻居|同[事学]"
    r"|全家"
    r"|(?:我|自己)的?(?:爸|妈|父|母|老|前|邻|同|领导|上司|室友|继)|领导|上司|室友|骗子|渣男|渣女"
    r"|父母|孩子)"
)
_VICTIM_EN: Final = (
    r"(?:him|her|them|someone|somebody|people|every(?:one|body)|(?:my|this|that|the) (?:ex|boss"
    r"|wife|husband"
    r"|neighbou?rs?|father|mother|dad|mum|mom|brother|sister|boyfriend|girlfriend|room-?mate"
    r"|co-?worker"
    r"|step\w+|landlord|teacher|manager|cheater|bully|classmates?|cousin|uncle|aunt|son|daughter"
    r"|kids?|baby|guy|man"
    r"|woman|bitch|bastard)(?:-in-law)?(?:'s \w+)?)"
)
_INTENT_EN: Final = (
    r"\b(?:should|shall|can|could|may|would i|if i|wanna|gonna|i'll|i will|want to|feel like"
    r"|plan(?:ning)? (?:to|on)|going to"
    r"|how (?:do|can|to)"
    r"|get (?:away with|caught if)|(?:good|right) (?:day|night|time)|is (?:tonight|today"
    r"|tomorrow) good)\b"
)
_VIOLENCE: Final = re.compile(
    rf"(?:杀|弄死|捅死?|砍死?|打死|打断|打残|毒死|掐死|勒死|烧死|绑架|强奸|暴打|揍"
    rf"|泼硫酸)[了死掉伤]?{_VICTIM_ZH}"
    rf"|废[了掉]{_VICTIM_ZH}|让{_VICTIM_ZH}去?死(?![心机皮磕])|把{_VICTIM_ZH}推[下进]"
    rf"|炸[了掉毁](?!.{{0,3}}(?:鸡|薯))"
    rf"|(?:要不要|该不该|想|可不可以|能不能|可以)打{_VICTIM_ZH}(?!的?(?:电话|招呼|主意|官司|工|针"
    rf"|车|折|赏|卡))"
    rf"|[给向]{_VICTIM_ZH}(?:下[毒药]|投毒|泼硫酸)|烧[了掉]{_VICTIM_ZH}[^，,。]{{0,4}}[家房车店]"
    rf"|放火(?!墙)|纵火(?!案|犯)|[下投]毒(?!案|者)"
    rf"|报复(?:{_VICTIM_ZH}|社会)|砸[了掉烂]?{_VICTIM_ZH}|让{_VICTIM_ZH}[^，,。]{{0,4}}消失"
    rf"|找人教训"
    rf"|教训[^，,。]{{0,4}}{_VICTIM_ZH}.{{0,8}}(?:打|一顿)|打{_VICTIM_ZH}一顿"
    rf"|找人(?:打(?![扫理车听工包印磨造开字])|揍|弄|收拾)"
    r"|同归于尽|(?:会不会|会|要|想)(?:杀|打死|弄死|砍|捅)[了死]?我"
    rf"|{_INTENT_EN}[^.?!]{{0,30}}\b(?:(?:kill|murder|stab|shoot|poison|hurt|beat(?= \w+ up)"
    rf"|strangl|attack"
    rf"|kidnap|beat up|beating up)(?:ing|bing|e)? {_VICTIM_EN}\b(?! (?:feelings|confidence|pride"
    rf"|an? |the |some))"
    rf"|(?:hit|slap|punch|strike) {_VICTIM_EN}\b(?! (?:up|with a (?:text|message)))"
    rf"|hire a hitman|(?:bring|take) a gun"
    r"|(?:take|get) (?:my )?revenge\b"
    r"|(?:burn|torch|set fire to|set) (?:his|her|their|my \w+'s) (?:house|home|car|place)"
    r"|make (?:him|her|them) suffer)|\bi (?:want to|will|'ll|'m going to|am going to) (?:kill"
    r"|murder) (?:him|her|them)\b",
    re.IGNORECASE,
)

_HARM_ZH: Final = (
    r"(?:弄[死残伤瞎疯断]|打[死残伤断]|整死|搞死|害死|撞死|轧死|捂死|闷死|勒死|劈死|踹死|毒死"
    r"|掐死|烧死|捅死|砍死|干死|做掉|除掉|灭口"
    r"|灭掉|了结|剁了?|活埋|埋掉|毁容|刮花脸?|碎尸|分尸|肢解|斩[死了]?|劈[死了]?|阉[割了]?)"
)
_WAYS: Final = (
    # A harm, then who suffers it; or 把 and who suffers it, then a harm.
    rf"{_HARM_ZH}了?{_VICTIM_ZH}|(?:想|要|去)(?:干掉|灭了?|收拾掉|解决掉){_VICTIM_ZH}(?!们?队)"
    r"|灭[他她][^，,。]{0,2}门"
    rf"|把[^，,。]{{0,4}}{_VICTIM_ZH}[^，,。]{{0,8}}(?:{_HARM_ZH}|刮花|推[下进到]|杀|砍|捅|废了"
    r"|沉[到进]|烧死|卖了?器官|绑[了起])",
    rf"(?:送|让|叫|教|要)(?:{_VICTIM_ZH}|[^，,。]{{1,8}}的人)[^，,。]{{0,6}}(?:上西天|归西|见阎王"
    r"|下地狱|上黄泉|去?死(?![心机皮磕活要])|断气|永远闭嘴|永远消失"
    r"|付出生命|偿命|断子绝孙|生不如死|从世[界上])",
    rf"要了?{_VICTIM_ZH}的?(?:狗|小|老)?命|取{_VICTIM_ZH}[^，,。]{{0,2}}(?:性命|狗命|人头)",
    r"(?:饭|酒|水|茶|菜|汤|杯|食物|饮料|咖啡|奶)(?:里|中|杯|碗)?[^，,。]{0,3}(?:放|下|加|投|掺"
    r"|混)[^，,。]{0,3}"
    r"(?:毒|老鼠药|农药|安眠药|泻药|迷药|东西[^。]{0,6}(?:命|死|倒))|(?:给|往)[^，,。]{1,8}(?:放"
    r"|下|加|投|掺)(?:点|些|了)?(?:毒|老鼠药|迷药|农药|蒙汗药)",
    r"(?:带|拿|拎|揣|提|抄)(?:着|把|上|起)?(?:刀(?!具|叉|片)|枪|斧头?|铁棍|汽油"
    rf"|硫酸)[^，,。]{{0,8}}(?:找|砍|捅|泼|算账|见|堵|劈|杀)(?:{_VICTIM_ZH}|$|[^菜肉柴木])",
    rf"(?:诅咒|咒死|下蛊|降头|作法(?:害|弄|咒))(?:[^，,。]{{0,3}}{_VICTIM_ZH}|[^，,。]{{0,4}}死"
    rf"|能成)|情敌下|{_VICTIM_ZH}[^，,。]{{0,4}}(?:出车祸(?!赔)|痛不欲生|不得好死)"
    r"|刹车[^，,。]{0,3}剪|剪[^，,。]{0,4}刹车|(?:要|想|得)见血(?!就)|处理(?:掉)?尸体(?!的)"
    rf"|(?:掐|打|敲|迷|电)晕{_VICTIM_ZH}?|手刃(?!榴)|亲手送[他她]|断药让|闷死(?!了)"
    r"|(?:拿|用)[^，,。]{0,4}(?:砖|棍|锤|酒瓶|凳|椅)[^，,。]{0,3}(?:拍|砸|打|敲"
    rf"|抡){_VICTIM_ZH}|绑[了架]?(?:债主|{_VICTIM_ZH})|雇人[^，,。]{{0,2}}(?:打|杀|砍|收拾)"
    r"|灌[^，,。]{0,2}[酒醉][^。]{0,6}睡了?[他她]|(?:偷拍|裸照)[^。]{0,10}(?:威胁|报复"
    rf"|洗澡|发网上)|抽(?:{_VICTIM_ZH}|我?[儿女][子儿])一顿",
    rf"(?:跟|和){_VICTIM_ZH}(?:拼命|拼了|同归)|(?:砍|杀|捅|剁)(?:了|死)?(?:债主|情敌|负心汉)"
    r"|(?:又?想|要|忍不住)打(?:老婆|孩子|她|他|妈|爸)(?![的电招官工针车折赏卡球牌])"
    r"|扒[他她](?:的)?衣|打老婆",
    r"硫酸[^，,。]{0,2}(?:泼|浇|倒)|虐(?:猫|待(?!案)|杀|打)|(?:放|装|埋|做"
    r"|扔)[^，,。]{0,3}(?:炸弹|炸药)|买凶|雇凶|[雇找]个?杀手|强暴|性侵(?!案)|(?:扔|推|踹)下楼"
    r"|(?:强|迷|轮)奸(?!案|犯)",
    rf"(?:收拾|修理|教训|揍|暴打|痛打|群殴|堵){_VICTIM_ZH}[^，,。]{{0,3}}一?顿|(?:抽|扇|踹"
    rf"|踢){_VICTIM_ZH}[^，,。]{{0,2}}(?:耳光|巴掌|几下|两下|一脚)"
    r"|(?:叫|找)[^，,。]{0,4}(?:兄弟|人)[^，,。]{0,4}(?:堵|收拾|修理|打断|教训|揍"
    rf"|弄){_VICTIM_ZH}",
    r"(?:砍|捅|杀|剁|捏死|掐)(?:死|了|几刀|一刀)[^，,。]{0,2}(?:那个|这个|那[对帮家]|姓.的)"
    r"|想杀(?:个|几个|一个)?人|杀光|血洗(?![^，,。]*(?:账户|亏损|榜))|屠杀|灭门",
    # In English a wish or a question of whether, then the harm.
    rf"{_INTENT_EN}[^.?!]{{0,30}}\b(?:(?:chok|smother|suffocat|rap|drug|drown|tortur|assault"
    r"|murder|strangl|stab|slap|punch|whip|slaughter)"
    rf"(?:e|ing|ping)? {_VICTIM_EN}\b|run (?:{_VICTIM_EN} over|over {_VICTIM_EN})"
    rf"|push {_VICTIM_EN} (?:off|down|out|in front|under)"
    rf"|(?:beat|knock|kick) the \w+ out of {_VICTIM_EN}|(?:beat|choke|stab"
    rf"|kick) {_VICTIM_EN} to death"
    r"|(?:smash|bash|break|cut) (?:his|her|their|my \w+'s) (?:face|head|skull|legs?|arms?|neck"
    r"|nose|jaw|teeth|knees|throat|brakes?|brake lines)"
    r"|(?:attack|bomb|burn down|set fire to) (?:my|the|a) (?:school|office|church|mosque|mall"
    r"|house|building|shop|neighbou?r\w*)"
    r"|beat (?:my|the|our) (?:wife|kids?|child|children|son|daughter|husband|girlfriend|boyfriend"
    r"|dog|baby)(?! (?:at|in|to|on|with|by|this)\b)"
    r"|shoot up\b|shoot (?:everyone|everybody|the (?:school|place))|bomb (?:the|my|a|his|her"
    r"|this)|blow up (?:the|my|his|her|their|a) (?!balloon|mattress|photo|picture)"
    r"|(?:put|slip) (?:something|poison|pills|drugs|laxatives?|stuff) (?:in|into) (?:his|her"
    r"|their|my \w+'s) (?:drink|food|coffee|tea|soup|glass|water|meal)"
    rf"|spike (?:his|her|their|my \w+'s) drink|get rid of {_VICTIM_EN}\b(?=.{{0,12}}(?:without"
    r"|for good|forever|permanently|trace|body|evidence))"
    rf"|(?:make|making) {_VICTIM_EN} (?:pay with|bleed|disappear|scream in pain)|throw acid)",
    rf"\bdispos\w+ of (?:a|the|his|her) (?:dead )?body\b|\bburn down (?:{_VICTIM_EN}|his|her"
    r"|their|my)\b|\bpay some(?:one|body) to (?:beat|hurt|kill|rough|scare)"
    rf"|\bsee {_VICTIM_EN} dead\b|\b(?:curse|hex|spell) on {_VICTIM_EN}\b|\b(?:knife|gun|hammer"
    r"|bat)\b[^.?!]*\b(?:going|go|head) to (?:his|her|their) (?:house|home|place|office"
    r"|work)(?! to cook)",
    rf"\bget away with murder\b|\bwant {_VICTIM_EN} (?:dead|to die|killed|gone for good"
    rf"|six feet under)\b|\bwish {_VICTIM_EN} (?:would die|was dead|were dead|dead)\b"
    rf"|\b(?:kill|hurt|stab|shoot|attack) {_VICTIM_EN} (?:tonight|tomorrow|today)"
    rf"|\bgoing to (?:kill|hurt|stab|shoot|attack) {_VICTIM_EN}\b(?!.*\b(?:he|she|they"
    r"|will be) (?:sees?|finds?))",
)  # fmt: skip


@cache
def _compile_ways() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{way})" for way in _WAYS), re.IGNORECASE)


def asks_violence(question: str) -> bool:
    """Whether a question in simplified script speaks of harm to somebody, outside of fiction."""
    is_harm = _VIOLENCE.search(question) or _compile_ways().search(question)
    return is_harm is not None and not is_fiction(question)
