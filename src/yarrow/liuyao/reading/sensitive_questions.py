"""Questions that a reading must not answer as if it were an expert.

A reading of a mild health or legal question is allowed and always sends the asker to a
professional. It never speaks of how long somebody lives, names an illness or judges a drug
(增删卜易·疾病章 itself says that divination does not replace medicine). Whether a treatment is
begun, refused or stopped is decided with a doctor: such a question gets no verdict. Whoever
speaks of harming themselves gets help instead of one, and so does whoever would harm another.
"""

import re
from collections.abc import Iterable
from enum import Enum, auto
from typing import Final

from yarrow.language.despair_roles import read_despair_text
from yarrow.language.despair_signs import has_kinds_of_despair, has_signs_of_despair
from yarrow.language.script_folding import fold_question
from yarrow.language.self_harm import mentions_self_harm
from yarrow.liuyao.reading.fiction import is_fiction
from yarrow.liuyao.reading.lifespan_questions import asks_lifespan, names_life, names_thing
from yarrow.liuyao.reading.parse_question import parse_question
from yarrow.liuyao.reading.topics import find_topic
from yarrow.liuyao.reading.violent_questions import asks_violence
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


def _is_grave(question: str) -> bool:
    """Whether a question names despair or death, and no topic, thing or game beside them."""
    if not has_signs_of_despair(read_despair_text(question)):
        return False
    if is_fiction(question) or names_thing(question):
        return False
    return find_topic(question) is None and not parse_question(question).has("employer")


_GRAVEST: Final = (
    Sensitivity.SELF_HARM, Sensitivity.VIOLENCE, Sensitivity.LIFESPAN, Sensitivity.TREATMENT,
)  # fmt: skip


def assess_texts(matter: Matter, question: str, beside: Iterable[str]) -> Sensitivity:
    """The sensitivity of a question, or a graver one of texts `beside` it, such as its label."""
    found = {assess_sensitivity(matter, text) for text in beside}
    own = assess_sensitivity(matter, question)
    return next((kind for kind in _GRAVEST if kind in found or kind is own), own)


def assess_sensitivity(matter: Matter, question: str) -> Sensitivity:
    """The most serious kind of sensitive question that this is."""
    question = fold_question(question).replace("’", "'")
    if mentions_self_harm(question):
        return Sensitivity.SELF_HARM
    if asks_violence(question):
        return Sensitivity.VIOLENCE
    if asks_lifespan(question):
        return Sensitivity.LIFESPAN
    if _decides_treatment(question):
        return Sensitivity.TREATMENT
    if _is_grave(question):
        is_own = has_kinds_of_despair(question) or not names_life(question)
        return Sensitivity.SELF_HARM if is_own else Sensitivity.LIFESPAN
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
