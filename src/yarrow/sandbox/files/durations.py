"""Columns of text that are durations: `26:10:00`, `2h 30m`, `PT1H`. They become seconds."""

import re
from typing import NamedTuple

import duckdb

from yarrow.kit.notes import CodedNote, write_note
from yarrow.kit.sql_text import quote_name, quote_text
from yarrow.sandbox.files.cell_sql import all_cells, cell_text, has_match, is_blank, is_match
from yarrow.sandbox.table_notes import Sentence

_COUNT = r"\d+(?:\.\d+)?"
_CLOCK = r"-?\d+:[0-5]?\d:[0-5]\d(?:\.\d+)?"
_UNITS = {
    "w": ("w|wks?|weeks?", 604_800),
    "d": ("d|days?", 86_400),
    "h": ("h|hrs?|hours?", 3600),
    "m": ("m|mins?|minutes?", 60),
    "s": ("s|secs?|seconds?", 1),
}
_WRITTEN = "(?i)-?" + "".join(rf"(?:{_COUNT}\s*(?:{words})[ ,]*)?" for words, _ in _UNITS.values())
_ISO = rf"-?P(?:{_COUNT}W)?(?:{_COUNT}D)?(?:T(?:{_COUNT}H)?(?:{_COUNT}M)?(?:{_COUNT}S)?)?"
_CLEAR_UNIT = r"(?i)\d\s*(?:h|min|sec|day|week)|\d\s*[a-z]+[ ,]*\d|^-?P"
"""Not a metre, a day of a plan or a size: `5m`, `3d` and `4s` alone say nothing."""
_NAMED = re.compile(
    r"duration|elapsed|run_?time|(?:lap|split|race|total)[ _]?time|时长|耗时|用时|历时",
    re.IGNORECASE,
)


class DurationFormat(NamedTuple):
    """How the text of a column becomes seconds."""

    expression: str
    note: CodedNote


def is_duration_like(name: str) -> str:
    """SQL: whether a cell has the form of a duration."""
    written = f"({is_match(name, _WRITTEN)} AND {has_match(name, '[0-9]')})"
    iso = f"({is_match(name, _ISO)} AND {has_match(name, '[0-9]')})"
    return f"({is_match(name, _CLOCK)} OR {written} OR {iso})"


def read_durations(
    relation: str, name: str, database: duckdb.DuckDBPyConnection
) -> DurationFormat | None:
    """None if some cells are no durations, or may be times of day or something else."""
    is_clock = is_match(name, _CLOCK)
    facts = (
        all_cells(is_duration_like(name), name),
        f"max(TRY_CAST(split_part({cell_text(name)}, ':', 1) AS BIGINT)) FILTER ({is_clock})",
        f"bool_or({has_match(name, _CLEAR_UNIT)})",
        f"first({cell_text(name)}) FILTER (NOT {is_blank(name)})",
    )
    row = database.execute(f"FROM {relation} SELECT {', '.join(facts)}").fetchone()
    if row is None or not row[0]:
        return None
    _, hours, has_clear_unit, example = row
    is_named = _NAMED.search(name) is not None
    if not (has_clear_unit or is_named or (hours is not None and hours > 23)):
        return None
    is_guess = not (has_clear_unit or (hours or 0) > 23)
    expression = _to_seconds(name)
    rows = f"(SELECT ? AS {quote_name(name)})"
    value = database.execute(f"FROM {rows} SELECT {expression}", [example]).fetchone()
    seconds = value[0] if value else 0
    read = write_note(Sentence.DURATION_READ, example=example, value=f"{seconds:g}")
    guess = [write_note(Sentence.GUESSED_BY_NAME)] if is_guess else []
    note = write_note(Sentence.COLUMN_READ, name=name, parts=[read, *guess])
    return DurationFormat(expression, note)


def _to_seconds(name: str) -> str:
    text = f"lower({cell_text(name)})"
    bare = f"ltrim({text}, '-')"
    clock = " + ".join(
        f"{factor} * split_part({bare}, ':', {part})::DOUBLE"
        for part, factor in ((1, 3600), (2, 60), (3, 1))
    )
    units = " + ".join(
        f"{factor} * coalesce(TRY_CAST(regexp_extract({bare}, {_counted(letter)}, 1) AS DOUBLE), 0)"
        for letter, (_, factor) in _UNITS.items()
    )
    seconds = f"CASE WHEN {is_match(name, _CLOCK)} THEN {clock} ELSE {units} END"
    sign = f"CASE WHEN starts_with({text}, '-') THEN -1 ELSE 1 END"
    return f"CASE WHEN {is_blank(name)} THEN NULL ELSE ({sign}) * ({seconds}) END"


def _counted(letter: str) -> str:
    return quote_text(rf"({_COUNT})\s*{letter}")
