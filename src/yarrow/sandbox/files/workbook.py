"""Open Excel workbooks, and choose a sheet."""

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from yarrow.kit.notes import CodedNote, write_note
from yarrow.sandbox.files.errors import FileUnreadable
from yarrow.sandbox.table_notes import Sentence, list_some

_PARTS = ("xl/", "content.xml")
"""Of Excel and OpenDocument."""


def read_rows(workbook: CalamineWorkbook, sheet: str) -> tuple[CalamineSheet, list[list[object]]]:
    """A sheet and its cells, without the empty ones around them."""
    try:
        opened = workbook.get_sheet_by_name(sheet)
        return opened, [[*row] for row in opened.to_python(skip_empty_area=True)]
    except CalamineError:
        raise FileUnreadable(Sentence.BROKEN_WORKBOOK) from None


class SheetName(Struct, frozen=True):
    """A sheet with cells, which may be hidden."""

    name: str
    is_hidden: bool = False

    def describe(self) -> str | CodedNote:
        hidden = Sentence.HIDDEN_SHEET
        return write_note(hidden, name=self.name) if self.is_hidden else self.name


def open_workbook(source: Path, *, max_bytes: int) -> CalamineWorkbook:
    """Open the workbook if its unpacked content has at most `max_bytes`."""
    data = source.read_bytes()
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > max_bytes:
                raise FileUnreadable(Sentence.WORKBOOK_TOO_LARGE, bytes=max_bytes)
            if not any(entry.startswith(_PARTS) for entry in packed.namelist()):
                raise FileUnreadable(Sentence.NO_WORKBOOK)
    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(data))
    except CalamineError:
        raise FileUnreadable(Sentence.BROKEN_WORKBOOK) from None


def list_sheets(workbook: CalamineWorkbook) -> list[SheetName]:
    """The sheets with cells; charts and macros have none."""
    return [
        SheetName(sheet.name, is_hidden=sheet.visible is not SheetVisibleEnum.Visible)
        for sheet in workbook.sheets_metadata
        if sheet.typ is SheetTypeEnum.WorkSheet
    ]


def choose_sheet(
    sheets: Sequence[SheetName], *, hint: str | None, table_name: str
) -> tuple[str, list[CodedNote]]:
    """The hinted sheet, else one that the table's name ends with or contains, else the first one
    that is not hidden; and notes about those that are not read."""
    names = [sheet.name for sheet in sheets]
    if not names:
        raise FileUnreadable(Sentence.NO_SHEETS)
    if hint is not None:
        same = [name for name in names if name == hint]
        alike = [name for name in names if name.lower() == hint.strip().lower()]
        if same or alike:
            return (same or alike)[0], []
    name_lower = table_name.lower()
    ends = [name for name in names if name_lower.endswith(name.strip().lower())]
    within = [name for name in names if name.strip().lower() in name_lower]
    visible = [sheet.name for sheet in sheets if not sheet.is_hidden]
    chosen = next(iter([*ends, *within, *visible, *names]))
    if hint is not None and hint.strip().lower() != chosen.strip().lower():
        return chosen, [write_note(Sentence.OTHER_SHEET, name=hint, chosen=chosen)]
    others = [sheet.describe() for sheet in sheets if sheet.name != chosen]
    if not others:
        return chosen, []
    return chosen, [write_note(Sentence.UNREAD_SHEETS, chosen=chosen, names=list_some(others))]
