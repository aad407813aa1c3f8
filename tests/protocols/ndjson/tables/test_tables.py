"""`/api/tables/…` over real HTTP: envelopes, files of many kinds, and whose tables they are."""

import gzip
import json
import zlib
from collections.abc import AsyncIterator, Callable
from io import BytesIO
from pathlib import Path

import pytest
from tests.loose_json import JsonObject
from tests.protocols.ndjson.table_calls import (
    SALES,
    TABLES,
    call_refused,
    call_tables,
    in_workspace,
    list_names,
    upload,
    upload_form,
)
from tests.serving import Caller, Served, serving

# reference, §8: create-table -> {table_name (sanitised), row_count, columns}


async def test_a_file_becomes_a_table_with_a_sanitised_name(caller: Caller) -> None:
    made = await upload(caller, table_name="  Sales / 2026!! ")

    assert made == {
        "table_name": "sales_2026",
        "row_count": 3,
        "columns": ["city", "amount", "day"],
    }


async def test_a_table_without_a_name_is_called_like_its_file(caller: Caller) -> None:
    assert (await upload(caller, filename="2026 Sales.csv"))["table_name"] == "table_2026_sales"


async def test_chinese_names_of_files_tables_and_columns_stay(caller: Caller) -> None:
    made = await upload(caller, "城市,销量\n北京,3\n", filename="销售 数据.csv")

    assert made == {"table_name": "销售_数据", "row_count": 1, "columns": ["城市", "销量"]}
    page = (await caller.get(f"{TABLES}/get-table", table_name="销售_数据"))[1]["data"]
    assert page["rows"] == [{"城市": "北京", "销量": 3}]


async def test_a_file_name_in_the_extended_form_alone_is_read(caller: Caller) -> None:
    body = (
        '--x\r\nContent-Disposition: form-data; name="file"; '
        "filename*=utf-8''%E9%94%80%E9%87%8F.csv\r\n\r\na,b\n1,2\n\r\n--x--\r\n"
    )
    headers = {**caller.headers, "Content-Type": "multipart/form-data; boundary=x"}

    _, answer = await caller.send(
        "POST", f"{TABLES}/create-table", data=body.encode(), headers=headers
    )

    assert answer["data"]["table_name"] == "销量"


@pytest.mark.parametrize("encoding", ["gbk", "utf-8-sig", "utf-16"])
async def test_a_file_in_another_encoding_is_read(caller: Caller, encoding: str) -> None:
    text = "城市,销量\n" + "".join(f"上海{n},{n}\n" for n in range(50))

    await upload(caller, text.encode(encoding), table_name="enc")

    page = (await caller.get(f"{TABLES}/get-table", table_name="enc", page_size="1"))[1]["data"]
    assert page["columns"] == ["城市", "销量"]
    assert page["rows"] == [{"城市": "上海0", "销量": 0}]


async def test_a_packed_file_is_unpacked_whatever_it_is_called(caller: Caller) -> None:
    made = await upload(caller, gzip.compress(SALES.encode()), filename="sales.csv")

    assert made["row_count"] == 3


@pytest.mark.parametrize("filename", [None, "blob"])
async def test_rows_may_come_as_a_field_or_a_packed_file(
    caller: Caller, filename: str | None
) -> None:
    rows = json.dumps([{"品名": "茶", "n": 1}, {"品名": "米", "n": 2}]).encode()
    content = rows if filename is None else gzip.compress(rows)
    form = upload_form(content, filename=filename, field="raw_data", table_name="rows")

    _, answer = await caller.send("POST", f"{TABLES}/create-table", data=form)

    assert answer["data"] == {"table_name": "rows", "row_count": 2, "columns": ["品名", "n"]}


async def test_rows_may_come_in_a_plain_form(caller: Caller) -> None:
    form = {"table_name": "plain", "raw_data": '[{"品名": "a+b&c", "n": 1}]'}

    _, answer = await caller.send("POST", f"{TABLES}/create-table", data=form)

    assert answer["data"] == {"table_name": "plain", "row_count": 1, "columns": ["品名", "n"]}


