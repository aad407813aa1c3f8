"""Recognise texts that speak of harming oneself: they are answered with help, by every agent."""

import re
from typing import Final

# Not 想死记硬背, 想死你了, 去死海, 跳楼价 and 跳楼机.
_SELF_HARM: Final = re.compile(
    r"自杀|自殺|自残|自殘|自伤|自傷|轻生|輕生|不想活|活不下去|结束生命|結束生命|了结自己|"
    r"了結自己|想死(?!记|記|磕|[你妳]们?[了啦])|寻死|尋死"
    r"|伤害自己|傷害自己|去死(?!海)|割腕|跳[楼樓](?![价價机機大甩促])|suicid|kill myself"
    r"|end my life|self[- ]?harm"
    r"|(?:hurt|cut|harm)(?:t?ing)? myself\b(?! (?:some |a bit of )?(?:slack|shaving))|want to die"
    r"|don'?t want to live",
    re.IGNORECASE,
)


def mentions_self_harm(text: str) -> bool:
    """Whether the text says so in Chinese or English."""
    return bool(_SELF_HARM.search(text))
