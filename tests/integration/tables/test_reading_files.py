"""Files of every kind become tables: reference data-agent.md §8."""

import gzip
import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.integration.tables.conftest import Upload

from yarrow.kit.notes import list_messages
from yarrow.sandbox.errors import TableUnreadable
from yarrow.sandbox.job_spec import SPOOL
from yarrow.tables.errors import TableTooLarge
from yarrow.tables.model import StoredTable, Tables

CHINESE = "城市,数量\n北京,3\n上海,4\n"


def types(table: StoredTable) -> dict[str, str]:
    return table.column_types


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16"])
async def test_chinese_text_is_read_in_its_encoding(encoding: str, upload: Upload) -> None:
    made = await upload(CHINESE.encode(encoding), "城市.csv")

    assert made.table.name == "城市"
    assert types(made.table) == {"城市": "string", "数量": "integer"}
    assert made.table.sample == [{"城市": "北京", "数量": 3}, {"城市": "上海", "数量": 4}]


@pytest.mark.parametrize("rows", [1, 2, 20, 400])
async def test_traditional_chinese_is_read_whatever_its_length(rows: int, upload: Upload) -> None:
    text = "城市,數量\n" + "臺北,3\n高雄,4\n" * rows

    made = await upload(text.encode("big5"))

    assert types(made.table) == {"城市": "string", "數量": "integer"}
    assert made.table.sample[:2] == [{"城市": "臺北", "數量": 3}, {"城市": "高雄", "數量": 4}]
    assert made.table.row_count == 2 * rows


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
async def test_utf_16_without_its_mark_is_known_by_its_zeros(encoding: str, upload: Upload) -> None:
    made = await upload(CHINESE.encode(encoding))

    assert made.table.sample == [{"城市": "北京", "数量": 3}, {"城市": "上海", "数量": 4}]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
async def test_json_with_a_mark_is_json(encoding: str, upload: Upload) -> None:
    made = await upload('[{"a": 1}]'.encode(encoding), "x.json")

    assert made.table.sample == [{"a": 1}]


async def test_western_text_that_is_no_utf8_is_read(upload: Upload) -> None:
    made = await upload("name,n\ncafé,1\n".encode("latin-1"))

    assert made.table.sample == [{"name": "café", "n": 1}]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
async def test_the_delimiter_is_found(delimiter: str, upload: Upload) -> None:
    lines = [("a", "b", "c"), ("1", "x", "2.5"), ("2", "y", "3.5")]
    made = await upload("\n".join(delimiter.join(line) for line in lines))

    assert types(made.table) == {"a": "integer", "b": "string", "c": "number"}


async def test_a_tsv_is_cut_at_tabs_only(upload: Upload) -> None:
    made = await upload("a\tb\n1,5\tx;y\n2,5\tz\n", "t.tsv")

    assert made.table.sample[0] == {"a": 1.5, "b": "x;y"}


async def test_names_are_made_unique_and_never_empty(upload: Upload) -> None:
    made = await upload("a,a,,A\n1,2,3,4\n")

    names = list(types(made.table))
    assert len({name.lower() for name in names}) == 4
    assert all(names)


async def test_quoted_cells_may_hold_commas_quotes_and_lines(upload: Upload) -> None:
    made = await upload('a,b\n"x, ""y""","1\n2"\n')

    assert made.table.sample == [{"a": 'x, "y"', "b": "1\n2"}]


async def test_types_are_found_and_mixed_columns_are_text(upload: Upload) -> None:
    made = await upload(
        "i,f,b,d,t,m\n1,1.5,true,2026-03-15,2026-03-15 10:20:30,1\n2,,false,2026-03-16,,x\n"
    )

    assert types(made.table) == {
        "i": "integer",
        "f": "number",
        "b": "boolean",
        "d": "date",
        "t": "datetime",
        "m": "string",
    }
    assert made.table.sample[0]["t"] == "2026-03-15T10:20:30.000"
    assert made.table.sample[1]["f"] is None