async def test_repeated_name_gets_a_number_unless_replace_source_is_set(
    caller: Caller,
) -> None:
    await upload(caller, table_name="t", filename="a.csv")
    second = await upload(caller, table_name="t", filename="a.csv")
    assert second["table_name"] == "t_2"

    replaced = await upload(caller, table_name="t", filename="a.csv", replace_source="true")

    assert replaced["table_name"] == "t"
    assert await list_names(caller) == ["t"]


async def test_a_form_without_a_file_is_refused(caller: Caller) -> None:
    form = upload_form("x", filename=None, field="other", table_name="t")

    assert await call_refused(caller, "POST", f"{TABLES}/create-table", data=form) == (
        200,
        "INVALID_REQUEST",
    )


@pytest.mark.parametrize(
    ("content", "filename"),
    [(b"", "e.csv"), (b"%PDF-1.7", "a.pdf"), (b"PK\x03\x04junk", "a.xlsx"), (b"[1, 2", "a.json")],
)
async def test_a_file_that_is_no_table_is_a_parse_error(
    caller: Caller, content: bytes, filename: str
) -> None:
    form = upload_form(content, filename=filename)

    assert await call_refused(caller, "POST", f"{TABLES}/create-table", data=form) == (
        200,
        "FILE_PARSE_ERROR",
    )
    assert await list_names(caller) == []


async def test_a_listed_table_has_the_keys_clients_know(caller: Caller) -> None:
    await upload(caller, table_name="Sales")

    _, answer = await caller.get(f"{TABLES}/list-tables")

    [table] = answer["data"]["tables"]
    assert table["columns"] == [
        {"name": "city", "type": "string"},
        {"name": "amount", "type": "integer"},
        {"name": "day", "type": "date"},
    ]
    assert (table["row_count"], len(table["sample_rows"])) == (3, 3)
    assert table["source_type"] == "upload"
    assert (table["source_filename"], table["original_name"]) == ("sales.csv", "Sales")
    assert (table["view_source"], table["source_metadata"]) == (None, None)


# reference, §8: sample-table, rows with #rowId, the 1-based original position


async def test_a_sample_is_filtered_ordered_and_numbered(caller: Caller) -> None:
    await upload(caller, table_name="sales")

    found = await call_tables(
        caller,
        "sample-table",
        {
            "table": "sales",
            "size": 1,
            "method": "bottom",
            "order_by_fields": ["amount"],
            "select_fields": ["amount"],
            "filters": [{"op": "in", "field": "city", "values": ["Berlin"]}],
        },
    )

    assert found == {"rows": [{"#rowId": 3, "amount": 7}], "total_row_count": 2}


async def test_a_sample_can_be_grouped(caller: Caller) -> None:
    await upload(caller, table_name="sales")

    found = await call_tables(
        caller,
        "sample-table",
        {
            "table": "sales",
            "select_fields": ["city"],
            "aggregate_fields_and_functions": [["amount", "sum"], [None, "count"]],
        },
    )

    by_city = {row["city"]: (row["amount_sum"], row["_count"]) for row in found["rows"]}
    assert by_city == {"Berlin": (10, 2), "Paris": (5, 1)}


async def test_pages_of_a_table_follow_each_other(caller: Caller) -> None:
    await upload(caller, table_name="sales")

    _, answer = await caller.get(f"{TABLES}/get-table", table_name="sales", page="2", page_size="2")

    page = answer["data"]
    assert [row["amount"] for row in page["rows"]] == [7]
    assert (page["total_rows"], page["page"], page["page_size"]) == (3, 2, 2)


async def test_analyze_counts_and_names_levels(caller: Caller) -> None:
    await upload(caller, table_name="sales")

    found = await call_tables(caller, "analyze", {"table_name": "sales"})

    city, amount, _ = found["statistics"]
    assert city["statistics"] == {
        "count": 3,
        "unique_count": 2,
        "null_count": 0,
        "levels": ["Berlin", "Paris"],
        "level_counts": [2, 1],
    }
    numbers = amount["statistics"]
    assert (numbers["min"], numbers["max"], numbers["avg"]) == (3, 7, 5)


