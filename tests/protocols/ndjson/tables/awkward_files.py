"""Files as people have them, with the rows that their author means, written down by hand.

`told` has a part of each note that the upload must answer, in order; a file without it is read as
it stands, and has no notes. A refused file has the parts of its message instead.
"""

import gzip
import json
from collections.abc import Sequence

from msgspec import Struct
from tests.integration.tables.workbooks import ErrorCell, workbook
from tests.loose_json import JsonObject


class AwkwardFile(Struct, frozen=True):
    """A file, and what must be stored and told of it."""

    name: str
    content: bytes | str
    rows: Sequence[JsonObject] = ()
    told: Sequence[str] = ()
    refused: Sequence[str] = ()
    filename: str = "x.csv"

    def __str__(self) -> str:
        return self.name


def _rows(names: str, *rows: Sequence[object]) -> list[JsonObject]:
    return [dict(zip(names.split(), row, strict=True)) for row in rows]


_CITIES = "城市,销量\n北京,3\n上海,5\n"
_CITY_ROWS = _rows("城市 销量", ("北京", 3), ("上海", 5))
_LONG = "n" * 299

ENCODINGS = [
    AwkwardFile("gbk", _CITIES.encode("gbk"), _CITY_ROWS, ["read as gbk"]),
    AwkwardFile("utf-16", _CITIES.encode("utf-16"), _CITY_ROWS, ["read as utf-16"]),
    AwkwardFile("byte order mark", _CITIES.encode("utf-8-sig"), _CITY_ROWS),
    AwkwardFile(
        "latin-1",
        "Stadt;Straße\nKöln;Grüner Weg\nWürzburg;Am Fluß\n".encode("latin-1"),
        _rows("Stadt Straße", ("Köln", "Grüner Weg"), ("Würzburg", "Am Fluß")),
        ["read as cp1252"],
    ),
    AwkwardFile(
        "utf-8 cut in a character",
        f"{_CITIES}广州,7\n深圳,9\n杭州".encode()[:-1],
        [*_CITY_ROWS, *_rows("城市 销量", ("广州", 7), ("深圳", 9), ("杭\ufffd", None))],
        ["are no UTF-8", "filled up"],
    ),
]
LINES = [
    AwkwardFile("tabs", "a\tb\n1\t2\n", _rows("a b", (1, 2)), filename="x.txt"),
    AwkwardFile("pipes", "a|b\n1|x,y\n2|z\n", _rows("a b", (1, "x,y"), (2, "z"))),
    AwkwardFile("cr line ends", "a,b\r1,2\r3,4\r", _rows("a b", (1, 2), (3, 4))),
    AwkwardFile(
        "mixed line ends", "a,b\r\n007,$2\n008,$4\r\n", _rows("a b", ("007", 2), ("008", 4)), ["$2"]
    ),
    AwkwardFile("sep line of Excel", "sep=;\na;b\n1;2\n", _rows("a b", (1, 2))),
    AwkwardFile(
        "titles", "Report\n\na,b\n1,2\n3,4\n", _rows("a b", (1, 2), (3, 4)), ["first 2 lines"]
    ),
    AwkwardFile(
        "short lines",
        "id,v,w\n007,$5,1\n008,$6\n009,$7,3\n",
        _rows("id v w", ("007", 5, 1), ("008", 6, None), ("009", 7, 3)),
        ["filled up", "$5"],
    ),
    AwkwardFile(
        "one column of text with commas",
        "title\nhello world\ngood, bad\nugly\n",
        _rows("title", ("hello world",), ("good, bad",), ("ugly",)),
    ),
    AwkwardFile("one column", "n\n1\n2\n", _rows("n", (1,), (2,))),
    AwkwardFile("one row", "a,b\n1,2", _rows("a b", (1, 2))),
    AwkwardFile(
        "only numbers in brackets",
        "a,b\nx,(300)\ny,(20)\n",
        _rows("a b", ("x", "(300)"), ("y", "(20)")),
        ["every number is in brackets"],
    ),
    AwkwardFile("only a header", "a,b,c\n", told=["has no rows"]),
    AwkwardFile("one line", "just words\n", told=["has no rows"], filename="x.xlsx"),
    AwkwardFile("empty", "", refused=["the file is empty"]),
    AwkwardFile("line ends only", "\n\n\n", refused=["the file is empty"]),
    AwkwardFile(
        "quote never closed",
        'a,b\n1,"x\n2,y\n3,z\n',
        _rows("a b", (1, '"x'), (2, "y"), (3, "z")),
        ["quotes do not pair up; they are kept"],
    ),
    AwkwardFile(
        "a quote in a cell", 'a,b\n1,5" pipe\n2,z\n', _rows("a b", (1, '5" pipe'), (2, "z"))
    ),
    AwkwardFile(
        "text behind a quoted cell",
        'a,b\n1,"x" y\n2,z\n',
        _rows("a b", (1, '"x" y'), (2, "z")),
        ["quotes do not pair up; they are kept"],
    ),
    AwkwardFile("long cell", f"a,b\n1,{'x' * 200_000}\n", _rows("a b", (1, "x" * 200_000))),
    AwkwardFile(
        "total line",
        "city,n\nA,10\nB,20\nTotal,30\n",
        _rows("city n", ("A", 10), ("B", 20)),
        ["the last line (Total,30) is the total of those above; it was left out"],
    ),
    AwkwardFile(
        "total line that does not add up",
        "city,n,price\nA,10,1.5\nB,20,2.5\nTotal,30,2.0\n",
        _rows("city n price", ("A", 10, 1.5), ("B", 20, 2.5), ("Total", 30, 2.0)),
        ["the last line (Total,30,2.0) may be a total; it is included"],
    ),
    AwkwardFile(
        "total line above a footnote",
        "city,n\nA,10\nB,20\n\nTotal,30\nSource: x,\n",
        _rows("city n", ("A", 10), ("B", 20), ("Total", 30), ("Source: x", None)),
        ["the line (Total,30) may be a total; it is included"],
    ),
    AwkwardFile(
        "total line of amounts",
        '产品,金额\n甲,"¥1,200.10"\n乙,¥300.20\n合计,"¥1,500.30"\n',
        _rows("产品 金额", ("甲", 1200.1), ("乙", 300.2)),
        [
            "金额: text such as ¥1,200.10 was read as a number (1200.1)",
            'the last line (合计,"¥1,500.30") is the total of those above; it was left out',
        ],
    ),
    AwkwardFile(
        "amounts in 万 and 亿",
        "公司,市值,人数\n甲,1.5万亿,10万\n乙,12.5亿元,350\n丙,-3200万,1.1万\n",
        _rows(
            "公司 市值 人数",
            ("甲", 1_500_000_000_000, 100_000),
            ("乙", 1_250_000_000, 350),
            ("丙", -32_000_000, 11_000),
        ),
        [
            "市值: text such as 1.5万亿 was read as a number (1500000000000)",
            "人数: text such as 10万 was read as a number (100000)",
        ],
    ),
]
NAMES = [
    AwkwardFile(
        "repeated names", "a,a,A\n1,2,3\n", _rows("a a_2 A_3", (1, 2, 3)), ["a is a_2, A is A_3"]
    ),
    AwkwardFile(
        "a made name that exists", "a,a_2,a\n1,2,3\n", _rows("a a_2 a_3", (1, 2, 3)), ["a is a_3"]
    ),
    AwkwardFile(
        "empty names",
        ",a,\n1,2,3\n",
        _rows("column_1 a column_3", (1, 2, 3)),
        [
            "column_1",
        ],
    ),
    AwkwardFile(
        "trailing commas",
        "a,b,\n1,2,\n3,4,\n",
        _rows("a b", (1, 2), (3, 4)),
        ["1 column without a name and without values"],
    ),
    AwkwardFile(
        "no header",
        "1,2.5,3\n4,5,6\n",
        _rows("column_1 column_2 column_3", (1, 2.5, 3), (4, 5, 6)),
        ["the first line was read as data"],
    ),
    AwkwardFile(
        "perhaps no header",
        "Ann,30\nBob,40\n",
        [{"Ann": "Bob", "30": 40}],
        ["the first line was read as the header, though 30 looks like data"],
    ),
    AwkwardFile("years as names", "city,2023,2024\nA,1,2\n", [{"city": "A", "2023": 1, "2024": 2}]),
    AwkwardFile("emoji", "🍎 price,b\n1,2\n", [{"🍎 price": 1, "b": 2}]),
    AwkwardFile(
        "keywords", 'select,from,"a""b",x.y\n1,2,3,4\n', _rows('select from a"b x.y', (1, 2, 3, 4))
    ),
    AwkwardFile("long names", f"{_LONG}a,{_LONG}b\n1,2\n", [{f"{_LONG}a": 1, f"{_LONG}b": 2}]),
]
NUMBERS = [
    AwkwardFile(
        "decimal commas", "n;v\nA;1,50\nB;2,25\n", _rows("n v", ("A", 1.5), ("B", 2.25)), ["1,50"]
    ),
    AwkwardFile(
        "decimal commas between tabs",
        "n\tv\nA\t1,50\nB\t2,25\n",
        _rows("n v", ("A", 1.5), ("B", 2.25)),
        ["1,50 was read as a number (1.5)"],
    ),
    AwkwardFile(
        "dots and commas",
        "n;v\nA;1.234,56\nB;7,1\n",
        _rows("n v", ("A", 1234.56), ("B", 7.1)),
        ["56"],
    ),
    AwkwardFile(
        "thousands with dots beside decimal commas",
        "n;pieces;price\nA;1.234;1,50\nB;5.678;2,25\n",
        _rows("n pieces price", ("A", 1234, 1.5), ("B", 5678, 2.25)),
        ["1,50", "1.234 was read as a number (1234)"],
    ),
    AwkwardFile(
        "dots that may be thousands",
        "n;v\nA;1.234\nB;5.678\n",
        _rows("n v", ("A", 1.234), ("B", 5.678)),
        ["v: a dot separates decimals (1.234 is 1.234)"],
    ),
    AwkwardFile(
        "percent", "n,v\nA,12%\nB,7.5%\n", _rows("n v", ("A", 12), ("B", 7.5)), ["percent"]
    ),
    AwkwardFile(
        "currency",
        'n,v\nA,"$1,200.50"\nB,$3\n',
        _rows("n v", ("A", 1200.5), ("B", 3)),
        ["$1,200.50"],
    ),
    AwkwardFile(
        "a thousand or a fraction",
        "n,v\nA,12 EUR\nB,1.500 EUR\n",
        _rows("n v", ("A", 12.0), ("B", 1.5)),
        ["v: text such as 1.500 EUR was read as a number (1.5)"],
    ),
    AwkwardFile(
        "two currencies",
        "n,v\nA,$5\nB,€3\n",
        _rows("n v", ("A", "$5"), ("B", "€3")),
        ["v: left as text, because its numbers have different units ($, €)"],
    ),
    AwkwardFile(
        "thousands",
        'n,v\nA,"1,234"\nB,"5,678"\n',
        _rows("n v", ("A", 1234), ("B", 5678)),
        ["thousands"],
    ),
    AwkwardFile(
        "brackets", "n,v\nA,(300)\nB,200\n", _rows("n v", ("A", -300), ("B", 200)), ["(-300)"]
    ),
    AwkwardFile(
        "a minus behind",
        "n,v\nA,5\nB,7\nC,300-\n",
        _rows("n v", ("A", "5"), ("B", "7"), ("C", "300-")),
        ["v: left as text, because 1 of 3 cells is no number (300-)"],
    ),
    AwkwardFile(
        "nan and inf",
        "n,v\nA,NaN\nB,inf\nC,1.5\n",
        _rows("n v", ("A", None), ("B", None), ("C", 1.5)),
        ["2 cells are infinite"],
    ),
    AwkwardFile(
        "errors of Excel as text",
        "n,v\nA,#DIV/0!\nB,2\nC,#N/A\n",
        _rows("n v", ("A", None), ("B", 2), ("C", None)),
        ["2 cells"],
    ),
    AwkwardFile(
        "words for booleans",
        "a,b,c\nyes,true,是\nno,FALSE,否\n",
        _rows("a b c", ("yes", True, "是"), ("no", False, "否")),
    ),
]
CODES = [
    AwkwardFile(
        "ids with powers and zeros",
        "id,n\n1E5,1\n007,2\n2e10,3\n",
        _rows("id n", ("1E5", 1), ("007", 2), ("2e10", 3)),
    ),
    AwkwardFile(
        "ids with powers",
        "product_id,n\n1E5,1\n2e10,2\n",
        _rows("product_id n", ("1E5", 1), ("2e10", 2)),
        ["product_id: left as text, because 1E5 may be a code"],
    ),
    AwkwardFile(
        "Chinese ids with powers",
        "商品编号,n\n1E5,1\n12345,2\n",
        _rows("商品编号 n", ("1E5", 1), ("12345", 2)),
        ["商品编号: left as text"],
    ),
    AwkwardFile(
        "a power far down",
        "sku,n\n" + "12345,1\n" * 30_000 + "1E5,2\n",
        _rows("sku n", *[("12345", 1)] * 30_000, ("1E5", 2)),
        ["sku: left as text"],
    ),
    AwkwardFile(
        "powers in a column of measures",
        "mass,n\n1E5,1\n2,2\n",
        _rows("mass n", (100_000, 1), (2, 2)),
        ["mass: text such as 1E5 was read as a number (100000.0)"],
    ),
    AwkwardFile("measured powers", "mass\n1.5e-3\n2e-3\n", _rows("mass", (0.0015,), (0.002,))),
    AwkwardFile("phone numbers", "phone,n\n+4917012,1\n", _rows("phone n", ("+4917012", 1))),
    AwkwardFile(
        "many digits",
        "id\n12345678901234567890\n12345678901234567891\n",
        _rows("id", ("12345678901234567890",), ("12345678901234567891",)),
    ),
]
DATES = [
    AwkwardFile(
        "day first",
        "d\n13/02/2026\n01/03/2026\n",
        _rows("d", ("2026-02-13",), ("2026-03-01",)),
        ["day/"],
    ),
    AwkwardFile(
        "month first",
        "d\n02/13/2026\n03/01/2026\n",
        _rows("d", ("2026-02-13",), ("2026-03-01",)),
        ["month/"],
    ),
    AwkwardFile(
        "open order",
        "d\n01/02/2026\n03/04/2026\n",
        _rows("d", ("2026-02-01",), ("2026-04-03",)),
        ["YARROW_TABLE_DATE_ORDER"],
    ),
    AwkwardFile(
        "both orders",
        "d\n13/02/2026\n02/13/2026\n",
        _rows("d", ("13/02/2026",), ("02/13/2026",)),
        ["left as text"],
    ),
    AwkwardFile(
        "two forms",
        "d,n\n2026-01-05,1\n05/01/2026,2\n",
        _rows("d n", ("2026-01-05", 1), ("05/01/2026", 2)),
        ["left as text"],
    ),
    AwkwardFile(
        "dots",
        "d\n05.01.2026\n06.01.2026\n",
        _rows("d", ("2026-01-05",), ("2026-01-06",)),
        ["day/"],
    ),
    AwkwardFile(
        "Chinese",
        "d\n2026年1月5日\n2026年12月15日\n",
        _rows("d", ("2026-01-05",), ("2026-12-15",)),
        ["年"],
    ),
    AwkwardFile(
        "no such day",
        "d\n2026-02-30\n2026-01-01\n",
        _rows("d", ("2026-02-30",), ("2026-01-01",)),
        ["text"],
    ),
]
JSON = [
    AwkwardFile(
        "lines", '{"a":1,"b":"x"}\n{"a":2}\n', _rows("a b", (1, "x"), (2, None)), filename="x.jsonl"
    ),
    AwkwardFile("array", '[{"a":1},{"a":2}]', _rows("a", (1,), (2,)), filename="x.json"),
    AwkwardFile("array in a csv", '[{"a":1},{"a":2}]', _rows("a", (1,), (2,))),
    AwkwardFile(
        "nested",
        '[{"a":{"b":1,"c":[1,2]},"d":"x"}]',
        [{"a": '{"b":1,"c":[1,2]}', "d": "x"}],
        ["a: nested values are stored as JSON text"],
        filename="x.json",
    ),
    AwkwardFile(
        "arrays without keys",
        '[["a","b"],[1,2]]',
        _rows("json", ('["a","b"]',), ("[1,2]",)),
        ["json: nested values are stored as JSON text"],
        filename="x.json",
    ),
    AwkwardFile(
        "keys that differ in case",
        '[{"a":1,"A":2}]',
        _rows("a A_1", (1, 2)),
        ["A is A_1"],
        filename="x.json",
    ),
    AwkwardFile(
        "a key twice", '[{"a":1,"a":2}]', refused=["record 1", '"a"', "twice"], filename="x.json"
    ),
    AwkwardFile(
        "cut off", '[{"a":1},{"a":2', refused=["the JSON is broken or cut off"], filename="x.json"
    ),
    AwkwardFile(
        "bad line",
        '{"a":1}\n{"a":\n{"a":3}\n',
        refused=["the JSON is broken or cut off"],
        filename="x.jsonl",
    ),
]
SHEETS = [
    AwkwardFile(
        "titles, two header rows, a total and an error",
        workbook(
            {
                "S": [
                    ["Sales 2026"],
                    [],
                    ["Region", "2025", None, "2026", None],
                    [None, "Q1", "Q2", "Q1", "Q2"],
                    ["north", 1, 2, 3, 4],
                    ["south", 5, 6, ErrorCell("#N/A"), 8],
                    ["Total", 6, 8, 3, 12],
                ]
            },
            merged=["A3:A4", "B3:C3", "D3:E3"],
            hidden_rows=[6],
        ),
        [
            {"Region": "north", "2025 / Q1": 1, "2025 / Q2": 2, "2026 / Q1": 3, "2026 / Q2": 4},
            {"Region": "south", "2025 / Q1": 5, "2025 / Q2": 6, "2026 / Q1": None, "2026 / Q2": 8},
        ],
        [
            "first 2 rows",
            "2 header rows",
            "the last row (Total 6 8 3 12)",
            "1 row is hidden",
            "#N/A",
        ],
        filename="x.xlsx",
    ),
    AwkwardFile(
        "a total row that does not add up",
        workbook({"S": [["day", "n"], ["x", 1], ["y", 2], ["Total", 7]]}),
        _rows("day n", ("x", 1), ("y", 2), ("Total", 7)),
        ["the last row (Total 7) may be a total; it is included"],
        filename="x.xlsx",
    ),
    AwkwardFile(
        "no header in a sheet",
        workbook({"S": [[1, 2.5], [4, 5]]}),
        _rows("column_1 column_2", (1, 2.5), (4, 5)),
        ["the first row was read as data"],
        filename="x.xlsx",
    ),
]
WIDE = [
    AwkwardFile(
        "ten thousand columns",
        ",".join(f"c{n}" for n in range(10_000)) + "\n" + ",".join(map(str, range(10_000))) + "\n",
        refused=["10000 columns", "at most 5000"],
    ),
    AwkwardFile("packed", gzip.compress(b"a,b\n1,2\n"), _rows("a b", (1, 2)), filename="x.csv.gz"),
    AwkwardFile(
        "rows as text", json.dumps([{"v": "1,234"}]), _rows("v", ("1,234",)), filename="x.json"
    ),
]
AWKWARD_FILES = [*ENCODINGS, *LINES, *NAMES, *NUMBERS, *CODES, *DATES, *JSON, *SHEETS, *WIDE]