async def test_moments_in_a_time_zone_are_told_in_utc(upload: Upload) -> None:
    made = await upload('[{"t": "2026-03-15T10:00:00+08:00"}]', "t.json")
    csv = await upload("t\n2026-03-15T10:00:00+08:00\n", "t2.csv")

    assert {str(one.table.sample[0]["t"])[:19] for one in (made, csv)} == {"2026-03-15T02:00:00"}
    told = "t: times with an offset are stored and shown in UTC"
    assert (list_messages(made.notes), list_messages(csv.notes)) == ([told], [told])


async def test_a_type_that_breaks_late_in_the_file_is_widened(upload: Upload) -> None:
    rows = "".join(f"{n}\n" for n in range(60_000))
    made = await upload(f"v\n{rows}late\n")

    assert types(made.table) == {"v": "string"}
    assert made.table.row_count == 60_001


async def test_big_integers_keep_every_digit(upload: Upload) -> None:
    made = await upload("n,m\n9007199254740993,123456789012345678901234567890\n")

    assert made.table.sample[0]["n"] == 9007199254740993
    assert str(made.table.sample[0]["m"]) == "123456789012345678901234567890"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('[{"n": 123456789012345678901}, {"n": 7}]', "n.json"),
        ('[{"n": 9007199254740993}, {"n": 1.5}]', "n.json"),
        ("n,k\n90071992547409931,a\n1.5,b\n", "n.csv"),
    ],
)
async def test_digits_that_a_float_does_not_keep_are_told(
    text: str, name: str, upload: Upload
) -> None:
    made = await upload(text, name)

    assert types(made.table)["n"] == "number"
    told = list_messages(made.notes)
    assert told == ["Numbers with more than 15 digits are rounded to 15: n."]


@pytest.mark.parametrize("word", ["infinity", "-Infinity", "epoch"])
@pytest.mark.parametrize("day", ["2024-01-02", "2024-01-02 10:00:00"])
async def test_words_among_dates_of_json_are_no_dates(word: str, day: str, upload: Upload) -> None:
    made = await upload(json.dumps([{"d": day, "n": 1}, {"d": word, "n": 2}]), "d.json")

    assert made.table.sample == [{"d": day, "n": 1}, {"d": word, "n": 2}]
    assert list_messages(made.notes) == [
        "d: left as text, because the dates have more than one form or do not exist"
    ]


async def test_ragged_lines_are_filled_up_with_a_note(upload: Upload) -> None:
    made = await upload("a,b,c\n1,2,3\n4,5\n6\n")

    assert made.table.row_count == 3
    assert made.table.sample[1]["c"] is None
    assert list_messages(made.notes)


async def test_a_header_alone_is_a_table_without_rows(upload: Upload) -> None:
    made = await upload("a,b,c\n")

    assert (list(types(made.table)), made.table.row_count) == (["a", "b", "c"], 0)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf"])
async def test_an_empty_file_is_refused(data: bytes, upload: Upload, tables: Tables) -> None:
    with pytest.raises(TableUnreadable, match="empty"):
        await upload(data)

    assert leftovers(tables) == []


async def test_a_code_far_down_keeps_its_leading_zeros(upload: Upload) -> None:
    codes = [*(str(10_000 + n) for n in range(30_000)), "00042"]
    made = await upload("code\n" + "\n".join(codes) + "\n")

    assert types(made.table) == {"code": "string"}


async def test_yes_and_no_stay_as_they_are_written_but_t_and_f_are_booleans(upload: Upload) -> None:
    made = await upload("smoker,active,paid\nYes,true,t\nNo,FALSE,f\n")

    assert made.table.sample[0] == {"smoker": "Yes", "active": True, "paid": True}


@pytest.mark.parametrize("cells", ["1,无,2", "1,n.a.,2"])
async def test_words_for_nothing_among_numbers_are_empty(cells: str, upload: Upload) -> None:
    made = await upload("k\tv\n" + "".join(f"a\t{cell}\n" for cell in cells.split(",")))

    assert [row["v"] for row in made.table.sample] == [1, None, 2]
    assert list_messages(made.notes) == ["v: 1 cell such as n/a or - is empty"]