@pytest.mark.parametrize(("delimiter", "ending"), [(",", "csv"), ("\t", "tsv")])
async def test_an_export_is_a_file_with_a_mark_of_utf_8(
    caller: Caller, delimiter: str, ending: str
) -> None:
    await upload(caller, "城市,n\n北京,1\n", table_name="销售")
    body = {"table_name": "销售", "delimiter": delimiter}

    async with caller.http.post(
        f"{caller.url}{TABLES}/export-table-csv", json=body, headers=caller.headers
    ) as answer:
        content = await answer.read()

    assert content.decode("utf-8-sig") == f"城市{delimiter}n\n北京{delimiter}1\n"
    assert content.startswith(b"\xef\xbb\xbf")
    disposition = answer.headers["Content-Disposition"]
    assert f"filename*=UTF-8''%E9%94%80%E5%94%AE.{ending}" in disposition


async def test_synced_rows_take_the_place_of_the_old(caller: Caller) -> None:
    await upload(caller, table_name="sales")
    body = {"table_name": "sales", "rows": [{"城市": "巴黎", "n": 1.5}]}
    packed = gzip.compress(json.dumps(body).encode())
    headers = {**caller.headers, "Content-Type": "application/json"}

    status, answer = await caller.send(
        "POST", f"{TABLES}/sync-table-data", data=packed, headers=headers
    )

    assert (status, answer["status"]) == (200, "success"), answer
    page = (await caller.get(f"{TABLES}/get-table", table_name="sales"))[1]["data"]
    assert page["rows"] == [{"城市": "巴黎", "n": 1.5}]
    assert await list_names(caller) == ["sales"]


async def post_sync(caller: Caller, body: bytes) -> tuple[int, JsonObject]:
    headers = {**caller.headers, "Content-Type": "application/json"}
    return await caller.send(
        "POST", f"{TABLES}/sync-table-data", data=BytesIO(body), headers=headers
    )


def make_bomb(table: str) -> bytes:
    """200 kB that inflate to more than `sync-table-data` allows."""
    packer = zlib.compressobj(wbits=31)
    pieces = [packer.compress(b'{"table_name": "%b", "rows": [' % table.encode())]
    pieces += [packer.compress(b'{"a": 1}, ' * 100_000) for _ in range(120)]
    return b"".join([*pieces, packer.compress(b"{}]}"), packer.flush()])


async def test_a_bomb_is_not_inflated_for_a_table_that_does_not_exist(caller: Caller) -> None:
    await upload(caller, table_name="sales")

    _, unknown = await post_sync(caller, make_bomb("ghost"))
    status, known = await post_sync(caller, make_bomb("sales"))

    assert unknown["error"]["code"] == "TABLE_NOT_FOUND"
    assert (status, known["error"]["code"]) == (413, "FILE_TOO_LARGE")


ROWS = b"[" + b'{"a": "x]y\\"", "b": [1]}, ' * 400_000 + b'{"a": "last", "b": []}]'


