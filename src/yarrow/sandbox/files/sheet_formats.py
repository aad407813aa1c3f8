"""Note what the formats of a sheet show and its numbers do not have: percent, currencies, zeros."""

import re
from collections import Counter
from collections.abc import Mapping

from yarrow.kit.notes import CodedNote, write_note
from yarrow.sandbox.files.sheet_cells import SheetCells
from yarrow.sandbox.files.sheet_tags import find_tags
from yarrow.sandbox.table_notes import Sentence, list_some

PERCENT = "%"
_BUILT_IN = {"9": PERCENT, "10": PERCENT}
"""Those that every workbook has."""
_CELL_STYLES = re.compile(rb"<(?:\w+:)?cellXfs\b.*?</(?:\w+:)?cellXfs>", re.DOTALL)
_SYMBOL = re.compile(r"\[\$([^\]-]+)[^\]]*\]")
"""A currency as Excel writes it: `[$€-407]`."""
_BRACKETS = re.compile(r"\[[^\]]*\]")
_CURRENCY = re.compile(r"[$€£¥￥₹₩元]")
_ZEROS = re.compile(r"0{2,}(?=$|[-;])")


def read_formats(styles: bytes) -> dict[int, str]:
    """By number of a cell style: the percent sign, the currency or the zeros that it shows."""
    shown = _BUILT_IN | {
        entry.get("numFmtId", ""): _read_code(entry.get("formatCode", ""))
        for entry in find_tags(styles, b"numFmt")
    }
    used = _CELL_STYLES.search(styles)
    numbers = enumerate(find_tags(used[0] if used else b"", b"xf"))
    found = {number: shown.get(style.get("numFmtId", ""), "") for number, style in numbers}
    return {number: text for number, text in found.items() if text}


def _read_code(code: str) -> str:
    if PERCENT in code:
        return PERCENT
    if symbol := _SYMBOL.search(code):
        return symbol[1].strip()
    bare = _BRACKETS.sub("", code)
    if symbol := _CURRENCY.search(bare):
        return symbol[0]
    zeros = _ZEROS.match(bare)
    return zeros[0] if zeros else ""


def note_formats(found: Mapping[str, Counter[str]], cells: SheetCells) -> list[CodedNote]:
    """Notes of columns of numbers, by what their cells are shown with."""
    percents = [name for name, shown in found.items() if shown[PERCENT]]
    partly = [name for name in percents if found[name][PERCENT] < cells.filled[name]]
    zeros = {name: next(filter(_ZEROS.fullmatch, shown), "") for name, shown in found.items()}
    notes = []
    if percents:
        notes.append(write_note(Sentence.SHEET_PERCENT, names=list_some(percents)))
    if partly:
        notes.append(write_note(Sentence.SHEET_PARTLY_PERCENT, names=list_some(partly)))
    for name, shown in found.items():
        currencies = sorted(text for text in shown if text and text not in {PERCENT, zeros[name]})
        if len(currencies) > 1:
            notes.append(write_note(Sentence.SHEET_CURRENCIES, name=name, units=[*currencies]))
        if zeros[name]:
            notes.append(write_note(Sentence.SHEET_ZEROS, name=name, example=zeros[name]))
    return notes
