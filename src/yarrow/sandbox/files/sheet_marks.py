"""Note what only the XML of a sheet has: what is hidden, formulas without result, errors, formats.

Only of `.xlsx` files; other workbooks get no such notes.
"""

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from yarrow.kit.notes import CodedNote, write_note
from yarrow.sandbox.files.errors import FileUnreadable
from yarrow.sandbox.files.sheet_cells import SheetCells
from yarrow.sandbox.files.sheet_formats import note_formats, read_formats
from yarrow.sandbox.files.sheet_tags import find_tags, read_attributes
from yarrow.sandbox.table_notes import Sentence, list_some

_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_STYLES = "xl/styles.xml"
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
            formats = read_formats(parts.read(_STYLES)) if _STYLES in parts.namelist() else {}
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
        raise FileUnreadable(Sentence.BROKEN_WORKBOOK) from None
    found = _PREFIX.search(text)
    prefix = found[1] or b"" if found else b""
    return [
        *_note_hidden(text, prefix, cells),
        *_note_formulas(text, prefix, cells),
        *_note_errors(text, prefix, cells),
        *note_formats(_find_formats(text, prefix, formats, cells), cells),
    ]


def _find_part(parts: zipfile.ZipFile, sheet: str) -> str | None:
    """The name of the part that holds the sheet."""
    names = set(parts.namelist())
    if not {_WORKBOOK, _RELATIONS} <= names:
        return None
    targets = {
        relation.get("Id", ""): relation.get("Target", "")
        for relation in find_tags(parts.read(_RELATIONS), b"Relationship")
    }
    for entry in find_tags(parts.read(_WORKBOOK), b"sheet"):
        if entry.get("name") == sheet:
            ids = [value for key, value in entry.items() if key.endswith(":id")]
            target = targets.get(next(iter(ids), ""), "")
            path = str(PurePosixPath("/xl") / target).removeprefix("/")
            return path if path in names else None
    return None


def _note_hidden(text: bytes, prefix: bytes, cells: SheetCells) -> list[CodedNote]:
    notes = []
    rows = re.compile(rb"<" + prefix + rb"""row\b([^>]*\bhidden=["'](?:1|true)["'][^>]*)>""")
    numbers = [read_attributes(match[1]).get("r", "") for match in rows.finditer(text)]
    hidden = sum(number.isdigit() and int(number) > cells.first_row for number in numbers)
    if hidden:
        notes.append(write_note(Sentence.HIDDEN_ROWS, count=hidden))
    names = [
        cells.names[position]
        for entry in find_tags(text[: max(text.find(b"sheetData"), 0)], b"col")
        if entry.get("hidden") in {"1", "true"}
        for position in cells.names
        if _is_in_range(position + 1, entry.get("min", ""), entry.get("max", ""))
    ]
    if names:
        notes.append(write_note(Sentence.HIDDEN_COLUMNS, names=list_some(names)))
    return notes


def _is_in_range(number: int, first: str, last: str) -> bool:
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
        if (entry := read_attributes(match[1])).get("t") != "str"
        and _is_in_table(place := entry.get("r", ""), cells)
    ]
    if not places:
        return []
    return [write_note(Sentence.NO_RESULTS, count=len(places), place=places[0])]


def _note_errors(text: bytes, prefix: bytes, cells: SheetCells) -> list[CodedNote]:
    pattern = re.compile(rb"<" + prefix + rb"""c\b([^>]*\bt=["']e["'][^>]*)>""")
    errors = []
    for match in pattern.finditer(text):
        place = read_attributes(match[1]).get("r", "")
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


def _find_formats(
    text: bytes, prefix: bytes, formats: Mapping[int, str], cells: SheetCells
) -> dict[str, Counter[str]]:
    """By column of numbers: how many cells below the header have which of the formats."""
    found: dict[str, Counter[str]] = {}
    if not formats:
        return found
    styles = b"|".join(str(style).encode() for style in formats)
    pattern = rb"""<%bc\b([^>]*\bs=["'](?:%b)["'][^>]*)(?<!/)>""" % (prefix, styles)
    for match in re.finditer(pattern, text):
        attributes = read_attributes(match[1])
        place = _PLACE.fullmatch(attributes.get("r", ""))
        name = cells.names.get(_parse_column(place[1])) if place else None
        if name is not None and place is not None and int(place[2]) > cells.first_row:
            found.setdefault(name, Counter())[formats[int(attributes["s"])]] += 1
    return {n: each for n, each in found.items() if cells.columns.get(n) in {"BIGINT", "DOUBLE"}}


def _parse_column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
