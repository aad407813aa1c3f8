"""Tell the language of a question: Chinese in either script, English, or another one."""

import re
from typing import Final

from yarrow.language.chinese_script import find_script
from yarrow.language.languages import Language

_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_OTHER_SCRIPT: Final = re.compile(
    r"[\u00bf\u00a1\u0370-\u1fff\u3040-\u30ff\uac00-\ud7ff]|[^\W\d_a-zA-Z\u00c0-\u024f\u3400-\u9fff]"
)
_ACCENTED: Final = re.compile(r"[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]")
_WORD: Final = re.compile(r"[a-z\u00c0-\u024f]+(?:'[a-z]+)?")
_FOREIGN_WORDS = """
der die das und ist ich du sie wir nicht ein eine wie geht es dir heute spät danke bitte guten
le la les un une est je tu vous nous pas bonjour comment merci quelle heure il elle avec pour
el los las una es yo tú qué que hola cómo gracias por para con usted hora
o os um uma não você obrigado olá che di sono ciao grazie come stai ora ore sei
ik je het een niet van hoe dank jij jag det inte och tack hur nie jak jest dziękuję czy
lorem ipsum dolor sit amet
"""
_COMMON_WORDS = """
a about am an and any are at be by can cast code could date day did do does doing feel find
for from give good great had happy has have he hello help her hey hi his how i i'm is it
it's its joke just know let like list me my name nice no not now of ok on one or out please
points sad say she so some story table tell than thank thanks that that's the their them
there these they this time tired to today tomorrow too us very want was we were what what's
when where which who why will with work would yes you you're your
"""
_ENGLISH_WORDS: Final = frozenset(_COMMON_WORDS.split())
_OTHER_WORDS: Final = frozenset(_FOREIGN_WORDS.split()) - _ENGLISH_WORDS
_SHORT_WORDS = 2
"""So few words may be a name or a greeting; they are taken as English."""


def detect_language(text: str) -> Language | None:
    """The language of the text; English for signs and numbers alone, None for any other one."""
    if _OTHER_SCRIPT.search(text):
        return None
    if _HAN.search(text):
        return find_script(text) or Language.HANS
    words = _WORD.findall(text.lower())
    known = sum(word in _ENGLISH_WORDS for word in words)
    foreign = sum(word in _OTHER_WORDS for word in words)
    is_english = len(words) <= _SHORT_WORDS or known >= foreign
    return Language.ENGLISH if is_english and not (_ACCENTED.search(text) and not known) else None