async def test_a_binary_address_is_no_number(upload: Upload) -> None:
    made = await upload("v\n7\n0b11\n")

    assert [row["v"] for row in made.table.sample] == ["7", "0b11"]


async def test_a_minus_of_typesetters_is_a_minus(upload: Upload) -> None:
    made = await upload("v\n\u2212300\n450\n\u221212.5\n")

    assert [row["v"] for row in made.table.sample] == [-300, 450, -12.5]


async def test_numbers_beside_n_a_are_numbers_and_told(upload: Upload) -> None:
    made = await upload("v,id\n1,00123\nN/A,N/A\n3,00124\n")

    assert types(made.table) == {"v": "integer", "id": "string"}
    assert list_messages(made.notes) == ["v: 1 cell such as n/a or - is empty"]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        ("+5.2%\n-3.1%", [5.2, -3.1]),
        ("+$5\n-$3", [5, -3]),
        ("05%\n12%", [5, 12]),
        ('"01,200"\n"2,300"', [1200, 2300]),
        ("0.30000000000000004\nN/A\n1.5", [0.1 + 0.2, None, 1.5]),
        ("1234567890123456789\nN/A", ["1234567890123456789", "N/A"]),
        ("1e-3\n-2.5E2\nN/A\n7", [0.001, -250.0, None, 7.0]),
    ],
)
async def test_only_plain_whole_numbers_can_be_codes(
    cells: str, values: list[object], upload: Upload
) -> None:
    made = await upload(f"v\n{cells}\n")

    assert [row["v"] for row in made.table.sample] == values


async def test_numbers_too_large_beside_n_a_are_told(upload: Upload) -> None:
    made = await upload("v\n-1e400\nN/A\n2\n")

    assert [row["v"] for row in made.table.sample] == [None, None, 2]
    assert list_messages(made.notes) == [
        "v: 1 cell such as n/a or - is empty, 1 cell too large for a number is empty"
    ]


async def test_numbers_too_large_are_told(upload: Upload) -> None:
    made = await upload("v\n1e400\n2\n")

    assert list_messages(made.notes) == [
        "v: 1 cell is infinite, too large for a number or not a number"
    ]


async def test_two_thousand_columns_are_a_table(upload: Upload) -> None:
    names = ",".join(f"c{n}" for n in range(2000))
    values = ",".join(str(n) for n in range(2000))
    made = await upload(f"{names}\n{values}\n")

    assert len(types(made.table)) == 2000
    assert [row["c1999"] for row in made.table.sample] == [1999]


async def test_json_arrays_and_lines_are_read(upload: Upload) -> None:
    array = await upload('[{"a": 1, "b": {"c": [1, 2]}}, {"a": 2, "d": "x"}]', "x.json")
    lines = await upload('{"a": 1}\n{"a": 2, "b": "y"}\n', "y.ndjson")

    assert array.table.sample[0] == {"a": 1, "b": '{"c":[1,2]}', "d": None}
    assert lines.table.sample[1] == {"a": 2, "b": "y"}


@pytest.mark.parametrize(
    ("data", "row"),
    [
        ('[{"":1,"a":2}]', {"column0": 1, "a": 2}),
        ('[{"a":2, "" : "\\"\\":"},{"a":3}]', {"a": 2, "column1": '"":'}),
        ('{"a":{"":[]},"":1}\n{"":2}\n', {"a": '{"":[]}', "column1": 1}),
        ('[{"":1,"column0":2}]', {"column0_1": 1, "column0": 2}),
        ('[{"json":{"":1}}]', {"json": '{"":1}'}),
    ],
)
async def test_a_key_without_a_letter_is_named_like_a_blank_column(
    data: str, row: dict[str, object], upload: Upload
) -> None:
    for sent in (data.encode(), data.encode("utf-16"), gzip.compress(data.encode())):
        made = await upload(sent, "x.json")

        assert made.table.sample[0] == row


async def test_many_keys_of_one_kind_are_columns(upload: Upload) -> None:
    row = {f"c{n}": n for n in range(1000)}

    made = await upload(json.dumps([row, row]), "x.json")

    assert types(made.table) == dict.fromkeys(row, "integer")
    assert made.table.row_count == 2


