"""The example client reads streams as clients should, and runs as printed."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from examples.analyst_client import assemble_reply, parse_line, plain, read_events
from tests.loose_json import JsonObject
from tests.protocols.ndjson.analyst_client import CLARIFY, SALES, SUMMARY, visualize
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Served, serving
from tests.waiting import PATIENCE_S

from yarrow.llm.errors import ModelDenied
from yarrow.llm.scripted import Fail
from yarrow.settings import AuthMode

CLIENT = Path(__file__).parents[3] / "examples" / "analyst_client.py"


@pytest.mark.parametrize(
    "line",
    [
        '{"status":"ok","result":{"type":"text_delta"}}',  # DF028
        "",  # DF029
        "   ",
        "not json {",
        "[]",
        '{"type": 7}',
    ],
)
def test_lines_that_are_no_events_are_skipped(line: str) -> None:
    assert parse_line(line) is None


@pytest.mark.parametrize("size", [1, 3, 1000])
async def test_a_stream_is_read_in_any_pieces_and_to_its_last_line(size: int) -> None:
    data = '{"type":"text_delta","content":"你好"}\n\nnoise\n{"type":"done"}'.encode()

    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(data), size):
            yield data[at : at + size]

    events: list[JsonObject] = [event async for event in read_events(pieces())]
    assert events == [{"type": "text_delta", "content": "你好"}, {"type": "done"}]


@pytest.mark.parametrize(
    ("answers", "freeform", "reply"),
    [
        (["Revenue"], "", "Revenue"),  # DF066
        (
            ["Revenue", "Last 12 months"],  # DF067
            "Focus on growth rate.",
            "1. Revenue; 2. Last 12 months\nFocus on growth rate.",
        ),
        (["", " Orders "], "", "Orders"),
        ([], "As you like.", "As you like."),
    ],
)
def test_pause_answers_become_one_reply(answers: list[str], freeform: str, reply: str) -> None:
    assert assemble_reply(answers, freeform) == reply


@pytest.fixture
async def local(dsn: str, tmp_path: Path) -> AsyncIterator[Served]:
    """A server for one local user, as `make serve` starts it."""
    settings: JsonObject = {"auth": AuthMode.OFF, "llm_base_url": "http://127.0.0.1:9"}
    async with serving(dsn, model=SwitchableModel(), data_dir=tmp_path, **settings) as served:
        yield served


async def run(served: Served, table: Path, *, reply: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(CLIENT), "Who sells most?", "--csv", str(table)]
    return await asyncio.to_thread(
        subprocess.run,
        [*command, "--url", served.url, "--workspace", table.parent.name],
        input=reply,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "sales.csv"
    file.write_text(SALES)
    return file


async def test_it_talks_until_the_analysis_is_done(local: Served, table: Path) -> None:
    switchable = local.model
    assert isinstance(switchable, SwitchableModel)
    switchable.script([CLARIFY], [visualize()], [SUMMARY])

    done = await run(local, table, reply="A\n")

    assert done.returncode == 0, done.stderr
    assert "? Which?" in done.stdout
    assert "'region': 'north', 'total': 40" in done.stdout
    assert done.stdout.endswith("The north sold more.\n")


async def test_a_file_is_asked_about_as_it_is_now(local: Served, table: Path) -> None:
    switchable = local.model
    assert isinstance(switchable, SwitchableModel)
    columns = "month AS region, revenue AS total"
    switchable.script([SUMMARY], [visualize(sql=f"SELECT {columns} FROM sales")], [SUMMARY])

    await run(local, table)
    await asyncio.to_thread(table.write_text, "month,revenue\n2027-01,77\n2027-02,78\n")
    done = await run(local, table)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{table} is table sales, 2 rows\n")
    assert "{'region': '2027-01', 'total': 77}" in done.stdout


def test_whole_numbers_are_shown_without_a_point() -> None:
    assert [plain(value) for value in (10.0, 2.5, "3.0", None, True)] == [
        10,
        2.5,
        "3.0",
        None,
        True,
    ]
    assert str(plain(10.0)) == "10"


@pytest.mark.parametrize("options", [(), ("--csv", __file__)])
def test_without_a_server_it_says_what_to_do_in_one_line(options: tuple[str, ...]) -> None:
    command = [sys.executable, str(CLIENT), "Who?", "--url", "http://127.0.0.1:9", *options]

    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "make serve" in done.stderr


def test_a_file_that_is_not_there_is_one_line_too() -> None:
    command = [sys.executable, str(CLIENT), "Who?", "--csv", "nowhere.csv"]

    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)

    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "nowhere.csv" in done.stderr


async def test_it_says_what_went_wrong(local: Served, table: Path) -> None:
    switchable = local.model
    assert isinstance(switchable, SwitchableModel)
    switchable.script([Fail(ModelDenied(401))])

    done = await run(local, table)

    assert done.returncode == 1
    assert done.stderr.startswith("LLM_AUTH_FAILED: ")
