"""Which English questions the small model may answer, and where its answer has to stop.

It knows no facts and writes no code, so it gets only talk about the user or itself, and jokes.
"""

import re
from typing import Final

MAX_WORDS = 40

_PERSONAL: Final = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|im|me|my|myself|we|our|us|you|you're|your|yourself|feeling)\b"
    r"|\b(?:joke|story|poem|compliment|something (?:nice|funny|kind)|cheer|good night|how are things"
    r"|how is it going|how's it going|what's up|nice to meet|weekend|weather)\b",
    re.IGNORECASE,
)
_BEYOND: Final = re.compile(
    r"\d|https?:|[{}<>\\`|]|\b(?:translate|summari[sz]e|code|program|script|function|python|javascript|"
    r"sql|html|regex|json|explain|essay|article|email|letter|report|plan|recipe|list|compare|analyse|"
    r"analyze|define|definition|meaning|capital|president|population|price|stock|news|latest|"
    r"calculate|solve|convert|prove|research|medical|medicine|dose|symptom\w*|legal|law|lawyer|invest"
    r"\w*|diagnos\w*|suicide|kill|die|hurt|spell|history of|who (?:is|was|are|were|won|wrote)|"
    r"when (?:is|was|did|will)|where (?:is|are|was)|how (?:many|much|far|long|tall|big|does|do i|to)|"
    r"remember|recommend|advise|should i)\b",
    re.IGNORECASE,
)


def is_small_talk(text: str) -> bool:
    """Whether the text is short, personal, and asks for nothing that needs knowledge."""
    is_short = len(text.split()) <= MAX_WORDS
    return is_short and bool(_PERSONAL.search(text)) and not _BEYOND.search(text)