@pytest.mark.parametrize("dtype", [f"timedelta64[{unit}]" for unit in ("s", "ms", "us", "ns")])
async def test_durations_that_pandas_wrote_are_seconds(
    dtype: str, upload: Upload, tmp_path: Path
) -> None:
    spent = pd.to_timedelta(["90 minutes", None, "-1 s"]).astype(dtype)
    pd.DataFrame({"n": [1, 2, 3], "spent": spent}).to_parquet(tmp_path / "x.parquet")

    made = await upload((tmp_path / "x.parquet").read_bytes(), "x.parquet")

    assert types(made.table) == {"n": "integer", "spent": "number"}
    assert [row["spent"] for row in made.table.sample] == [5400.0, None, -1.0]
    assert list_messages(made.notes) == ["spent: durations are stored in seconds"]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
async def test_durations_that_arrow_wrote_are_seconds(
    unit: str, upload: Upload, tmp_path: Path
) -> None:
    spent = pa.array([timedelta(minutes=90), None, timedelta(seconds=-1)], pa.duration(unit))
    pq.write_table(pa.table({"n": [1, 2, 3], "spent": spent}), tmp_path / "x.parquet")

    made = await upload((tmp_path / "x.parquet").read_bytes(), "x.parquet")

    assert types(made.table) == {"n": "integer", "spent": "number"}
    assert [row["spent"] for row in made.table.sample] == [5400.0, None, -1.0]
    assert list_messages(made.notes) == ["spent: durations are stored in seconds"]


async def test_durations_among_python_objects_are_seconds(upload: Upload, tmp_path: Path) -> None:
    spent = pd.Series([timedelta(seconds=90), None], dtype=object)
    pd.DataFrame({"spent": spent}).to_parquet(tmp_path / "x.parquet")

    made = await upload((tmp_path / "x.parquet").read_bytes(), "x.parquet")

    assert [row["spent"] for row in made.table.sample] == [90.0, None]


async def test_a_number_beside_one_with_a_unit_keeps_its_digits(upload: Upload) -> None:
    made = await upload("金额\n1.2万\n3万\n0.123456\n".encode(), "x.csv")

    assert [row["金额"] for row in made.table.sample] == [12_000, 30_000, 0.123456]


async def test_parquet_is_read(upload: Upload, tmp_path: Path) -> None:
    frame = pd.DataFrame({"when": pd.to_datetime(["2026-03-15", None]), "n": [1.5, float("nan")]})
    frame.to_parquet(tmp_path / "x.parquet")

    made = await upload((tmp_path / "x.parquet").read_bytes(), "x.parquet")

    assert made.table.sample == [
        {"when": "2026-03-15T00:00:00.000", "n": 1.5},
        {"when": None, "n": None},
    ]


async def test_gzip_of_a_file_is_read(upload: Upload) -> None:
    made = await upload(gzip.compress(CHINESE.encode("gbk")), "城市.csv.gz")

    assert (made.table.name, made.table.row_count) == ("城市", 2)


async def test_a_gzip_bomb_is_stopped(upload: Upload, tables: Tables) -> None:
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * 25_000_000, 9)

    with pytest.raises(TableUnreadable, match="unpacked"):
        await upload(bomb, "bomb.csv.gz")

    assert leftovers(tables) == []


async def test_a_workbook_bomb_is_stopped(upload: Upload) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("xl/worksheets/sheet1.xml", bytes(50 * 1024 * 1024))

    with pytest.raises(TableUnreadable, match="unpacked"):
        await upload(packed.getvalue(), "bomb.xlsx")


async def test_too_large_a_file_is_refused_while_it_comes(upload: Upload, tables: Tables) -> None:
    with pytest.raises(TableTooLarge):
        await upload(b"a\n" + b"1\n" * 600_000)

    assert leftovers(tables) == []


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7 x", b"\x89PNG\r\n\x1a\n", b"PK\x03\x04rubbish", b"PAR1rubbishPAR1"]
)
async def test_what_is_no_table_is_refused_in_words(data: bytes, upload: Upload) -> None:
    with pytest.raises(TableUnreadable) as refused:
        await upload(data, "x.xlsx")

    assert "/" not in refused.value.rule