@pytest.mark.parametrize(
    "body",
    [
        b'{"table_name": "sales", "rows": ' + ROWS + b"}",
        b' {"rows":' + ROWS + b', "note": "]}", "table_name" : "sales" } ',
        b'{"version": 1.5, "table_name": "sales", "rows" : ' + ROWS + b',"x":null}',
    ],
    ids=["name first", "name last", "other members"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
async def test_many_rows_are_split_without_decoding_them(
    caller: Caller, body: bytes, pack: Callable[[bytes], bytes]
) -> None:
    await upload(caller, table_name="sales")

    _, answer = await post_sync(caller, pack(body))

    assert answer["status"] == "success", answer
    assert answer["data"]["row_count"] == 400_001


@pytest.mark.parametrize(
    "body",
    [
        b'{"table_name": "sales", "rows": ' + ROWS,
        b'{"rows": ' + ROWS + b"}",
        b'{"table_name": "sales", "rows": ' + ROWS + b', "more": {"a": [1]}}',
        b'{"table_name": "sales", "more": [], "rows": ' + ROWS + b"}",
        b'{"table_name": "a\\u0000", "rows": ' + ROWS + b"}",
    ],
)
async def test_many_rows_in_another_shape_are_an_invalid_request(
    caller: Caller, body: bytes
) -> None:
    await upload(caller, table_name="sales")

    _, answer = await post_sync(caller, body)

    assert answer["error"]["code"] == "INVALID_REQUEST"


async def test_parse_file_stores_nothing(caller: Caller) -> None:
    _, answer = await caller.send("POST", f"{TABLES}/parse-file", data=upload_form(SALES))

    [sheet] = answer["data"]["sheets"]
    assert (sheet["row_count"], sheet["rows"][0]["city"]) == (3, "Berlin")
    assert await list_names(caller) == []


async def test_a_deleted_table_is_gone_and_the_rest_stays(caller: Caller) -> None:
    await upload(caller, table_name="one")
    await upload(caller, table_name="two")

    assert "one" in (await call_tables(caller, "delete-table", {"table_name": "one"}))["message"]

    assert await list_names(caller) == ["two"]


async def test_a_reset_empties_one_workspace_only(caller: Caller) -> None:
    other = in_workspace(caller, "计划 B")
    await upload(caller, table_name="here")
    await upload(other, table_name="there")

    await call_tables(caller, "reset-db-file", {})

    assert await list_names(caller) == []
    assert await list_names(other) == ["there"]


# reference, §7.3: a missing table is TABLE_NOT_FOUND everywhere


@pytest.mark.parametrize(
    ("call", "body"),
    [
        ("sample-table", {"table": "ghost"}),
        ("delete-table", {"table_name": "ghost"}),
        ("analyze", {"table_name": "ghost"}),
        ("export-table-csv", {"table_name": "ghost"}),
        ("sync-table-data", {"table_name": "ghost", "rows": [{"a": 1}]}),
    ],
)
async def test_foreign_and_unknown_tables_are_not_found(
    served: Served, caller: Caller, call: str, body: JsonObject
) -> None:
    other = await served.account()
    await upload(other, table_name="ghost")

    assert await call_refused(caller, "POST", f"{TABLES}/{call}", json=body) == (
        200,
        "TABLE_NOT_FOUND",
    )
    assert await call_refused(
        caller, "GET", f"{TABLES}/get-table", params={"table_name": "ghost"}
    ) == (
        200,
        "TABLE_NOT_FOUND",
    )
    assert await list_names(other) == ["ghost"]


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[]", b"null", b"\xff\xfe", b"\x1f\x8bjunk", b"[" * 100_000),
        *(b'{"table_name": 3}', b'{"table_name": ""}', b'{"table_name": []}'),
        b'{"table_name": "a\\u0000b"}',
    ],
)
@pytest.mark.parametrize("call", ["delete-table", "analyze", "sync-table-data", "sample-table"])
async def test_a_broken_body_is_an_invalid_request(caller: Caller, call: str, body: bytes) -> None:
    headers = {**caller.headers, "Content-Type": "application/json"}

    found = await call_refused(caller, "POST", f"{TABLES}/{call}", data=body, headers=headers)

    assert found == (200, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"table_name": "t", "page": "0"},
        {"table_name": "t", "page": "x"},
        {"table_name": "t", "page": "9" * 40},
        {"table_name": "t", "page_size": "99999999"},
    ],
)
async def test_a_broken_query_is_an_invalid_request(caller: Caller, params: dict[str, str]) -> None:
    await upload(caller, table_name="t")

    found = await call_refused(caller, "GET", f"{TABLES}/get-table", params=params)

    assert found == (200, "INVALID_REQUEST")


