"""Questions that a reading must not answer as if it were an expert.

A reading of a mild health or legal question is allowed and always sends the asker to a
professional. It never speaks of how long somebody lives, names an illness or judges a drug
(增删卜易·疾病章 itself says that divination does not replace medicine). Whoever speaks of
harming themselves gets help instead of a verdict.
"""

import re
from enum import Enum, auto
from typing import Final

from yarrow.language.self_harm import mentions_self_harm
from yarrow.liuyao.reading.yong_shen import Matter, SpecialMatter, Topic


class Sensitivity(Enum):
    NONE = auto()
    HEALTH = auto()
    MEDICINE = auto()
    CHILD_SEX = auto()
    LIFESPAN = auto()
    LEGAL = auto()
    SELF_HARM = auto()


_LIFESPAN: Final = re.compile(
    r"寿命|壽命|寿元|壽元|阳寿|陽壽|活多久|活几年|活幾年|还能活|還能活|会死|會死|死期|去世|过世|"
    r"過世|临终|臨終|大限|安乐死|安樂死|拔管|放弃治疗|放棄治療|放弃抢救|放棄搶救"
    r"|how long .{0,20}live|life expectancy|(?:will|going to) .{0,20}die\b|pass away|euthan\w+|"
    r"put (?:him|her|it|my \w+) (?:down|to sleep)|life support",
    re.IGNORECASE,
)
_MEDICINE: Final = re.compile(
    r"什么病|什麼病|是不是.{0,6}(?:癌|瘤|炎|病)|确诊|確診|诊断|診斷|癌|肿瘤|腫瘤|吃.{0,3}[药藥]|"
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


def assess_sensitivity(matter: Matter, question: str) -> Sensitivity:
    """The most serious kind of sensitive question that this is."""
    if mentions_self_harm(question):
        return Sensitivity.SELF_HARM
    if _LIFESPAN.search(question):
        return Sensitivity.LIFESPAN
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