async def test_texts_among_other_json_values_have_no_quotes(upload: Upload) -> None:
    mixed = '[{"a": "x"}, {"a": 1}, {"a": null}, {"a": {"k": "v"}}, {"a": "say \\"y\\""}]'

    made = await upload(mixed, "m.json")

    assert [row["a"] for row in made.table.sample] == ["x", "1", None, '{"k":"v"}', 'say "y"']


@pytest.mark.parametrize(
    ("data", "filename", "said"),
    [
        (b"PAR1" + b"x" * 100, "x.parquet", "the Parquet file is broken"),
        (b"PAR1" + b"x" * 100 + b"PAR1", "x.parquet", "the Parquet file is broken"),
        (bytes(range(256)) * 20, "x.csv", "the file is no text"),
        (b"a,b\n" + b"\0\1\2" * 500, "x.csv", "the file is no text"),
        (b"[ ]\n", "x.json", "the file has no rows"),
        ("[]".encode("utf-16"), "x.json", "the file has no rows"),
        (b"<!DOCTYPE html>\n<html><p>a,b</p></html>", "x.html", "the file is a web page"),
        (b"\n <HTML lang='en'>\n", "x.csv", "the file is a web page"),
        ("<html><table>".encode("utf-16"), "x.xls", "the file is a web page"),
        (b"<?xml version='1.0'?>\n<a/>", "x.xml", "the file is an XML document"),
        (b"[1, 2", "x.json", "the JSON is broken or cut off"),
        (b"[1, 2", "", "the JSON is broken or cut off"),
    ],
)
async def test_what_is_wrong_with_a_file_is_said_plainly(
    data: bytes, filename: str, said: str, upload: Upload
) -> None:
    with pytest.raises(TableUnreadable, match=said) as refused:
        await upload(data, filename)

    assert "file the file" not in refused.value.rule


async def test_a_column_with_the_name_of_row_numbers_is_noted(upload: Upload) -> None:
    made = await upload("#rowId,a\n7,1\n", "x.csv")

    assert list(types(made.table)) == ["a"]
    assert ["#rowId" in note for note in list_messages(made.notes)] == [True]


def leftovers(tables: Tables) -> list[str]:
    return [file.name for file in (tables.sandbox.folder / SPOOL).iterdir()]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("shift_jis", "都市,人口\n東京,3\nさいたま,4\n"),
        ("euc-kr", "도시,인구\n서울,3\n부산,4\n"),
        ("cp1251", "город,население\nМосква,3\nКазань,4\n"),
        ("koi8-r", "город,население\nМосква,3\nКазань,4\n"),
        ("cp1253", "πόλη,πληθυσμός\nΑθήνα,3\n"),
        ("cp1250", "miasto,liczba\nŁódź,3\nGdańsk,4\n"),
        ("cp1252", "Stadt,Größe\nMünchen,3\nKöln,4\n"),
    ],
)
async def test_the_script_tells_the_encoding_and_the_answer_says_it(
    encoding: str, text: str, upload: Upload
) -> None:
    made = await upload(text.encode(encoding))

    header, first = (line.split(",") for line in text.splitlines()[:2])
    assert made.table.sample[0] == dict(zip(header, (first[0], int(first[1])), strict=True))
    assert list_messages(made.notes) == [f"the text was read as {encoding}"]


async def test_a_named_encoding_is_taken(upload: Upload) -> None:
    text = "都市,人口\n東京,3\n"

    made = await upload(text.encode("euc-jp"), encoding="EUC-JP")

    assert made.table.sample == [{"都市": "東京", "人口": 3}]
    assert list_messages(made.notes) == ["the text was read as euc_jp"]


@pytest.mark.parametrize(
    ("encoding", "reason"),
    [("no-such", "there is no encoding no-such"), ("ascii", "not in the encoding ascii")],
)
async def test_a_named_encoding_that_does_not_fit_is_refused(
    encoding: str, reason: str, upload: Upload
) -> None:
    with pytest.raises(TableUnreadable, match=reason):
        await upload("城市\n北京\n".encode("gbk"), encoding=encoding)


