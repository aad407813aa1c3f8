"""Rows that come with a question wait in a file until its run begins."""

from uuid import uuid4

from tests.protocols.ndjson.lab import Lab

from yarrow.ids import AccountId
from yarrow.tables.inline_rows import keep_given_rows, put_down_rows

ROWS = {"sales": [{"region": "north", "revenue": 40}]}


async def test_rows_that_are_no_table_are_named(empty_lab: Lab) -> None:
    shelf, place = empty_lab.served.product.shelf, empty_lab.place
    files = await put_down_rows(shelf, place.account_id, ROWS)
    (shelf.sandbox.spool_path("").parent / files["sales"]).write_bytes(b"")

    assert await keep_given_rows(shelf, place, files) == ["sales"]
    assert await empty_lab.tables() == []


async def test_only_rows_of_ones_own_are_taken(empty_lab: Lab) -> None:
    shelf, place = empty_lab.served.product.shelf, empty_lab.place
    files = await put_down_rows(shelf, AccountId(uuid4()), ROWS)
    outside = {"sales": f"../../etc/passwd.{place.account_id}.rows"}

    assert await keep_given_rows(shelf, place, {**files, **outside}) == []
    assert await keep_given_rows(shelf, place, files) == []
    assert await empty_lab.tables() == []


async def test_a_run_that_begins_again_has_its_table(empty_lab: Lab) -> None:
    shelf, place = empty_lab.served.product.shelf, empty_lab.place
    files = await put_down_rows(shelf, place.account_id, ROWS)

    assert await keep_given_rows(shelf, place, files) == []
    assert await keep_given_rows(shelf, place, files) == []
    assert await empty_lab.tables() == ["sales"]
