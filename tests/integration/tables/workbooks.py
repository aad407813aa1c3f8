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
    f'<styleSheet xmlns="{_MAIN}"><numFmts count="5"><numFmt numFmtId="164" formatCode="0.0%"/>'
    '<numFmt numFmtId="165" formatCode="[h]:mm:ss"/><numFmt numFmtId="166" formatCode="00000"/>'
    '<numFmt numFmtId="167" formatCode="&quot;$&quot;#,##0.00"/>'
    '<numFmt numFmtId="168" formatCode="#,##0.00 [$€-407]"/>'
    '</numFmts><cellXfs count="7"><xf numFmtId="0"/>'
    '<xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/>'
    '<xf numFmtId="165" applyNumberFormat="1"/><xf numFmtId="166"/><xf numFmtId="167"/>'
    '<xf numFmtId="168"/></cellXfs></styleSheet>'
)


_HIDDEN = ' hidden="1"'
_STATE = ' state="hidden"'


class Day(int):
    """A date as Excel keeps it: days since the end of 1899."""


class Percent(float):
    """A fraction that is shown in percent."""


class Elapsed(float):
    """A duration in days."""


class Postcode(int):
    """A number that is shown with leading zeros."""


class Dollars(float):
    """A number that is shown in dollars."""


class Euros(float):
    """A number that is shown in euros."""


class Formula(str):
    """A formula whose result was never calculated."""

    __slots__ = ()


class ErrorCell(str):
    """An error of Excel."""

    __slots__ = ()


def workbook(
    sheets: Mapping[str, Sequence[Sequence[object]]],
    *,
    merged: Sequence[str] = (),
    hidden_rows: Sequence[int] = (),
    hidden_columns: Sequence[int] = (),
    hidden_sheets: Sequence[str] = (),
) -> bytes:
    """Merged cells and hidden rows and columns are those of every sheet."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("[Content_Types].xml", _CONTENT)
        file.writestr("_rels/.rels", _rels({"rId1": ("officeDocument", "xl/workbook.xml")}))
        listed = "".join(
            f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"'
            f"{_STATE if name in hidden_sheets else ''}/>"
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
            file.writestr(
                f"xl/worksheets/sheet{n}.xml", _sheet(rows, merged, hidden_rows, hidden_columns)
            )
    return packed.getvalue()


def _rels(parts: Mapping[str, tuple[str, str]]) -> str:
    inner = "".join(
        f'<Relationship Id="{key}" Type="{_DOCUMENT}/{kind}" Target="{target}"/>'
        for key, (kind, target) in parts.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}">{inner}</Relationships>'


def _sheet(
    rows: Sequence[Sequence[object]],
    merged: Sequence[str],
    hidden_rows: Sequence[int],
    hidden_columns: Sequence[int],
) -> str:
    lines = [
        f'<row r="{r}"{_HIDDEN if r in hidden_rows else ""}>'
        f"{''.join(_cell(value, r, c) for c, value in enumerate(row))}</row>"
        for r, row in enumerate(rows, 1)
    ]
    columns = "".join(f'<col min="{c}" max="{c}"{_HIDDEN}/>' for c in hidden_columns)
    cells = "".join(f'<mergeCell ref="{place}"/>' for place in merged)
    return (
        f'<worksheet xmlns="{_MAIN}">{f"<cols>{columns}</cols>" if columns else ""}'
        f"<sheetData>{''.join(lines)}</sheetData>"
        f"{f'<mergeCells>{cells}</mergeCells>' if cells else ''}</worksheet>"
    )


def _cell(value: object, row: int, column: int) -> str:
    at = f"{chr(65 + column)}{row}"
    match value:
        case None:
            return ""
        case bool():
            return f'<c r="{at}" t="b"><v>{int(value)}</v></c>'
        case Day():
            return f'<c r="{at}" s="1"><v>{int(value)}</v></c>'
        case Percent():
            return f'<c r="{at}" s="2"><v>{float(value)}</v></c>'
        case Elapsed():
            return f'<c r="{at}" s="3"><v>{float(value)}</v></c>'
        case Postcode():
            return f'<c r="{at}" s="4"><v>{int(value)}</v></c>'
        case Dollars():
            return f'<c r="{at}" s="5"><v>{float(value)}</v></c>'
        case Euros():
            return f'<c r="{at}" s="6"><v>{float(value)}</v></c>'
        case Formula():
            return f'<c r="{at}"><f>{escape(value)}</f></c>'
        case ErrorCell():
            return f'<c r="{at}" t="e"><v>{escape(value)}</v></c>'
        case int() | float():
            return f'<c r="{at}"><v>{value}</v></c>'
        case _:
            return f'<c r="{at}" t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'
