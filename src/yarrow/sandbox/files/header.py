"""Name the columns of a table: blank names, repeated ones, and first rows that are no header."""

import re
from collections.abc import Collection, Sequence

from msgspec import Struct

from yarrow.kit.notes import CodedNote, write_note
from yarrow.sandbox.table_notes import Sentence, list_some

_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
_YEAR = re.compile(r"(?:19|20)\d{2}(?:\.0)?")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T][\d:.]+)?")
_CODE_NAME = re.compile(
    r"(?:^|[\W_])(?:ids?|uuid|codes?|sku|ref|no|nr|serial|batch|lot|barcode|isbn|ean|gtin|upc)(?:$|[\W_])"
    r"|[a-z](?:Id|ID|Code|No)$|编号|編號|代码|代碼|编码|編碼|单号|單號|号码|號碼|货号|貨號|型号|型號|批号|批號|番号"
    r"|コード",
    re.IGNORECASE,
)


class ColumnNames(Struct, frozen=True):
    """Unique names by position."""

    names: list[str]
    written: list[str]
    """As the file has them; empty for a column without a name."""
    is_headless: bool = False
    """The first row is data."""
    doubts: tuple[CodedNote, ...] = ()

    @property
    def unnamed(self) -> list[str]:
        pairs = zip(self.names, self.written, strict=True)
        return [] if self.is_headless else [name for name, text in pairs if not text]

    def list_notes(self, blank: Collection[str] = ()) -> list[CodedNote]:
        """Notes for the file's owner; `blank` columns are left out of the table."""
        renamed = [
            write_note(Sentence.NOW_NAMED, written=text, name=name)
            if text
            else write_note(Sentence.NOW_HAS_NAME, name=name)
            for name, text in zip(self.names, self.written, strict=True)
            if text != name and name not in blank and not self.is_headless
        ]
        notes = [*self.doubts]
        if renamed:
            notes.append(write_note(Sentence.RENAMED, names=list_some(renamed)))
        if blank:
            notes.append(write_note(Sentence.BLANK_COLUMNS, count=len(blank)))
        return notes


def name_columns(
    first: Sequence[object], second: Sequence[object], *, row: Sentence
) -> ColumnNames:
    """Decide by the first two rows; a headless table is named by position. `row` is the word for
    one: row or line."""
    doubted = [cell for cell, below in zip(first, second, strict=False) if _is_data(cell, below)]
    if doubted and len(doubted) == len(first):
        names = [f"column_{position}" for position in range(1, len(first) + 1)]
        doubt = write_note(Sentence.HEADLESS, row=write_note(row))
        return ColumnNames(names, names, is_headless=True, doubts=(doubt,))
    texts = ["" if cell is None else str(cell).strip() for cell in first]
    doubts = [
        write_note(Sentence.DOUBTED_HEADER, row=write_note(row), cell=str(cell))
        for cell in doubted[:1]
    ]
    return ColumnNames(make_unique_names(texts), texts, doubts=tuple(doubts))


def make_unique_names(names: Sequence[str]) -> list[str]:
    """Name empty columns by position and number repeated ones, ignoring case."""
    written = {name.lower() for name in names}
    taken: dict[str, str] = {}
    for position, name in enumerate(names, 1):
        plain = name or f"column_{position}"
        unique, number = plain, 2
        while unique.lower() in taken or (unique != name and unique.lower() in written):
            unique, number = f"{plain}_{number}", number + 1
        taken[unique.lower()] = unique
    return list(taken.values())


def is_code_name(name: str) -> bool:
    """Whether the name of a column says that its cells are codes and not quantities."""
    return _CODE_NAME.search(name) is not None


def _is_data(cell: object, below: object) -> bool:
    """Whether a cell of the first row and the one below it are both numbers, or both dates.

    A year above a number is the name of a column.
    """
    above, under = str(cell).strip(), str(below).strip()
    if _YEAR.fullmatch(above) or cell is None or below is None:
        return False
    return any(form.fullmatch(above) and form.fullmatch(under) for form in (_NUMBER, _DATE))
