"""Tables of very many columns, and what is said of those that cannot be counted."""

from tests.integration.tables.conftest import Upload
from tests.loose_json import JsonObject, JsonValue
from tests.waiting import PATIENCE_S

from yarrow.agents.analyst.prompt import describe_table
from yarrow.agents.analyst.workspace import TableSummary
from yarrow.kit.notes import list_messages
from yarrow.tables.column_statistics import compute_statistics
from yarrow.tables.duckdb_sql import COLUMNS_PER_QUERY
from yarrow.tables.model import Tables, Workspace
from yarrow.tables.read import find_tables, read_shapes

ROWS = 50


def wide(columns: int) -> str:
    lines = [",".join(f"c{at}" for at in range(columns))]
    lines += [",".join(str((row + at) % 7) for at in range(columns)) for row in range(ROWS)]
    return "\n".join(lines)


async def test_every_column_of_a_wide_table_is_counted_and_kept(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    made = await upload(wide(250), "wide.csv")

    shape = (await read_shapes(tables, [made.table]))["wide"]

    assert {(column.distinct, column.nulls) for column in shape.columns} == {(7, 0)}
    assert shape.columns[0].samples == (0, 1, 2, 3, 4)
    kept = (await find_tables(tables, workspace, ["wide"]))["wide"].counts
    assert kept == [[ROWS, 7]] * len(shape.columns)


async def test_a_table_that_cannot_be_counted_is_told_without_numbers(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    made = await upload("city,n\nOslo,1\nRoma,2\n", "t.csv")
    made.table.path.chmod(0o644)
    made.table.path.write_bytes(b"no Parquet any more")

    shape = (await read_shapes(tables, [made.table]))["t"]

    assert [(column.name, column.dtype.value) for column in shape.columns] == [
        ("city", "string"),
        ("n", "integer"),
    ]
    said = describe_table(TableSummary("t", shape, made.table.sample))
    assert said.splitlines()[1:3] == ["- city (string)", "- n (integer)"]
    again = (await find_tables(tables, workspace, ["t"]))["t"]
    assert again.counts == [[], []]
    assert await read_shapes(tables, [again]) == {"t": shape}


async def test_columns_of_several_queries_are_all_analysed(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    count = 4 * COLUMNS_PER_QUERY + 2
    await upload(wide(count), "wide.csv")

    analysis = await compute_statistics(tables, workspace, "wide", seconds=PATIENCE_S)

    assert [one["column"] for one in analysis.columns] == [f"c{at}" for at in range(count)]
    assert list_messages(analysis.notes) == []
    last: JsonValue = analysis.columns[-1]["statistics"]
    assert (last["levels"], last["level_counts"]) == ([5, 0, 1, 2, 3, 4, 6], [8] + [7] * 6)


async def test_values_are_told_of_columns_whose_names_are_numbers(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload('"1","n","0"\nb,2026-01-02,1.5\na,2026-01-02,1.5\nb,,2.5\n', "t.csv")

    analysis = await compute_statistics(tables, workspace, "t")
    found: JsonObject = {str(one["column"]): one["statistics"] for one in analysis.columns}

    assert (found["1"]["levels"], found["1"]["level_counts"]) == (["b", "a"], [2, 1])
    assert (found["n"]["levels"], found["n"]["level_counts"]) == (["2026-01-02"], [2])
    assert (found["0"]["levels"], found["0"]["level_counts"]) == ([1.5, 2.5], [2, 1])


async def test_what_was_counted_in_time_is_told_and_the_rest_is_noted(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload(wide(3), "wide.csv")

    analysis = await compute_statistics(tables, workspace, "wide", seconds=0)

    assert analysis.columns == []
    assert list_messages(analysis.notes) == ["only 0 of 3 columns were counted within 0 seconds"]
