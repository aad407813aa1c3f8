"""Small workbooks, written by hand: the few parts a reader of xlsx needs."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

_CONTENT = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/'
    'content-types"><Default Extension="xml" ContentType="application/xml"/><Default '
    'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.spreadsheetml.sheet.main+xml"/></Types>'
)
_DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><cellXfs count="2"><xf numFmtId="0"/>'
    '<xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>'
)


class Day(int):
    """A date as Excel keeps it: days since the end of 1899."""


def workbook(sheets: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("[Content_Types].xml", _CONTENT)
        file.writestr("_rels/.rels", _rels({"rId1": ("officeDocument", "xl/workbook.xml")}))
        listed = "".join(
            f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"/>'
            for n, name in enumerate(sheets, 1)
        )
        file.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_DOCUMENT}"><sheets>{listed}</sheets></workbook>',
        )
        parts = {
            f"rId{n}": ("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)
        }
        file.writestr("xl/_rels/workbook.xml.rels", _rels({**parts, "s": ("styles", "styles.xml")}))
        file.writestr("xl/styles.xml", _STYLES)
        for n, rows in enumerate(sheets.values(), 1):
            file.writestr(f"xl/worksheets/sheet{n}.xml", _sheet(rows))
    return packed.getvalue()


def _rels(parts: Mapping[str, tuple[str, str]]) -> str:
    inner = "".join(
        f'<Relationship Id="{key}" Type="{_DOCUMENT}/{kind}" Target="{target}"/>'
        for key, (kind, target) in parts.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}">{inner}</Relationships>'


def _sheet(rows: Sequence[Sequence[object]]) -> str:
    lines = [
        f'<row r="{r}">{"".join(_cell(value, r, c) for c, value in enumerate(row))}</row>'
        for r, row in enumerate(rows, 1)
    ]
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def _cell(value: object, row: int, column: int) -> str:
    at = f"{chr(65 + column)}{row}"
    match value:
        case None:
            return ""
        case bool():
            return f'<c r="{at}" t="b"><v>{int(value)}</v></c>'
        case Day():
            return f'<c r="{at}" s="1"><v>{int(value)}</v></c>'
        case int() | float():
            return f'<c r="{at}"><v>{value}</v></c>'
        case _:
            return f'<c r="{at}" t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'
