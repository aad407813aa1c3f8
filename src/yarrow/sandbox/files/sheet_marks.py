"""Note what only the XML of a sheet has: what is hidden, formulas without result, errors, percent.

Only of `.xlsx` files; other workbooks get no such notes.
"""

import re
import zipfile
import zlib
from collections.abc import Iterator
from html import unescape
from pathlib import Path, PurePosixPath

from yarrow.kit.notes import CodedNote, write_note
from yarrow.sandbox.files.errors import FileUnreadable
from yarrow.sandbox.files.sheet_cells import SheetCells
from yarrow.sandbox.table_notes import Sentence, list_some

_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_STYLES = "xl/styles.xml"
_PERCENT_FORMATS = {"9", "10"}
"""Those that every workbook has."""
_ATTRIBUTE = re.compile(rb"""([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_TAGS = {
    tag: re.compile(rb"<(?:\w+:)?" + tag + rb"\b([^>]*)>")
    for tag in (b"sheet", b"Relationship", b"numFmt", b"xf", b"col")
}
_CELL_STYLES = re.compile(rb"<(?:\w+:)?cellXfs\b.*?</(?:\w+:)?cellXfs>", re.DOTALL)
_PREFIX = re.compile(rb"<(\w+:)?worksheet\b")
_ERROR_TEXT = re.compile(rb"#[A-Z0-9/]+[!?]?")
_PLACE = re.compile(r"([A-Z]+)(\d+)")


def note_marks(source: Path, sheet: str, cells: SheetCells) -> list[CodedNote]:
    """Notes about a sheet of a workbook, if its parts can be found."""
    if not zipfile.is_zipfile(source):
        return []
    try:
        with zipfile.ZipFile(source) as parts:
            if (part := _find_part(parts, sheet)) is None:
                return []
            text = parts.read(part)
            percents = _find_percent_styles(parts)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
        raise FileUnreadable(Sentence.BROKEN_WORKBOOK) from None
    found = _PREFIX.search(text)
    prefix = found[1] or b"" if found else b""
    return [
        *_note_hidden(text, prefix, cells),
        *_note_formulas(text, prefix, cells),
        *_note_errors(text, prefix, cells),
        *_note_percents(text, prefix, percents, cells),
    ]


def _attributes(text: bytes) -> dict[str, str]:
    return {
        match[1].decode(): unescape((match[2] or match[3] or b"").decode("utf-8", "replace"))
        for match in _ATTRIBUTE.finditer(text)
    }


def _find_tags(text: bytes, tag: bytes) -> Iterator[dict[str, str]]:
    return (_attributes(match[1]) for match in _TAGS[tag].finditer(text))


def _find_part(parts: zipfile.ZipFile, sheet: str) -> str | None:
    """The name of the part that holds the sheet."""
    names = set(parts.namelist())
    if not {_WORKBOOK, _RELATIONS} <= names:
        return None
    targets = {
        relation.get("Id", ""): relation.get("Target", "")
        for relation in _find_tags(parts.read(_RELATIONS), b"Relationship")
    }
    for entry in _find_tags(parts.read(_WORKBOOK), b"sheet"):
        if entry.get("name") == sheet:
            ids = [value for key, value in entry.items() if key.endswith(":id")]
            target = targets.get(next(iter(ids), ""), "")
            path = str(PurePosixPath("/xl") / target).removeprefix("/")
            return path if path in names else None
    return None


def _find_percent_styles(parts: zipfile.ZipFile) -> list[int]:
    """Numbers of the cell styles that show percent."""
    if _STYLES not in parts.namelist():
        return []
    text = parts.read(_STYLES)
    formats = _PERCENT_FORMATS | {
        entry.get("numFmtId", "")
        for entry in _find_tags(text, b"numFmt")
        if "%" in entry.get("formatCode", "")
    }
    styles = _CELL_STYLES.search(text)
    used = _find_tags(styles[0] if styles else b"", b"xf")
    return [number for number, style in enumerate(used) if style.get("numFmtId") in formats]


def _note_hidden(text: bytes, prefix: bytes, cells: SheetCells) -> list[CodedNote]:
    notes = []
    rows = re.compile(rb"<" + prefix + rb"""row\b([^>]*\bhidden=["'](?:1|true)["'][^>]*)>""")
    numbers = [_attributes(match[1]).get("r", "") for match in rows.finditer(text)]
    hidden = sum(number.isdigit() and int(number) > cells.first_row for number in numbers)
    if hidden:
        notes.append(write_note(Sentence.HIDDEN_ROWS, count=hidden))
    names = [
        cells.names[position]
        for entry in _find_tags(text[: max(text.find(b"sheetData"), 0)], b"col")
        if entry.get("hidden") in {"1", "true"}
        for position in cells.names
        if _is_between(position + 1, entry.get("min", ""), entry.get("max", ""))
    ]
    if names:
        notes.append(write_note(Sentence.HIDDEN_COLUMNS, names=list_some(names)))
    return notes


def _is_between(number: int, first: str, last: str) -> bool:
    return first.isdigit() and last.isdigit() and int(first) <= number <= int(last)


def _note_formulas(text: bytes, prefix: bytes, cells: SheetCells) -> list[CodedNote]:
    """A program that does not calculate writes formulas without results."""
    if b"<" + prefix + b"f" not in text:
        return []
    formula = rb"<%bf\b[^>]*(?:/>|>[^<]*</%bf>)" % (prefix, prefix)
    value = rb"(?:<%bv\s*/>|<%bv>\s*</%bv>)?" % (prefix, prefix, prefix)
    pattern = rb"<%bc\b([^>]*)>\s*%b\s*%b\s*</%bc>" % (prefix, formula, value, prefix)
    places = [
        place
        for match in re.finditer(pattern, text)
        if (entry := _attributes(match[1])).get("t") != "str"
        and _is_in_table(place := entry.get("r", ""), cells)
    ]
    if not places:
        return []
    return [write_note(Sentence.NO_RESULTS, count=len(places), place=places[0])]


def _note_errors(text: bytes, prefix: bytes, cells: SheetCells) -> list[CodedNote]:
    pattern = re.compile(rb"<" + prefix + rb"""c\b([^>]*\bt=["']e["'][^>]*)>""")
    errors = []
    for match in pattern.finditer(text):
        place = _attributes(match[1]).get("r", "")
        if _is_in_table(place, cells):
            value = _ERROR_TEXT.search(text, text.find(b"<" + prefix + b"v", match.end()))
            errors.append(f"{place} {value[0].decode() if value else ''}".strip())
    if not errors:
        return []
    return [write_note(Sentence.EXCEL_ERRORS, count=len(errors), place=errors[0])]


def _is_in_table(place: str, cells: SheetCells) -> bool:
    """Whether a cell is below the header; unknown places are."""
    match = _PLACE.fullmatch(place)
    return match is None or int(match[2]) > cells.first_row


def _note_percents(
    text: bytes, prefix: bytes, styles: list[int], cells: SheetCells
) -> list[CodedNote]:
    """Columns of numbers with a percent format: 12 % is stored as 0.12."""
    if not styles:
        return []
    numbers = b"|".join(str(style).encode() for style in styles)
    pattern = rb"""<%bc\b([^>]*\bs=["'](?:%b)["'][^>]*)(?<!/)>""" % (prefix, numbers)
    found: dict[str, None] = {}
    for match in re.finditer(pattern, text):
        place = _PLACE.fullmatch(_attributes(match[1]).get("r", ""))
        name = cells.names.get(_column_number(place[1])) if place else None
        if name is not None and place is not None and int(place[2]) > cells.first_row:
            found[name] = None
    names = [name for name in found if cells.columns.get(name) in {"BIGINT", "DOUBLE"}]
    if not names:
        return []
    return [write_note(Sentence.SHEET_PERCENT, names=list_some(names))]


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
