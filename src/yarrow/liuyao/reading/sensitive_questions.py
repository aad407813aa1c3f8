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

from yarrow.language.self_harm import mentions_self_harm
from yarrow.liuyao.reading.feared_events import fold_question
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
    r"(?:[爷爺奶婆姥爸妈媽父母叔伯姨舅姑]|[外老]公|老[人伴]|病人|丈夫|妻子|[儿兒]子|女[儿兒]"
    r"|孩子|[他她])"
)
_KIN_EN: Final = (
    r"(?:he|she|my (?:\w+ )?(?:father|mother|dad|mum|mom|grand\w+|husband|wife|son|daughter|brother"
    r"|sister|baby|child|uncle|aunt|dog|cat)|grand(?:ma|pa)|granny)"
)
_LIFESPAN: Final = re.compile(
    r"寿命|壽命|寿元|壽元|阳寿|陽壽|[寿壽][数數限]|短命|[长長][寿壽](?![面麵区區花路桥橋县縣湖])|还能活|還能活"
    r"|活(?:[得不](?:久|[长長]|[过過到]|了多)|多久|多[长長]|[几幾]年)"
    r"|活到(?:[几幾]|多少|多大|什[么麼][时時]候|何[时時]|[\d一二三四五六七八九十百])"
    r"|[会會]死(?![机機心锁鎖灰板])|(?:何[时時]|什[么麼][时時]候|[几幾][时時]|哪[年天])[^，,。]{0,2}死(?![心机機])"
    r"|死期|去世|过世|過世|临终|臨終|大限|[时時]日[无無]多|生命危[险險]|病危|[抢搶]救[得不]?[过過][来來]"
    rf"|(?:我|{_KIN_ZH})[^，,。]{{0,2}}[还還][剩有]多少(?:[时時][间間]|日子)(?=[了吗嗎？?。]|$)"
    rf"|[还還]有[几幾多][年个個]?.{{0,2}}[可好]活|{_KIN_ZH}[^，,。]{{0,6}}快不行了|猝死|[丧喪]事"
    r"|活[着著][看见見]到|(?<![累忙热熱饿餓烦煩笑困气氣]得)快要?死(?![机機])"
    rf"|{_KIN_ZH}[^，,。]{{0,6}}[熬撑撐挺][得不]?到(?:[过過]年|明年|年底|春|夏|秋|冬|生日|婚[礼禮])"
    rf"|{_KIN_ZH}(?:(?!公司|[项項]目|生意|店)[^，,。]){{0,8}}[熬撑撐挺][得不]?[过過]"
    r"(?![^，,。]*(?:公司|[试試]用|考|[项項]目|[裁面][员員试試]|比[赛賽]|生意))"
    r"|安乐死|安樂死|拔管|放弃治疗|放棄治療|放弃抢救|放棄搶救"
    r"|how long .{0,20}live|life expectancy|(?:will|going to) .{0,20}die\b|pass away|euthan\w+|"
    r"put (?:him|her|it|my \w+) (?:down|to sleep)|life support"
    r"|\blive to (?:be|see|a hundred|\d+)\b|\bhow old will .{0,20}(?:get|become|live)\b"
    r"|\bleft to live\b"
    rf"|\bhow long (?:do|does) (?:i|{_KIN_EN}) have\b(?! to\b)|\b(?:am i|is {_KIN_EN}) dying\b"
    rf"|\bmy time (?:come|up)\b|\bwill {_KIN_EN} live(?=$|[?.!])"
    r"|\b(?:grand(?:ma|pa|mother|father)|granny|mother|father|mum|mom|dad) (?:going to )?make it"
    r"(?=$|[?.!])"
    rf"|\bhow (?:much|many) (?:\w+ )?(?:time|years|months|weeks|days) (?:do|does|has) {_KIN_EN} "
    rf"(?:have |got )?left\b|\b{_KIN_EN} (?:ever )?(?:survive|pull through|make it through)\b"
    r"|\bsurvive (?:\w+ ){0,2}(?:surgery|operation|cancer|illness|disease|stroke|heart attack"
    r"|accident)\b",
    re.IGNORECASE,
)
# Harm to another person. Not 杀价, 杀青, 必杀技, and no one who was killed in a game.
_VIOLENCE: Final = re.compile(
    r"(?:要不要|[该該]不[该該]|[想要能可][不以]?[^，,。]{0,6})(?:[杀殺]|弄死|捅|砍死|揍|打死|毒死|下毒)[了死]?"
    r"(?:他|她|人|[对對]方(?!的?[价價])|老[板公婆]|前[任夫妻]|仇|小三|[邻鄰]居|同[事学學]|全家)"
    r"|(?:要|[该該]|想|能)[^，,。]{0,4}[报報][复復](?:他|她|[对對]方|前[任夫妻]|老[板公婆]|小三)|同[归歸]于[尽盡]"
    r"|\b(?:should|shall|can|could|may|want to|plan to|how (?:do|can|to)) (?:i |we )?(?:\w+ )?"
    r"(?:(?:kill|murder|stab|shoot|poison|hurt|beat up) (?:him|her|them|someone|somebody"
    r"|my (?:ex|boss|wife|husband|neighbou?r|father|mother|brother|sister|boyfriend|girlfriend))\b"
    r"(?! (?:feelings|confidence|pride))|(?:take|get) (?:my )?revenge\b)",
    re.IGNORECASE,
)
_MEDICINE: Final = re.compile(
    r"[绝絕]症|\blumps?\b|什么病|什麼病|是不是.{0,6}(?:癌|瘤|炎|病)|确诊|確診|诊断|診斷|癌|肿瘤|腫瘤|吃.{0,3}[药藥]|"
    r"用药|用藥|停药|停藥|服药|服藥"
    r"|药量|藥量|剂量|劑量|化疗|化療|diagnos|cancer|tumou?r|medication|dosage|\bdrugs?\b|chemo",
    re.IGNORECASE,
)


