"""Questions that a reading must not answer as if it were an expert.

A reading of a mild health or legal question is allowed and always sends the asker to a
professional. It never speaks of how long somebody lives, names an illness or judges a drug
(增删卜易·疾病章 itself says that divination does not replace medicine). Whether a treatment is
begun, refused or stopped is decided with a doctor: such a question gets no verdict. Whoever
speaks of harming themselves gets help instead of one, and so does whoever would harm another.
"""

import re
from enum import Enum, auto
from typing import Final

from yarrow.language.script_folding import fold_question
from yarrow.language.self_harm import mentions_self_harm
from yarrow.liuyao.reading.topics import find_topic
from yarrow.liuyao.reading.word_senses import remove_other_senses
from yarrow.liuyao.reading.yong_shen import Matter, SpecialMatter, Topic


class Sensitivity(Enum):
    NONE = auto()
    HEALTH = auto()
    MEDICINE = auto()
    TREATMENT = auto()
    CHILD_SEX = auto()
    LIFESPAN = auto()
    LEGAL = auto()
    VIOLENCE = auto()
    SELF_HARM = auto()


_KIN_ZH: Final = (
    r"(?:[爷奶婆姥爸妈父母叔伯姨舅姑嫲]|[外老]公|老[人伴]|病人|丈夫|妻子|儿子|女儿|孩子|[狗猫]"
    r"|[他她])"
)
# Who is spoken of as close to death; the others are on their way.
_OLD_ZH: Final = r"(?:[爷奶]{1,2}|[外姥太][公婆姥爷]{1,2}|老人家?|老爷子|老太太|阿嫲)"
_KIN_EN: Final = (
    r"(?:he|she|my (?:\w+ )?(?:father|mother|dad|mum|mom|grand\w+|husband|wife|son|daughter"
    r"|brother|sister|baby|child|uncle|aunt|dog|cat)|grand(?:ma|pa)|granny)"
)
_KIN: Final = re.compile(rf"{_KIN_ZH}|\b{_KIN_EN}\b", re.IGNORECASE)
_LIFESPAN: Final = re.compile(
    r"寿命|寿元|阳寿|寿[数限]|短命|长寿(?![面区花路桥县湖])|还能活"
    r"|活(?:[得不](?:久|长|[过到]|了多)|多久|多长|几年)"
    r"|活到(?:几|多少|多大|什么时候|何时|[\d一二三四五六七八九十百])"
    r"|会死(?![机心锁板])|(?:何时|什么时候|几时|哪[年天])[^，,。]{0,2}死(?![心机])"
    r"|死期|(?<![生干快灵鲜])活(?:下来|过(?![得的])|不下来|得下来)|(?:[爷奶婆姥爸妈叔伯姨舅姑]|弟"
    r"|哥|姐|妹|[他她])[^，,。]{0,6}抢救|保温箱"
    rf"|{_KIN_ZH}[^，,。]{{0,10}}(?:[能会]活(?=$|[吗？?])|救(?:得|不)?(?:过来|回来|活))"
    rf"|(?:住院|病|癌|抢救)[^。]{{0,12}}(?:就这么|会不会|是不是要?)走了?(?=$|[吗了？?])|(?:肿瘤"
    rf"|癌|恶性|病)[^。]{{0,10}}多少(?:时间|日子)"
    rf"|{_KIN_ZH}[^，,。]{{0,4}}(?:还能|能)?(?:见到|等到|看到)[^，,。]{{0,4}}(?:春节|过年|明年"
    rf"|孙子|婚礼|出生)|这(?:个|一)?坎"
    r"|死期|(?:去世|过世|离世)(?!后|之后|以后|了|的|[几多\d一二三两半])|临终"
    r"|大限(?![价额量度制])|(?<![使任革拼])命[^，,。]{0,2}(?:保得|保不|不保|还?有多[长久])|百岁"
    r"|活路|办?后事"
    r"|几岁[^，,。]{0,2}死|病[^，,。]{0,4}要命|(?:癌|绝症|晚期)[^。]{0,8}(?:还剩|多久|几[年月天])"
    r"|时日无多|生命危险|病危|抢救[得不]?过来"
    rf"|(?:我|{_KIN_ZH})[^，,。]{{0,2}}还[剩有]多少(?:时间|日子)(?=[了吗？?。]|$)"
    rf"|{_KIN_ZH}[^，,。]{{0,6}}(?:只|还|就)剩[^，,。]{{0,4}}(?:[年月天]|星期|多久|日子)(?!考|交"
    rf"|毕业|到期)"
    rf"|{_KIN_ZH}[^，,。]{{0,6}}还能陪(?:我们?|孩子|家人)?[^，,。]{{0,2}}(?:几|多久|多少)"
    rf"|(?:{_KIN_ZH}|病)[^，,。关感婚]{{0,6}}(?:[还能]{{1,2}}拖多久|[有没冇]得?救)|晚期.{{0,6}}救"
    rf"|{_KIN_ZH}[^，,。]{{0,2}}会(?:不会)?没了(?=$|[吗？?])"
    rf"|{_OLD_ZH}[^，,。]{{0,2}}(?:是不是要|快要?)走了"
    rf"|还有几?多?[年个]?.{{0,2}}[可好]活"
    rf"|{_KIN_ZH}[^，,。]{{0,6}}(?:快不行了|离开我们(?=$|[了吗？?])|撑[几多])|猝死|丧事"
    r"|活着看见?到|(?<![累忙热饿烦笑困气得])快要?死(?!机)"
    r"|(?:ICU|重症监护室?|昏迷|植物人)(?!护士|实习|上班|工作|医生|专科)[^，,。]*(?:醒|出来|活|挺"
    r"|熬|过来)"
    rf"|{_KIN_ZH}[^，,。]{{0,6}}[熬撑挺][得不]?到(?:过年|明年|年底|[春夏秋冬]|生日|婚礼"
    rf"|[^，,。]{{0,6}}出生)"
    rf"|{_KIN_ZH}(?:(?!公司|项目|生意|店)[^，,。]){{0,8}}(?:[熬撑挺][得不]?过(?!更年|青春)"
    rf"|过[得不]了[今这])"
    r"(?![^，,。]*(?:公司|试用|考|项目|[裁面][员试]|比赛|生意))"
    r"|安乐死|拔管|放弃治疗|放弃抢救"
    r"|how long .{0,20}live(?! (?:in|at|with|here|there))|life expectancy"
    r"|(?:will|going to) .{0,20}die\b(?! of (?:boredom|laughter|shame|embarrassment|hunger))"
    r"|pass away|euthan\w+|put (?:him|her|it|my \w+) (?:down|to sleep)|life support"
    r"|\blive to (?:be|see|a hundred|\d+)\b|\bhow old will .{0,20}(?:get|become|live)\b"
    rf"|\bleft to live\b"
    rf"|\bhow (?:long|much longer) (?:do|does|has) (?:i|{_KIN_EN}) (?:have|got)\b(?= *(?:$"
    rf"|[.?!,])| left *(?:$|[.?!,])| (?:left )?to live)"
    rf"|\b(?:does|do) {_KIN_EN} have long\b|\bsay goodbye to {_KIN_EN}(?=$|[?.!])|\b(?:baby"
    rf"|twins?|puppy|kitten) live(?=$|[?.!])"
    rf"|\bwill {_KIN_EN} live (?:another|past|through|for|till|until)\b"
    rf"|(?:going to|about to) pass(?: soon| away)?(?=$|[?.!])"
    r"|\b(?:cancer|illness|disease|tumou?r|virus)\b.{0,12}\bkill (?:me|him|her|my)\b"
    rf"|\b(?:am i|is {_KIN_EN}) dying\b(?! to\b)|\bmy time (?:come|up)\b"
    rf"|\bwill {_KIN_EN} live(?=$|[?.!])"
    r"|\b(?:grand(?:ma|pa|mother|father)|granny|mother|father|mum|mom|dad) (?:going to )?make it"
    r"(?=$|[?.!])|\bwake up from (?:the|a|this|his|her) coma\b"
    rf"|\bhow (?:much|many) (?:\w+ )?(?:time|years|months|weeks|days) (?:do|does|has) (?:i"
    rf"|{_KIN_EN}) "
    r"(?:have |got )?left\b(?! (?:to|on|in|until|before|at)\b)"
    rf"|\b{_KIN_EN} (?:ever |going to )?(?:survive|pull through|make it through)\b"
    r"(?! .{0,20}\b(?:year|term|semester|college|school|course|probation|exams?|interview|job"
    r"|season)\b)"
    r"|\bsurvive (?:\w+ ){0,2}(?:surgery|operation|cancer|illness|disease|stroke|heart attack"
    r"|accident)\b",
    re.IGNORECASE,
)
# What "dies" or "lives" without being a life that is feared for.
_NOT_A_LIFE: Final = re.compile(
    r"公司|店|企业|品牌|生意|项目|[股币盘]|花|硬盘|数据|树|草|植物|手机|电脑|电池|车(?![祸撞])"
    r"|账号|面试|考试|游戏"
    r"|感情|婚姻|关系"
    r"|\b(?:phone|battery|car|laptop|computer|plant|tree|flower|business|shop|compan(?:y|ies)"
    r"|startup"
    r"|job|market|stock|relationship|marriage|love|hope|project|series|game|conversation)s?\b",
    re.IGNORECASE,
)
# Harm to another person. Not 杀价, 杀青, 必杀技, and no one who is killed in a game.
_VICTIM_ZH: Final = (
    r"(?:[他她]|人(?![气设民生工案犯质])|对方(?!的?价)|那个|那帮|这个(?!价|题|项|怪)|贱人|畜生"
    r"|混蛋|老[板公婆]|婆婆|公公|岳[父母]|前[任夫妻男女]|仇|小三|邻居|同[事学]|全家"
    r"|(?:我|自己)的?(?:爸|妈|父|母|老|前|邻|同|领导|上司|室友|继)|领导|上司|室友|骗子|渣男|渣女"
    r"|父母|孩子)"
)
_VICTIM_EN: Final = (
    r"(?:him|her|them|someone|somebody|people|my (?:ex|boss|wife|husband|neighbou?r|father|mother"
    r"|brother|sister|boyfriend|girlfriend|roommate|coworker|stepfather|landlord)(?:'s \w+)?)"
)
_INTENT_EN: Final = (
    r"\b(?:should|shall|can|could|may|would i|want to|feel like|plan(?:ning)? (?:to|on)|going to"
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
    rf"|找人(?:打|揍|弄|收拾)"
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
_PLAY: Final = re.compile(
    r"游戏|王者|吃鸡|副本|狼人|剧本|角色|敌方|棋|小说|电影|剧[里中]|\b(?:in|of) (?:the |this "
    r"|my )?(?:game|chess|story|novel)\b",
    re.IGNORECASE,
)
_MEDICINE: Final = re.compile(
    r"绝症|\blumps?\b|什么病|是不是.{0,6}(?:癌|瘤|炎|病)|确诊|诊断|癌|肿瘤|吃.{0,3}药|用药|停药"
    r"|服药"
    r"|药量|剂量|化疗|diagnos|cancer|tumou?r|medication|dosage|\bdrugs?\b|chemo",
    re.IGNORECASE,
)


_CHILD_SEX: Final = re.compile(
    r"是男是女|生男生女|[是怀生](?:个|的是)?(?:男孩|儿子|女孩|女儿|男|女)还是[女男]|胎儿性别"
    r"|\b(?:a )?(?:boy or (?:a )?girl|girl or (?:a )?boy|son or (?:a )?daughter)\b|sex of (?:the|"
    r"my|our) baby",
    re.IGNORECASE,
)


_ONE_SEX: Final = re.compile(
    r"[是怀](?:的|了|上)?(?:个|的是|是)?(?:儿子|男孩|男的|女儿|女孩|女的)"
    r"|\bis it an? (?:boy|girl)\b",
    re.IGNORECASE,
)


# Treatments, in simplified Chinese and English: what is done to a body, and what a doctor orders.
_TREATMENT: Final = re.compile(
    r"手术|开刀|动刀|化疗|放疗|靶向|[免保].{2}治疗|治疗|截肢|切除"
    r"|(?:器官|骨髓|肝|肾|肺|心脏|干细胞|角膜|做)移植"
    r"|[心放装].{0,2}支架|透析|插管|输血|输液|打针|打.{0,4}疫苗|接种|激素|抗生素|胰岛素"
    r"|[停吃用换服减加断打][^，。]{0,4}药|药(?=能|要|可以|还|该|停|断|减)|住院|出院|剖腹产|剖宫产"
    r"|试管"
    r"|打胎|堕胎|流产|引产|保胎|[做打痛去要]人流(?!量)|[打拿流]掉.{0,4}(?:孩子|胎)"
    r"|(?:孩子|胎儿?).{0,4}(?:[打拿流]掉|要不要(?:留|生下|打))"
    r"|(?:要不要|该不该)(?:留|生(?:下|这|那)).{0,4}孩子"
    r"|这个?(?:孩子|胎儿?)[^，。]{0,3}要(?:还是|不)[^，。]{0,2}(?:要|$)|切不切|割不割"
    r"|医生(?:建议|说|让|叫|要|劝)"
    r"|\b(?:surger(?:y|ies)|chemo\w*|radiotherapy|radiation|immunotherapy|dialysis|transplants?"
    r"|amputat\w+|abortions?|medications?|medicines?|meds|antidepressants?|antibiotics|insulin"
    r"|pills?|steroids|blood thinners?|vaccin\w+|c-section|ca?esarean|ivf|biopsy|feeding tube)\b"
    r"|\b(?:ha(?:ve|ving)|undergo\w*|need|get|avoid|refuse|skip|delay|postpone) (?:\w+ ){0,3}"
    r"operation\b|\boperat(?:e|ion) on\b|\b(?:heart|knee|hip|eye|back|brain) operation\b"
    r"|\b(?:stop|refuse|continue|start|skip|decline|quit|begin|end|delay|accept|medical|cancer)\w* "
    r"(?:\w+ ){0,2}treatments?\b|\b(?:stop|start|take|taking) (?:\w+ ){0,3}drugs?\b"
    r"|\b(?:terminate|abort|keep) (?:the|my|this|our|her) (?:baby|child|pregnancy)\b"
    r"|\bdoctors? (?:\w+ )?(?:recommend|advis|suggest|want|offer|says?\b|said\b|told\b)",
    re.IGNORECASE,
)
# Words of a decision: do it, do it not, stop it, put it off, or which of two.
_DECISION: Final = re.compile(
    r"要不要|该不该|应不应|应该|该[做去停吃打换动开留接住听]|需不需|用不用"
    r"|[是能]不[是能](?:该|停|不|先|换|减|推|拖)"
    r"|[可能]以?(?:停|断|不[做吃打去用]|换|减|拖)|可不可以|是否(?:该|要|应|需|做|停|可以|接受|适合)"
    r"|([换停做打吃切割断开])不\1|要还是不要|还是(?!会|能|疼|痛|没|不|很)|好不好|值不值|值得"
    r"|必要|不[做去打吃动开化手截治住移停用切]|同意|接受|放弃"
    r"|停|拒绝|推迟|延后|改期|如果不|要是不|不.{0,3}呢|决定|选择|考虑|要.{0,8}吗"
    r"|[做打吃]掉?.{0,6}(?:好吗|合适|行吗|可以吗)"
    r"|\b(?:should|shall|ought|must|stop\w*|quit\w*|refus\w+|declin\w+|skip\w*|delay\w*"
    r"|postpon\w+|avoid\w*|go ahead|go through with|instead|or not|what if|if not|need|needs"
    r"|ha(?:ve|s) to|better (?:to|not|off|without|than)|worth|good idea|right|wise|mistake"
    r"|decid\w+|choose|consider\w*|think(?:ing)? (?:of|about)|c[ao]me off|go off|without|keep"
    r"|abort|terminate|if (?:i|we|he|she|they|it|my \w+) (?:do|don'?t|does|doesn'?t|not)"
    r"|can (?:i|we|he|she|they|my \w+) (?:take|start|have)|is it (?:ok|okay|safe|fine|time))\b"
    r"|\b(?:surgery|chemo\w*|medication|pills?|radiotherapy|treatment|operation)\b.{0,20}\bor\b"
    r"(?! (?:fail|not|die)\b)",
    re.IGNORECASE,
)
# A treatment that is over is no decision, if what is asked about is something else.
_PAST_TREATMENT: Final = re.compile(
    r"(?:手术|开刀|化疗|放疗|治疗|移植|住院|出院|流产|人流|打针)(?:做?完|之后|以后|后|过)"
    r"|\b(?:after|since|following) (?:\w+(?:'s)? ){0,2}"
    r"(?:surgery|chemo\w*|abortion|transplant|treatment|operation)\b",
    re.IGNORECASE,
)
_OF_BODY: Final = frozenset({None, Topic.HEALTH, Topic.CHILDREN})
_OF_OTHERS: Final = frozenset({Topic.WEALTH, Topic.LAWSUIT})


def _decides_treatment(question: str) -> bool:
    """Whether somebody asks to be told what to do about a treatment."""
    text = remove_other_senses(question)
    if not (_TREATMENT.search(text) and _DECISION.search(text)):
        return False
    if find_topic(text) in _OF_OTHERS:
        return False  # shares of a vaccine company, a lawsuit about an operation
    rest = _PAST_TREATMENT.sub(" ", text)
    return _TREATMENT.search(rest) is not None or find_topic(rest) in _OF_BODY


def _asks_lifespan(question: str) -> bool:
    """Whether the length of a life is asked for, and not that of a shop or a phone, or a dream."""
    if _PLAY.search(question) or re.search("梦[见到]|托梦", question):
        return False
    for match in _LIFESPAN.finditer(question):
        clause = re.split(r"[，,。；;]", question[: match.start()])[-1] + match[0]
        things = [found.start() for found in _NOT_A_LIFE.finditer(clause)]
        lives = [found.start() for found in _KIN.finditer(clause)]
        if not things or max(lives, default=-1) > max(things):
            return True
    return False


def assess_sensitivity(matter: Matter, question: str) -> Sensitivity:
    """The most serious kind of sensitive question that this is."""
    question = fold_question(question).replace("’", "'")
    if mentions_self_harm(question):
        return Sensitivity.SELF_HARM
    if _VIOLENCE.search(question) and not _PLAY.search(question):
        return Sensitivity.VIOLENCE
    if _asks_lifespan(question):
        return Sensitivity.LIFESPAN
    if _decides_treatment(question):
        return Sensitivity.TREATMENT
    if _MEDICINE.search(question):
        return Sensitivity.MEDICINE
    is_bearing = matter.special is SpecialMatter.PREGNANCY
    if _CHILD_SEX.search(question) or (is_bearing and _ONE_SEX.search(question)):
        return Sensitivity.CHILD_SEX
    if is_bearing:
        return Sensitivity.HEALTH
    match matter.topic:
        case Topic.HEALTH:
            return Sensitivity.HEALTH
        case Topic.LAWSUIT:
            return Sensitivity.LEGAL
        case _:
            return Sensitivity.NONE
