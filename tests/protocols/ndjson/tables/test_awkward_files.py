"""Awkward files over HTTP: stored is what their author means, and what was assumed is told."""

import pytest
from tests.protocols.ndjson.table_calls import TABLES, call_tables, upload, upload_form
from tests.protocols.ndjson.tables.awkward_files import AWKWARD_FILES, AwkwardFile
from tests.serving import Caller

READ = [file for file in AWKWARD_FILES if not file.refused]
REFUSED = [file for file in AWKWARD_FILES if file.refused]


@pytest.mark.parametrize("file", READ, ids=str)
async def test_an_awkward_file_is_read_as_meant_and_told(file: AwkwardFile, caller: Caller) -> None:
    made = await upload(caller, file.content, filename=file.filename, table_name="t")

    _, answer = await caller.get(f"{TABLES}/get-table", table_name="t", page_size="1000")
    notes = made.get("notes", [])
    assert answer["data"]["rows"] == list(file.rows[:1000])
    assert made["row_count"] == len(file.rows)
    assert len(notes) == len(file.told), notes
    assert all(part in note for part, note in zip(file.told, notes, strict=True)), notes
    details = made.get("note_details", [])
    assert [detail["message"] for detail in details] == notes
    assert all(detail["code"] for detail in details)


@pytest.mark.parametrize("file", REFUSED, ids=str)
async def test_an_awkward_file_is_refused_in_words(file: AwkwardFile, caller: Caller) -> None:
    form = upload_form(file.content, filename=file.filename)

    status, answer = await caller.send("POST", f"{TABLES}/create-table", data=form)

    assert (status, answer["error"]["code"]) == (200, "FILE_PARSE_ERROR")
    error = answer["error"]
    assert [part for part in file.refused if part not in error["message"]] == []
    assert (error["note"]["message"], bool(error["note"]["code"])) == (error["message"], True)


@pytest.mark.parametrize(
    ("cells", "stored", "told"),
    [
        (("0.5%", "0.9%", "-0.7%"), [0.005, 0.009, -0.007], "number (0.005), a fraction"),
        (("0.5%", "12%", "-0.7%"), [0.5, 12, -0.7], "number (0.5), in percent"),
    ],
)
async def test_small_percentages_are_not_read_as_if_they_were_shares(
    caller: Caller, cells: tuple[str, ...], stored: list[float], told: str
) -> None:
    made = await upload(caller, "\n".join(["rate", *cells]), table_name="rates")

    _, table = await caller.get(f"{TABLES}/get-table", table_name="rates")
    assert [row["rate"] for row in table["data"]["rows"]] == stored
    assert told in made["notes"][0]


async def test_notes_stay_with_the_table_and_its_profile(caller: Caller) -> None:
    made = await upload(caller, "v\n12%\n5%\n", table_name="t")

    _, listed = await caller.get(f"{TABLES}/list-tables")
    analysed = await call_tables(caller, "analyze", {"table_name": "t"})
    assert "in percent" in made["notes"][0]
    told = {field: made[field] for field in ("notes", "note_details")}
    assert listed["data"]["tables"][0]["source_metadata"] == told
    assert told.items() <= analysed.items()
    read = {"example": "12%", "value": "12"}
    parts = [told["note_details"][0]["facts"]["parts"][0][field] for field in ("code", "facts")]
    assert parts == ["number_read", read]
