"""One table of words: none is missing, none is unused, none is in the code."""

import re
from pathlib import Path

import msgspec
import pytest

from yarrow.agents.analyst.chart.agent import STEP_FAILED, UNKNOWN_ACTION
from yarrow.agents.analyst.workspace import TABLE_READ_FAILED
from yarrow.agents.assistant.prompt import HISTORY_CUT, HISTORY_DIFFERS, IMAGE_MISSING
from yarrow.agents.conversation.conversation import IMAGES_REFUSED
from yarrow.agents.conversation.reply import ANSWER_CUT, USAGE_IGNORED
from yarrow.operations.findings import Finding
from yarrow.prompting.file_faults import FileFault
from yarrow.prompting.macros.model import MacroWarningCode
from yarrow.prompting.worldbook import SegmentKind
from yarrow.protocols.agui.errors import RUN_ERRORS as AGUI_ERRORS
from yarrow.protocols.ndjson.errors import RUN_ERRORS as NDJSON_ERRORS
from yarrow.protocols.tavern.errors import COMMIT_FAILED
from yarrow.protocols.tavern.errors import RUN_FAULTS as TAVERN_FAULTS
from yarrow.sandbox.table_notes import Sentence
from yarrow.web.assets import FOLDER
from yarrow.web.words import LANGUAGES, TABLE, match_language

WORDS = msgspec.json.decode(TABLE.read_bytes(), type=dict[str, dict[str, str]])
TEMPLATES = TABLE.parent / "templates"
SCRIPTS = [path for path in sorted(FOLDER.rglob("*.js")) if path.parent.name != "vendor"]
DATA_TABLES = {"terms.js"}
"""Scripts whose Chinese is data of the wire."""
SEALS = {"coins.js", "board.js", "board_extras.js"}
"""Signs that are part of a picture: the letters of a coin, the marks of a line."""

_KEY = re.compile(r"""["'`]((?:[a-z_]+\.)+[A-Za-z_0-9-]+)["'`]""")
_BUILT = re.compile(r"""["'`]((?:[a-z_]+\.)+(?:[a-z_]+_)?)(?:\$\{|" ~|["'`] \+)""")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_TEMPLATE_TEXT = re.compile(r">([^<>${}`]*[A-Za-z]{2,}[^<>${}`]*)<")
_COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*$", re.DOTALL | re.MULTILINE)


def read_sources() -> str:
    paths = [*SCRIPTS, *TEMPLATES.rglob("*.html")]
    return "\n".join(path.read_text() for path in paths)


def test_every_key_has_words_in_every_language() -> None:
    missing = [
        (key, language)
        for key, words in WORDS.items()
        for language in LANGUAGES
        if not words.get(language, "").strip()
    ]

    assert missing == []
    assert {tuple(words) for words in WORDS.values()} == {tuple(LANGUAGES)}


def test_every_key_in_the_code_is_in_the_table() -> None:
    families = {key.partition(".")[0] for key in WORDS}
    used = {key for key in _KEY.findall(read_sources()) if key.partition(".")[0] in families}
    files = {key for key in used if key.endswith((".js", ".css", ".html", ".svg", ".csv", ".png"))}

    assert sorted(used - files - set(WORDS)) == []


def test_no_words_are_left_over() -> None:
    sources = read_sources()
    used = set(_KEY.findall(sources))
    prefixes = tuple(_BUILT.findall(sources))

    assert [key for key in WORDS if key not in used and not key.startswith(prefixes)] == []


def test_placeholders_are_the_same_in_every_language() -> None:
    def names(text: str) -> set[str]:
        return set(re.findall(r"\{(\w+)\}", text))

    uneven = [
        key
        for key, words in WORDS.items()
        if len({*map(frozenset, map(names, words.values()))}) > 1
    ]

    assert uneven == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_words_are_in_the_code(path: Path) -> None:
    code = _COMMENT.sub("", path.read_text())

    if path.name not in DATA_TABLES | SEALS | {"session.js", "casting.js"}:
        assert _HAN.findall(code) == []
    texts = {text.strip() for text in _TEMPLATE_TEXT.findall(code)}
    assert texts - {"SVG", "PNG", "CSV", "SQL", "YARROW_LLM_BASE_URL"} == set()


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("fr, de", "en"),
        ("en-GB,en;q=0.9", "en"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans"),
        ("zh-TW", "zh-Hant"),
        ("zh-Hant-HK", "zh-Hant"),
        ("en;q=0.3, zh-HK;q=0.9", "zh-Hant"),
        ("zh;q=x, en", "en"),
    ],
)
def test_the_browser_chooses_the_language(accepted: str, language: str) -> None:
    assert match_language(accepted) == language


def test_every_way_a_run_fails_has_words() -> None:
    codes = {code for errors in (AGUI_ERRORS, NDJSON_ERRORS) for code, _ in errors.values()}
    codes |= {fault.code for fault in (*TAVERN_FAULTS.values(), COMMIT_FAILED)}
    codes.remove("ACCESS_DENIED")  # Of several things: its detail tells which.

    assert [code for code in sorted(codes) if f"problem.{code}" not in WORDS] == []


def test_every_warning_that_pages_show_has_words() -> None:
    warned = (ANSWER_CUT, HISTORY_CUT, HISTORY_DIFFERS)
    left_out = (USAGE_IGNORED, IMAGES_REFUSED, IMAGE_MISSING)
    codes = {warning.code for warning in (*warned, *left_out)} | {
        TABLE_READ_FAILED,
        STEP_FAILED,
        UNKNOWN_ACTION,
    }

    assert [code for code in sorted(codes) if f"warning.{code}" not in WORDS] == []


def test_every_warning_about_a_macro_has_words() -> None:
    assert [code for code in MacroWarningCode if f"macro_warning.{code}" not in WORDS] == []


def test_every_place_of_a_lore_key_has_words() -> None:
    assert [kind for kind in SegmentKind if f"stories.lore_place_{kind}" not in WORDS] == []


def assert_same(words: dict[str, str], sentence: str) -> None:
    """The English words are the server's sentence, and those of every language have its facts."""
    assert words["en"] == sentence
    facts = set(re.findall(r"{\w+}", sentence))
    assert [set(re.findall(r"{\w+}", text)) for text in words.values()] == [facts] * 3


def test_every_note_of_a_table_has_words_with_its_facts() -> None:
    for sentence in Sentence:
        assert_same(WORDS[f"note.{sentence.name.lower()}"], sentence)


def test_every_fault_of_a_file_has_words_with_its_facts() -> None:
    assert FileFault.__members__.keys().isdisjoint(Sentence.__members__)
    for fault in FileFault:
        assert_same(WORDS[f"note.{fault.name.lower()}"], fault)


def test_every_finding_of_the_doctor_has_words_with_its_facts() -> None:
    for finding in Finding:
        assert_same(WORDS[f"ops.finding_{finding.name.lower()}"], finding)
