"""Recognise texts that speak of harming oneself: they are answered with help, by every agent."""

import re
from typing import Final

# Not 想死记硬背, 想死你了, 去死海, 跳楼价 and 跳楼机; 我想消失一阵.
_SELF_HARM: Final = re.compile(
    r"自杀|自殺|自残|自殘|自伤|自傷|轻生|輕生|不想活|活不下去|结束生命|結束生命|了结自己|"
    r"了結自己|想死(?!记|記|磕|[你妳]们?[了啦])|寻死|尋死"
    r"|伤害自己|傷害自己|去死(?!海)|割腕|跳[楼樓](?![价價机機大甩促])|suicid|kill myself"
    r"|end my life|self[- ]?harm"
    r"|(?:不如|想|[干乾]脆)就?一了百了|活[着著][还還]?(?:有|[没沒])(?:有?什[么麼]|有?啥|有?任何)?(?:意[义義思])"
    r"|(?:想|要|不如|[让讓]我|[该該])[^，,。]{0,4}[结結]束(?:[这這]一切|自己(?:的?生命)?(?=[了吗嗎。？?]|$))"
    r"|(?:我|想)[^，,。]{0,4}[离離][开開][这這][个個]世界|[我好]想(?:就此|永[远遠]|[从從]此)?消失"
    r"(?!的|在|一[阵陣段天周]|[几幾两兩])"
    r"|(?<!有)[没沒]有我[，,]?(?:[他她]|大家|家[人里裡]|世界|你[们們]|孩子|父母).{0,6}(?:更好|[轻輕][松鬆])"
    r"|end it all|take my (?:own )?life(?! (?:back|to|in|into|forward|seriously))"
    r"|better off dead|wish i (?:was|were) dead"
    r"|life (?:is )?(?:not|no longer) worth living|is (?:my )?life (?:still )?worth living"
    r"|worth going on living"
    r"|(?:reason|point) (?:to|in|of) (?:live|living)(?= *(?:$|[.?!,]|any))"
    r"|(?:everyone|everybody|the world|my (?:family|kids|children|parents|wife|husband))"
    r"(?: \w+){0,3} better off without me|don'?t want to (?:be alive|exist|wake up any ?more)"
    r"|(?:hurt|cut|harm)(?:t?ing)? myself\b(?! (?:some |a bit of )?(?:slack|shaving))|want to die"
    r"|don'?t want to live",
    re.IGNORECASE,
)


def mentions_self_harm(text: str) -> bool:
    """Whether the text says so in Chinese or English."""
    return bool(_SELF_HARM.search(text))
