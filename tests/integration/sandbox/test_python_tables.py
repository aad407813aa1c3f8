"""Tables of a Python job by their names, and what an interrupted program had printed."""

import pytest
from tests.integration.sandbox.conftest import Box

from yarrow.sandbox.model import JobLimits

pytestmark = pytest.mark.slow


async def run(box: Box, code: str, seconds: float = 20.0) -> str:
    tables = {"sales": box.ours, "d-totals": box.ours}
    result = await box.sandbox.run_python(code, tables, JobLimits(seconds=seconds))
    return f"{result.stdout.strip()} {result.error or ''}".strip()


@pytest.mark.parametrize(
    "code",
    [
        "print(len(sales))",
        "sales = sales.dropna()\nprint(len(sales))",
        "def count(sales):\n    return len(sales)\nprint(count(\n    sales=sales,\n))",
        "def count():\n    return len(sales)\nprint(count())",
        "print(duckdb.sql('SELECT count(*) FROM sales').fetchall()[0][0])",
        "print(duckdb.sql('SELECT count(*) FROM \"d-totals\"').fetchall()[0][0])",
        "import pandas as pd\nprint(len(pd.read_parquet('data/sales.parquet')))",
    ],
)
async def test_tables_are_there_by_name(box: Box, code: str) -> None:
    assert await run(box, code) == "2"


@pytest.mark.parametrize(
    "code",
    [
        "print(len(sales))",
        "print(duckdb.sql('SELECT count(*) FROM \"pd\"').fetchall()[0][0])",
        "print(duckdb.sql('SELECT count(*) FROM \"print\"').fetchall()[0][0])",
        "print(len(input.index))",
    ],
)
async def test_a_table_replaces_no_function_of_the_program(box: Box, code: str) -> None:
    tables = dict.fromkeys(("sales", "pd", "print", "input", "len"), box.ours)

    result = await box.sandbox.run_python(code, tables, JobLimits(seconds=20))

    assert (result.stdout, result.error) == ("2\n", None)


async def test_a_variable_of_the_program_is_not_replaced_by_a_table(box: Box) -> None:
    code = "sales = pd.DataFrame({'n': [1]})\nprint(duckdb.sql('FROM sales').fetchall())"

    assert await run(box, code) == "[(1,)]"


async def test_an_interrupted_program_gives_what_it_had_printed(box: Box) -> None:
    code = "print('so far')\nwhile True:\n    pass"

    output = await run(box, code, 1.0)

    assert output.startswith("so far TimeoutError: the code ran")


async def test_a_program_that_hangs_in_a_library_gives_what_it_had_printed(box: Box) -> None:
    code = "print('so far')\nprint('and on')\ntotal = sum(range(10**13))"

    output = await run(box, code, 1.0)

    assert output.startswith("so far\nand on TimeoutError: the code ran longer than 1 seconds")


async def test_a_program_that_dies_gives_what_it_had_printed(box: Box) -> None:
    output = await run(box, "print('so far')\nimport os\nos._exit(1)")

    assert output.startswith("so far the code ended its process")


async def test_what_is_printed_is_not_sent_without_end(box: Box) -> None:
    code = "for n in range(20_000):\n    print(n)"

    output = await run(box, code)

    assert output.endswith("(more was printed)")