@pytest.mark.parametrize(
    ("cells", "values", "note"),
    [
        (["$1,200", "$3"], [1200, 3], "$1,200 was read as a number (1200), a comma separates"),
        (["12%", "5.5%"], [12, 5.5], "12% was read as a number (12.0), in percent"),
        (["1.234,56", "2,5"], [1234.56, 2.5], "1.234,56 was read as a number (1234.56)"),
        (["(300)", "40"], [-300, 40], "(300) was read as a number (-300)"),
        (["¥1,200.50", "n/a"], [1200.5, None], "1 cell such as n/a or - is empty"),
    ],
)
async def test_numbers_as_people_write_them_become_numbers(
    cells: list[str], values: list[float | None], note: str, upload: Upload
) -> None:
    made = await upload("v,w\n" + "".join(f'"{cell}",x\n' for cell in cells))

    assert [row["v"] for row in made.table.sample] == values
    assert note in list_messages(made.notes)[0]


@pytest.mark.parametrize(
    "cells",
    [["00501", "10001"], ["1,2", "3,4"], ["1.2.3"]],
)
async def test_what_may_be_no_number_stays_text(cells: list[str], upload: Upload) -> None:
    made = await upload("v,w\n" + "".join(f'"{cell}",x\n' for cell in cells))

    assert [row["v"] for row in made.table.sample] == cells
    assert not list_messages(made.notes)


async def test_numbers_that_are_all_in_brackets_stay_text_with_a_note(upload: Upload) -> None:
    made = await upload("v,w\n(212),x\n(415),x\n")

    assert [row["v"] for row in made.table.sample] == ["(212)", "(415)"]
    (told,) = list_messages(made.notes)
    assert "every number is in brackets" in told


@pytest.mark.parametrize(
    ("cells", "first", "reason"),
    [
        (["01/02/2024", "13/02/2024"], "2024-02-01", "day/month/year, as the values"),
        (["01/02/2024", "2/13/2024"], "2024-01-02", "month/day/year, as the values"),
        (["01/02/2024", "03/04/2024"], "2024-02-01", "as YARROW_TABLE_DATE_ORDER says"),
    ],
)
async def test_the_column_decides_the_order_of_dates(
    cells: list[str], first: str, reason: str, upload: Upload
) -> None:
    made = await upload("d\n" + "\n".join(cells) + "\n")

    assert types(made.table) == {"d": "date"}
    assert str(made.table.sample[0]["d"]) == first
    assert reason in list_messages(made.notes)[0]


async def test_dates_that_do_not_exist_stay_text(upload: Upload) -> None:
    made = await upload("d\n31/02/2024\n01/03/2024\n")

    assert types(made.table) == {"d": "string"}


async def test_dates_of_two_orders_stay_text_with_a_note(upload: Upload) -> None:
    made = await upload(b"d,n\n13/02/2024,1\n02/13/2024,2\n")

    assert types(made.table) == {"d": "string", "n": "integer"}
    assert [row["d"] for row in made.table.sample] == ["13/02/2024", "02/13/2024"]
    assert "d: left as text" in list_messages(made.notes)[0]


@pytest.mark.parametrize(
    "cells",
    [["13/02/2024", "02/13/2024"], ["2024-02-13", "13/02/2024"], ["2024-02-30", "5/6/2024"]],
)
async def test_mixed_dates_that_begin_as_text_have_a_note_too(
    cells: list[str], upload: Upload
) -> None:
    made = await upload("d,n\n" + "".join(f"{cell},1\n" for cell in [*cells, *cells] * 100))

    assert types(made.table) == {"d": "string", "n": "integer"}
    assert [note.partition(",")[0] for note in list_messages(made.notes)] == ["d: left as text"]


