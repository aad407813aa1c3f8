"""Words before and after what a question leaves out, in English and Chinese."""

import re
from typing import Final

EXCLUDED_END: Final = re.compile(
    r"(?:\b(?:excluding|exclude|excludes|except(?:\s+for)?|excepting|without|other than|neither|"
    r"but not|but no|not(?:\s+(?:in|from|for|including|counting))?|non|minus|ignoring|ignore|omit|"
    r"omitting|leaving out|leave out|besides|apart from|aside from|outside(?:\s+of)?|drop|dropping|"
    r"remove|removing|don'?t (?:include|count|show)|do not (?:include|count|show))"
    r"|除了|除去|除开|除|不包括|不包含|不含|不计|不算|不要|排除|剔除|去掉|去除|非|(?<!是)不是|(?<!在)不在)"
    r"[\s-]*(?:(?:the|all|any|in|for|from|data|rows|values?|years?|months?|of)\s+)*$"
)
"""The end of the text before what is left out."""
EXCLUDED_NEXT: Final = re.compile(
    r"^\s*(?:以外|之外|除外|外(?=[\x00各的,，、]|$)|(?:is |are )?excluded\b|not included\b)"
)
"""After what is left out, also without a word before it."""
UNCLEAR_END: Final = re.compile(
    r"(?:\b(?:than|instead of|rather than|like|similar to|relative to|as|compared (?:to|with)|"
    r"as (?:an? |the )?(?:percent|percentage|share|proportion|fraction) of|"
    r"against|versus|vs\.?)|比|相对于|类似|相比|对比)\s*(?:the\s+)?$"
)
"""The end of the text before a value that something is compared with."""
EITHER: Final = re.compile(r"\bor\b|或者?|要么|还是")
OTHERS: Final = re.compile(
    r"\b(?:(?:all|every)?\s*(?:the\s+)?others?|the rest|everyone else|elsewhere)\b|其他|其它|其余"
)
