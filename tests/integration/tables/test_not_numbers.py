"""What is not a number is null, wherever it came from: docs/protocols/tables.md."""

import io
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.integration.tables.conftest import Upload

from yarrow.kit.json import JsonMapping
from yarrow.tables.column_statistics import compute_statistics
from yarrow.tables.model import (
    InFilter,
    RangeFilter,
    SampleMethod,
    SampleRequest,
    Tables,
    Workspace,
)
from yarrow.tables.read import export_csv, sample_table

NAN, INFINITY = float("nan"), float("inf")


def parquet(*values: float, kind: pa.DataType | None = None) -> bytes:
    keys = [chr(ord("a") + at) for at in range(len(values))]
    packed = io.BytesIO()
    pa.parquet.write_table(pa.table({"k": keys, "v": pa.array(values, kind)}), packed)
    return packed.getvalue()


def taken(path: Path) -> pa.Table:
    """What a job left for its caller, who moves it away."""
    table = pa.parquet.read_table(path)
    path.unlink()
    return table


@pytest.fixture
async def brought(upload: Upload) -> None:
    await upload(parquet(1.0, NAN, 3.0), "t.parquet")


async def rows(tables: Tables, workspace: Workspace, request: SampleRequest) -> list[JsonMapping]:
    return list((await sample_table(tables, workspace, "t", request=request)).rows)


@pytest.mark.usefixtures("brought")
async def test_it_counts_as_missing(tables: Tables, workspace: Workspace) -> None:
    _, numbers = (await compute_statistics(tables, workspace, "t")).columns

    assert numbers["statistics"] == {
        "count": 3,
        "unique_count": 2,
        "null_count": 1,
        "min": 1.0,
        "max": 3.0,
        "avg": 2.0,
        "levels": [1.0, 3.0],
        "level_counts": [1, 1],
    }


@pytest.mark.usefixtures("brought")
async def test_it_is_left_out_of_sums(tables: Tables, workspace: Workspace) -> None:
    functions = ("sum", "avg", "min", "max")
    request = SampleRequest(aggregates=[("v", function) for function in functions])

    [found] = await rows(tables, workspace, request)

    assert [found[f"v_{function}"] for function in functions] == [4.0, 2.0, 1.0, 3.0]


@pytest.mark.usefixtures("brought")
async def test_it_is_in_no_range_and_among_the_nulls(tables: Tables, workspace: Workspace) -> None:
    from_two = SampleRequest(filters=[RangeFilter("v", low=2)])
    nulls = SampleRequest(filters=[InFilter("v", [None])])

    assert [row["k"] for row in await rows(tables, workspace, from_two)] == ["c"]
    assert [row["k"] for row in await rows(tables, workspace, nulls)] == ["b"]


@pytest.mark.usefixtures("brought")
async def test_it_comes_last_from_both_ends(tables: Tables, workspace: Workspace) -> None:
    for method, keys in ((SampleMethod.HEAD, "acb"), (SampleMethod.BOTTOM, "cab")):
        found = await rows(tables, workspace, SampleRequest(method=method, order_by=["v"]))

        assert "".join(str(row["k"]) for row in found) == keys


@pytest.mark.usefixtures("brought")
async def test_it_is_exported_as_an_empty_cell(tables: Tables, workspace: Workspace) -> None:
    _, chunks = await export_csv(tables, workspace, "t")

    exported = b"".join([chunk async for chunk in chunks]).decode("utf-8-sig")
    assert exported == "k,v\na,1.0\nb,\nc,3.0\n"


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
async def test_infinities_are_no_numbers_either(kind: pa.DataType, upload: Upload) -> None:
    data = parquet(1.0, INFINITY, -INFINITY, NAN, 3.0, kind=kind)

    made = await upload(data, "t.parquet")

    stored = pd.read_parquet(made.table.path)
    assert stored["v"].tolist()[::4] == [1.0, 3.0]
    assert pa.parquet.read_table(made.table.path)["v"].null_count == 3
    assert made.table.column_types["v"] == "number"


async def test_text_files_keep_none(upload: Upload) -> None:
    made = await upload("k,v\na,1.5\nb,inf\nc,nan\nd,2.5\n")

    assert pa.parquet.read_table(made.table.path)["v"].to_pylist() == [1.5, None, None, 2.5]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a\ninf\n2\n3\n", [None, 2.0, 3.0]),
        ("a\n1.5\ninf\n2.5\n", [1.5, None, 2.5]),
        ("a\n-Infinity\n3\n", [None, 3.0]),
        ("a,a\n+INF,x\n2,inf\n", [None, 2.0]),
        ("a\ninf\ninf\n", [None, None]),
        ("a\ninf\n2\nx\n", ["inf", "2", "x"]),
        ("a\ninfo\ninf\n", ["info", "inf"]),
    ],
)
async def test_an_infinity_among_numbers_is_null_wherever_it_stands(
    text: str, values: list[object], upload: Upload
) -> None:
    made = await upload(text)

    assert pa.parquet.read_table(made.table.path)["a"].to_pylist() == values


async def test_an_infinity_before_a_late_word_is_text(upload: Upload) -> None:
    made = await upload("a\ninf\n" + "2\n" * 60_000 + "late\n")

    assert made.table.column_types == {"a": "string"}
    assert made.table.sample[0] == {"a": "inf"}


async def test_a_query_that_is_kept_keeps_none(tables: Tables, upload: Upload) -> None:
    made = await upload("n\n0\n4\n", "t.csv")
    query = "SELECT n, n / 0 AS over, 8 / n AS n FROM t ORDER BY t.n DESC -- a share"

    saved = await tables.sandbox.save_query(query, {"t": made.table.path})

    table = taken(saved.path)
    assert [column.to_pylist() for column in table.columns] == [[4, 0], [None, None], [2.0, None]]


async def test_a_frame_of_python_keeps_none(tables: Tables) -> None:
    if await tables.sandbox.why_no_python():
        pytest.skip("this machine cannot isolate Python")
    code = (
        "import pandas as pd\n"
        "v = pd.Series([1.0, float('inf'), float('-inf'), float('nan')])\n"
        "df = pd.DataFrame({'v': v, 'w': v.astype('float32'), 'x': v.astype('Float64')})\n"
    )

    ran = await tables.sandbox.run_python(code, {}, output_variable="df")

    assert ran.output is not None
    table = taken(ran.output.path)
    assert [column.to_pylist() for column in table.columns] == [[1.0, None, None, None]] * 3