@pytest.mark.parametrize(
    ("header", "cells", "seconds"),
    [
        ("t", ["25:10:00", "1:00:30.5", "-0:00:01"], [90_600.0, 3630.5, -1.0]),
        ("t", ["2h 30m", "45 min", "1d", "n/a"], [9000.0, 2700.0, 86_400.0, None]),
        ("t", ["1 hour, 5 minutes", "10 seconds", "2 days 1 sec"], [3900.0, 10.0, 172_801.0]),
        ("t", ["PT1H", "P1DT2H30M", "PT0.5S", "-PT5M"], [3600.0, 95_400.0, 0.5, -300.0]),
        ("duration", ["1:23:45", "0:10:00"], [5025.0, 600.0]),
        ("时长", ["5m", "90s"], [300.0, 90.0]),
    ],
)
async def test_durations_as_people_write_them_are_seconds(
    header: str, cells: list[str], seconds: list[float | None], upload: Upload
) -> None:
    made = await upload(f"{header},n\n" + "".join(f'"{cell}",1\n' for cell in cells))

    assert [row[header] for row in made.table.sample] == seconds
    assert any(
        f"text such as {cells[0]} was read as a duration" in note
        for note in list_messages(made.notes)
    )
    assert f"{header}: durations are stored in seconds" in list_messages(made.notes)


@pytest.mark.parametrize(
    "cells", [["5m", "10m"], ["3d", "2d"], ["1h", "tall"], ["P", "PT1H"], ["1:99:99", "30:00:00"]]
)
async def test_what_may_be_no_duration_stays_text(cells: list[str], upload: Upload) -> None:
    made = await upload("v\n" + "\n".join(cells) + "\n")

    assert [row["v"] for row in made.table.sample] == cells


async def test_times_of_day_are_no_durations(upload: Upload) -> None:
    made = await upload("opens,n\n09:30:00,1\n18:00:00,2\n")

    assert types(made.table) == {"opens": "time", "n": "integer"}


async def test_only_the_column_of_mixed_dates_stays_text(upload: Upload) -> None:
    made = await upload(b"at,d\n2024-01-05 10:00:00,13/02/2024\n2024-01-06 11:00:00,02/13/2024\n")

    assert types(made.table) == {"at": "datetime", "d": "string"}
    assert [row["d"] for row in made.table.sample] == ["13/02/2024", "02/13/2024"]
    assert [note.partition(":")[0] for note in list_messages(made.notes)] == ["d"]


async def test_every_column_of_mixed_dates_is_named(upload: Upload) -> None:
    made = await upload(b"e,d,n\n14/02/2024,13/02/2024,1\n02/15/2024,02/13/2024,2\n")

    assert types(made.table) == {"e": "string", "d": "string", "n": "integer"}


@pytest.mark.parametrize(
    "text",
    [
        "Sales of 2024\n\nregion,n\na,1\nb,2\n",
        "Sales, 2024\n\nregion,n,m\na,1,2\nb,2,3\n",
        "Umsatz 2024\n\nregion;n\na;1,5\nb;2,5\n",
        "# export\n\nregion|n\na|1\nb|2\n",
    ],
)
async def test_lines_before_the_table_are_told(text: str, upload: Upload) -> None:
    made = await upload(text.encode())

    assert [row["region"] for row in made.table.sample] == ["a", "b"]
    assert (
        "the first 2 lines were left out: the table begins at line 3"
        in list_messages(made.notes)[0]
    )


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b,c\n" + "1,2,x\n" * 20 + "1,2,3,4\n", 21),
        ("a,b,c\n" + "1,2,x\n" * 100 + "1,2,3,4\n5,6,7,8\n", 102),
        ("a,note\n" + "1,hello\n" * 10 + "1,one, two\n", 11),
        ("a,b\n1,2\n4,5,6\n7,8,9\n", 3),
    ],
)
async def test_a_few_longer_lines_cost_no_other_line(text: str, rows: int, upload: Upload) -> None:
    made = await upload(text.encode())

    assert (made.table.row_count, types(made.table)["a"]) == (rows, "integer")
    assert (
        list_messages(made.notes)[0] == "lines of different lengths were filled up with empty cells"
    )
    assert ["columns were renamed" in note for note in list_messages(made.notes)[1:]] == [True]


async def test_blank_lines_before_the_table_are_no_loss(upload: Upload) -> None:
    assert not (await upload(b"\n\na,b\n1,2\n")).notes
