"""Correct known misspellings of the words that rules look for.

A table, because forms derived from keywords are often words of their own: pints, cats, tanks.
"""

import re
from typing import Final

_MISSPELLINGS = {
    "what": "wat waht whta",
    "time": "tiem tmie",
    "date": "dtae",
    "today": "tody todya",
    "tomorrow": "tommorow tomorow tommorrow tomorrw tomorro",
    "yesterday": "yesterdy yestarday yesteday",
    "current": "curent currnet",
    "difference": "diffrence differance diference",
    "between": "betwen beetween bewteen",
    "calculate": "calcuate calculte caluclate calulate claculate",
    "divided": "divded devided dividied",
    "percent": "percnt pecent",
    "points": "ponits poinst pionts",
    "balance": "balence balace ballance",
    "search": "serach saerch",
    "sessions": "sesions sesssions",
    "hexagram": "hexagam hexgram hexagramm",
    "table": "tabel",
    "tables": "tabels",
    "configure": "configre confgure cofigure",
    "model": "modle",
    "hello": "helo hlelo",
    "thanks": "thnaks thansk thanx",
}
_CORRECT: Final = {form: word for word, forms in _MISSPELLINGS.items() for form in forms.split()}
_WORD: Final = re.compile(r"[A-Za-z]{3,}")


def correct_spelling(line: str) -> str:
    """The line with misspelt keywords corrected."""
    return _WORD.sub(lambda match: _CORRECT.get(match[0].lower(), match[0]), line)
