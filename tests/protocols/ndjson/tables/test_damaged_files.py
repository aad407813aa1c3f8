"""A damaged file is refused in plain words that say what to do, and leaves nothing behind."""

import gzip
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from tests.integration.tables.workbooks import workbook
from tests.protocols.ndjson.table_calls import TABLES, list_names, upload_form
from tests.serving import Caller

INTERNAL = (
    "duckdb",
    "/job",
    "error:",
    "exception",
    "decompression",
    "malformed",
    "process crashed",
)
"""Words of our machinery, which say nothing to the owner of a file."""
BOOK = workbook({"S": [["a", "b"], *[[n, f"text {n}"] for n in range(500)]]})
PACKED = gzip.compress("".join(f"{n},{n * 7}\n" for n in range(20_000)).encode())


def write_parquet(folder: Path, codec: str) -> bytes:
    path = folder / f"{codec}.parquet"
    rows = "SELECT n, 'text ' || n AS t FROM range(20000) AS numbers (n)"
    duckdb.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet, COMPRESSION {codec})")
    return path.read_bytes()


def flip(data: bytes, *, begin: int, end: int, step: int) -> bytes:
    flipped = bytearray(data)
    for at in range(begin, end, step):
        flipped[at] ^= 0xFF
    return bytes(flipped)


def change_part(book: bytes, name: str, content: bytes | None) -> bytes:
    """The workbook with other bytes in one part, or without it."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(changed, "w") as new:
        for entry in old.namelist():
            data = content if entry == name else old.read(entry)
            if data is not None:
                new.writestr(entry, data)
    return changed.getvalue()


def zip_file(name: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr(name, "a,b\n1,2\n")
    return packed.getvalue()


def damage_parquet(folder: Path) -> Iterator[bytes]:
    for codec in ("uncompressed", "snappy", "zstd", "gzip"):
        whole = write_parquet(folder, codec)
        yield from (whole[: len(whole) * part // 100] for part in (1, 50, 99))
        yield flip(whole, begin=50, end=len(whole) // 2, step=97)
        yield whole[:100] + whole[2000:]
        yield whole[:-8] + b"\xff\xff\xff\x7fPAR1"


async def read_refusal(caller: Caller, content: bytes, filename: str) -> str:
    form = upload_form(content, filename=filename)
    status, answer = await caller.send("POST", f"{TABLES}/create-table", data=form)
    assert (status, answer["error"]["code"]) == (200, "FILE_PARSE_ERROR")
    message = str(answer["error"]["message"])
    assert [word for word in INTERNAL if word in message.lower()] == []
    return message


async def test_a_damaged_parquet_file_is_refused_in_words(caller: Caller, tmp_path: Path) -> None:
    messages = {await read_refusal(caller, data, "x.parquet") for data in damage_parquet(tmp_path)}

    assert messages == {"the Parquet file is broken or cut off; export or download it again"}
    assert await list_names(caller) == []


SHEET = "xl/worksheets/sheet1.xml"


@pytest.mark.parametrize(
    "content",
    [
        *[BOOK[: len(BOOK) * part // 100] for part in (10, 50, 99)],
        flip(BOOK, begin=2000, end=len(BOOK) - 2000, step=997),
        change_part(BOOK, SHEET, b"<worksheet><sheetData><row r='1'><c r='A1'"),
        change_part(BOOK, SHEET, b"\0\1junk"),
        change_part(BOOK, SHEET, b""),
        change_part(BOOK, SHEET, None),
        change_part(BOOK, "xl/_rels/workbook.xml.rels", None),
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000),
    ],
    ids=lambda content: f"{len(content)} bytes",
)
async def test_a_damaged_workbook_is_refused_in_words(content: bytes, caller: Caller) -> None:
    message = await read_refusal(caller, content, "x.xlsx")

    assert "the workbook is broken" in message
    assert "save the sheet as CSV" in message
    assert await list_names(caller) == []


@pytest.mark.parametrize(
    ("content", "filename", "said"),
    [
        *[(PACKED[: len(PACKED) * part // 100], "x.csv.gz", "gzip") for part in (1, 50, 99)],
        (flip(PACKED, begin=9000, end=9001, step=1), "x.csv.gz", "gzip"),
        (flip(PACKED, begin=len(PACKED) - 6, end=len(PACKED) - 5, step=1), "x.csv.gz", "gzip"),
        (gzip.compress(PACKED), "x.csv.gz", "packed twice; unpack it"),
        (zip_file("a.csv"), "x.zip", "unpack it and upload the table"),
        (b"BZh91AY&SY" + bytes(range(100)), "x.csv.bz2", "packed with bzip2; unpack it"),
        (b"\x28\xb5\x2f\xfd" + bytes(range(100)), "x.csv.zst", "packed with Zstandard"),
    ],
)
async def test_a_damaged_or_foreign_archive_is_refused_in_words(
    content: bytes, filename: str, said: str, caller: Caller
) -> None:
    message = await read_refusal(caller, content, filename)

    assert said in message
    assert "again" in message or "unpack" in message
