"""Signs of despair that mean little alone: two of different kinds together are taken seriously.

They are looked for only where a text asks for nothing else that is known. A farewell and a life
("想卸载人生", "I want my life to be over") need no phrase of their own so.
"""

import re
from functools import cache
from typing import Final

# Words of death itself: one of them is enough.
_DEATH: Final = (
    r"(?<![心该累笑忙热饿烦困气冷急吓渴美帅酸蠢吵穷怕恨爱骂冻干锁堵卡定钉社])死"
    r"(?!面子|了[一两几]|[党侍板角线性机海库鱼皮磕缠活心刑星盯缓循读背记扛守撑嗑])|葬礼|坟|烧纸(?!杯)|丧命"
    r"|殉情|同归|遗照"
    r"|天台(?:了|上|边)(?!种|吃|烧|拍)|楼顶边|跳海(?!钓)|沉塘|沉到[^，,。]{0,3}底|走进(?:大?海|河"
    r"|江|湖|水)[里中]?|翻(?:出|下)[^，,。]{0,2}(?:去|窗|栏)"
    r"|刀片[^，,。]{0,4}(?:买|准备)|绳子?[^，,。]{0,2}(?:挂|系|套)好|一次(?:全|都)?吞"
    r"|攒够[^，,。]{0,2}(?:药|片)|药[^，,。]{0,2}攒够|致死|[吃吞](?:一|几|两)百[片粒颗]"
    r"|自[毁杀残戕尽]|弄伤自己|自己(?:弄|划|割)的|以命抵|喝药[了啦]?$"
    r"|\b(?:die(?! (?:down|laughing|of (?:boredom|laughter|shame|hunger|embarrassment)))|dead"
    r"(?! (?:tired"
    r"|serious|ringer|wrong|heat|right|easy|simple"
    r"|line|lock|stock|weight|end|beat|sea))|death|dying(?! to\b)|funeral|six feet under|lethal"
    r"|noose|suicid\w*|swallow bleach|off a cliff|afterlife"
    r"|kill (?:my self|myslef)|overdos\w+)\b"
)
_KINDS: Final = (
    # Despair.
    r"不想(?:再|这样|继续|要)*(?![等结上读干吃学考和跟去工谈买])[^，,。]{0,3}了|撑(?:不|到头|够|下去)|不想再撑|折磨|煎熬|失败|绝望"
    r"|解脱|废物|垃圾|不值得?|没意思|没意义|对不起|不孝|痛苦|受够|熬|累(?=[了啊喔，,。]|$)"
    r"|错误|怕疼|没人[要爱]|够了|过不下去|死心了"
    r"|\b(?:can't|cannot|can not) (?:take|do|bear|stand|go)\b|\b(?:i'm|am|be) done\b"
    r"|\btired\b(?!, should i (?:sleep|rest)| of li(?:fe|ving) (?:in|with))"
    r"|\bpain(?:ful)?\b|hopeless|worthless|pointless"
    r"|no point(?! (?:in )?being here early)"
    r"|\bsuffer\w*|depress\w+|\bburden|\bhate (?:myself|my life)|\bnothing\b|\brelie(?:f|ved)\b"
    r"|no future|\bno will\b|\bgiv(?:e|ing) up\b|\bsucks?\b|\bworse\b|\balone\b"
    r"|\bdeserve",
    # Going away for good.
    r"(?:先|想|安心|一起|悄悄|走咗|就|可以)[^，,。]{0,3}走(?!亲|访|近|红|秀|路|进|过|出|心|上|向"
    r"|完|到|神)|离开|告别|再见|消失|上路|到此为止|到这里吧|退出|注销|卸载|登出|删号|下线"
    r"|永远|再也不|结束|随他|跟着去|不会醒|长睡|了断|了结|方式|睡一个|托付"
    r"|\bgone\b|\bleave\b|goodbye|\bend(?:ing)?\b(?! of)|\b(?:be|is) over\b|disappear|vanish"
    r"|\b(?:won't|not) be (?:around|here|a problem)\b|\bforever\b|\bto stop\b|\bfall asleep\b"
    r"|\bsleep\b|\btonight\b|\bjump\b|\bedge\b|\bpills?\b|\bhit me\b|\bhit by\b|gave away",
    # Life and self as a whole.
    r"人生|世界(?!杯|观|级|史)|人间|余生|剩下的日子|一辈子|下辈子|来世|存在|这条命"
    r"|(?<![干快生])活(?=[着了]|得?累|$)|做人|注销自己|自己删|把自己|谁[^，,。]{0,3}记得我|不打扰"
    r"|\blife\b|\blive\b|\bliving\b(?! in| room| with)|\bexist\w*|\bworld\b|\balive\b"
    r"|\beveryone\b|\bmyself\b|\bfuture\b|\bbeing here\b|\bwake\b|\bmuch longer\b|\bmy things\b"
    r"|\bi wish\b|\bmy brain\b|\bvoices?\b",
)


@cache
def _compile() -> tuple[re.Pattern[str], tuple[re.Pattern[str], ...]]:
    kinds = tuple(re.compile(kind, re.IGNORECASE) for kind in _KINDS)
    return re.compile(_DEATH, re.IGNORECASE), kinds


def has_kinds_of_despair(folded: str) -> bool:
    """Whether a text in simplified script has signs of two kinds."""
    return sum(bool(kind.search(folded)) for kind in _compile()[1]) > 1


def has_signs_of_despair(folded: str) -> bool:
    """Whether a text in simplified script names death, or has signs of two kinds."""
    return _compile()[0].search(folded) is not None or has_kinds_of_despair(folded)