_CHILD_SEX: Final = re.compile(
    r"是男是女|生男生女|(?:是|怀|懷|生)(?:个|個|的是)?(?:男孩|儿子|兒子|女孩|女儿|女兒|男|"
    r"女)(?:还|還)是(?:女|男)|胎儿性别|胎兒性別"
    r"|\b(?:a )?(?:boy or (?:a )?girl|girl or (?:a )?boy|son or (?:a )?daughter)\b|sex of (?:the|"
    r"my|our) baby",
    re.IGNORECASE,
)


_ONE_SEX: Final = re.compile(
    r"(?:是|怀|懷)(?:的|了|上)?(?:个|個|的是|是)?(?:儿子|兒子|男孩|男的|女儿|女兒|女孩|女的)"
    r"|\bis it an? (?:boy|girl)\b",
    re.IGNORECASE,
)


# Treatments, in simplified Chinese and English: what is done to a body, and what a doctor orders.
_TREATMENT: Final = re.compile(
    r"手术|开刀|动刀|化疗|放疗|靶向|[免保].{2}治疗|治疗|截肢|切除|(?:器官|骨髓|肝|肾|肺|心脏|干细胞|角膜|做)移植"
    r"|[心放装].{0,2}支架|透析|插管|输血|输液|打针|打.{0,4}疫苗|接种|激素|抗生素|胰岛素"
    r"|[停吃用换服减加断打][^，。]{0,4}药|药(?=能|要|可以|还|该)|住院|出院|剖腹产|剖宫产|试管"
    r"|打胎|堕胎|流产|引产|保胎|[做打痛去要]人流(?!量)|[打拿流]掉.{0,4}(?:孩子|胎)"
    r"|(?:孩子|胎儿?).{0,4}(?:[打拿流]掉|要不要(?:留|生下|打))|(?:要不要|该不该)(?:留|生(?:下|这|那)).{0,4}孩子"
    r"|医生(?:建议|说|让|叫|要|劝)"
    r"|\b(?:surger(?:y|ies)|chemo\w*|radiotherapy|radiation|immunotherapy|dialysis|transplants?"
    r"|amputat\w+|abortions?|medications?|medicines?|meds|antidepressants?|antibiotics|insulin|pills?"
    r"|steroids|blood thinners?|vaccin\w+|c-section|ca?esarean|ivf|biopsy|feeding tube)\b"
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
    r"要不要|该不该|应不应|应该|该[做去停吃打换动开留接住听]|需不需|用不用|[是能]不[是能](?:该|停|不|先|换|减|推|拖)"
    r"|[可能]以?(?:停|不[做吃打去用]|换|减|拖)|可不可以|是否(?:该|要|应|需|做|停|可以|接受|适合)"
    r"|还是(?!会|能|疼|痛|没|不|很)|好不好|值不值|值得|必要|不[做去打吃动开化手截治住移停用切]|同意|接受|放弃"
    r"|停|拒绝|推迟|延后|改期|如果不|要是不|不.{0,3}呢|决定|选择|考虑|要.{0,8}吗|[做打吃]掉?.{0,6}(?:好吗|合适|行吗|可以吗)"
    r"|\b(?:should|shall|ought|must|stop\w*|quit\w*|refus\w+|declin\w+|skip\w*|delay\w*|postpon\w+"
    r"|avoid\w*|go ahead|go through with|instead|or not|what if|if not|need|needs|ha(?:ve|s) to"
    r"|better (?:to|not|off|without|than)|worth|good idea|right|wise|mistake|decid\w+|choose"
    r"|consider\w*|think(?:ing)? (?:of|about)|c[ao]me off|go off|without|keep|abort|terminate"
    r"|if (?:i|we|he|she|they|it|my \w+) (?:do|don'?t|does|doesn'?t|not)"
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
    text = remove_other_senses(fold_question(question).replace("’", "'"))
    if not (_TREATMENT.search(text) and _DECISION.search(text)):
        return False
    if find_topic(text) in _OF_OTHERS:
        return False  # shares of a vaccine company, a lawsuit about an operation
    rest = _PAST_TREATMENT.sub(" ", text)
    return _TREATMENT.search(rest) is not None or find_topic(rest) in _OF_BODY


def assess_sensitivity(matter: Matter, question: str) -> Sensitivity:
    """The most serious kind of sensitive question that this is."""
    if mentions_self_harm(question):
        return Sensitivity.SELF_HARM
    if _VIOLENCE.search(question):
        return Sensitivity.VIOLENCE
    if _LIFESPAN.search(question):
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