async def test_an_unknown_delimiter_is_an_invalid_request(caller: Caller) -> None:
    await upload(caller, table_name="t")
    body = {"table_name": "t", "delimiter": ";"}

    found = await call_refused(caller, "POST", f"{TABLES}/export-table-csv", json=body)

    assert found == (200, "INVALID_REQUEST")


async def test_text_that_is_no_form_and_no_json_is_refused(caller: Caller) -> None:
    headers = {**caller.headers, "Content-Type": "text/plain"}
    for call in ("create-table", "analyze", "parse-file"):
        found = await call_refused(caller, "POST", f"{TABLES}/{call}", data=b"x", headers=headers)

        assert found == (200, "INVALID_REQUEST")


# oracle DF019


async def test_a_file_over_the_limit_is_refused_with_413(
    dsn: str, served: Served, tmp_path: Path
) -> None:
    async with serving(dsn, model=served.model, data_dir=tmp_path, table_max_mb=1) as small:
        caller = await small.account()
        big = b"a,b\n" + b"1,2\n" * 400_000

        found = await call_refused(
            caller, "POST", f"{TABLES}/create-table", data=upload_form(big, table_name="big")
        )

        assert found == (413, "FILE_TOO_LARGE")
        assert list((tmp_path / "datasets" / "spool").iterdir()) == []


async def test_a_file_of_unknown_size_is_cut_at_the_limit(
    dsn: str, served: Served, tmp_path: Path
) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\na,b\n'

    async def endless() -> AsyncIterator[bytes]:
        yield head
        for _ in range(64):
            yield b"1,2\n" * 16_384

    async with serving(dsn, model=served.model, data_dir=tmp_path, table_max_mb=1) as small:
        caller = await small.account()
        headers = {**caller.headers, "Content-Type": "multipart/form-data; boundary=x"}

        found = await call_refused(
            caller, "POST", f"{TABLES}/create-table", data=endless(), headers=headers
        )

        assert found == (413, "FILE_TOO_LARGE")
        assert list((tmp_path / "datasets" / "spool").iterdir()) == []


async def test_a_json_body_over_the_limit_is_refused_with_413(caller: Caller) -> None:
    headers = {**caller.headers, "Content-Type": "application/json"}
    body = BytesIO(b'{"table_name": "' + b"x" * (1024 * 1024) + b'"}')

    found = await call_refused(caller, "POST", f"{TABLES}/analyze", data=body, headers=headers)

    assert found == (413, "FILE_TOO_LARGE")


async def test_a_packed_bomb_is_refused_with_413(caller: Caller) -> None:
    headers = {**caller.headers, "Content-Type": "application/json"}
    bomb = gzip.compress(b" " * (64 * 1024 * 1024))

    found = await call_refused(caller, "POST", f"{TABLES}/analyze", data=bomb, headers=headers)

    assert found == (413, "FILE_TOO_LARGE")


# oracle DF014, DF010


async def test_tables_need_a_token(served: Served, caller: Caller) -> None:
    headers = {"X-Request-Id": "my-trace-123"}

    status, answer = await caller.send("GET", f"{TABLES}/list-tables", headers=headers)

    assert (status, answer["error"]["code"]) == (401, "AUTH_REQUIRED")
    assert answer["error"]["request_id"] == "my-trace-123"


# oracle DF017, DF018


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/api/nonexistent", (404, "NOT_FOUND")),
        ("POST", "/api/tables/nonexistent", (404, "NOT_FOUND")),
        ("GET", "/api/tables/create-table", (405, "INVALID_REQUEST")),
        ("POST", "/api/tables/list-tables", (405, "INVALID_REQUEST")),
    ],
)
async def test_an_address_without_a_route_answers_in_this_dialect(
    caller: Caller, method: str, path: str, expected: tuple[int, str]
) -> None:
    assert await call_refused(caller, method, path) == expected


async def test_addresses_of_the_other_protocols_keep_their_problems(caller: Caller) -> None:
    for path in ("/api/v1/nonexistent", "/nonexistent", "/apis"):
        status, answer = await caller.get(path)

        assert (status, answer["code"]) == (404, "ROUTE_NOT_FOUND")
