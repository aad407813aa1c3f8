"""The examples about tables run as printed, also again, and answer what is printed below them."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.loose_json import JsonValue, decode_json
from tests.serving import Served, serving

from yarrow.llm.scripted import ScriptedModel
from yarrow.settings import AuthMode

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "protocols" / "tables.md").read_text("utf-8")
HOWTO = (ROOT / "docs" / "howto" / "ask-your-data.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")
CLIENT = "examples/analyst_client.py"
PRINTED = "http://127.0.0.1:3000"
BLOCK = re.compile(r"```(sh|jsonl|json)\n(.*?)```", re.DOTALL)


async def run_printed(block: str, served: Served, folder: Path) -> bytes:
    """A block as its reader runs it, but for the port, and for a folder of its own."""
    script = block.replace(PRINTED, served.url).replace("/tmp/", f"{folder}/")
    script = script.replace(".venv/bin/python", sys.executable)
    return await run(script.replace(CLIENT, f"{ROOT / CLIENT} --url {served.url}"), folder)


async def run(script: str, folder: Path) -> bytes:
    shell = await asyncio.create_subprocess_exec(
        *("bash", "-euc", script), cwd=folder, stdout=asyncio.subprocess.PIPE
    )
    result, _ = await shell.communicate()
    assert shell.returncode == 0, script
    return result


def lines_of(text: bytes | str) -> list[JsonValue]:
    lines = [decode_json(line) for line in text.splitlines()]
    return [line for line in lines if line["type"] != "progress"]


@pytest.fixture
async def local(dsn: str, tmp_path: Path) -> AsyncIterator[Served]:
    """What `make serve` starts, with nothing in it."""
    folder = tmp_path / "data"
    async with serving(dsn, model=ScriptedModel(), data_dir=folder, auth=AuthMode.OFF) as served:
        for workspace in ("default", "demo"):
            emptied = f"-H 'X-Workspace-Id: {workspace}' {served.url}/api/tables/reset-db-file"
            await run(f"curl -s -X POST {emptied}", tmp_path)
        yield served


async def test_the_examples_run_as_printed_and_again(local: Served, tmp_path: Path) -> None:
    compared = 0
    result = b""
    for kind, block in BLOCK.findall(PAGE) * 2:
        if kind == "sh":
            result = await run_printed(block, local, tmp_path)
            continue
        compared += 1
        read = decode_json if kind == "json" else lines_of
        assert read(result) == read(block)

    assert compared == 10
    assert (tmp_path / "exported.csv").read_text(
        "utf-8-sig"
    ) == "region,revenue\nnorth,40\nsouth,35\nnorthwest,25\n"
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
    report = (tmp_path / "report.html").read_text("utf-8")
    assert "<svg" in report
    assert "<td>northwest</td>" in report


@pytest.mark.parametrize("page", [README, HOWTO], ids=["readme", "howto"])
async def test_a_file_is_asked_about_as_printed_and_again(
    local: Served, tmp_path: Path, page: str
) -> None:
    blocks = [block for kind, block in BLOCK.findall(page) if kind == "sh" and "sales" in block]

    once = b"".join([await run_printed(block, local, tmp_path) for block in blocks])
    again = b"".join([await run_printed(block, local, tmp_path) for block in blocks])

    for result in (once, again):
        assert b'"table_name":"sales",' in result.replace(b" ", b"")
        assert b"vega_lite" in result
        assert b"warning" not in result


def test_all_pages_write_the_same_file_outside_the_working_folder() -> None:
    written = [re.findall(r"printf .*sales\.csv", page) for page in (README, HOWTO, PAGE)]
    left = [re.findall(r"(?:> |-o )(?!/tmp/)\S+", block) for _, block in BLOCK.findall(PAGE)]

    assert written[0] == written[1] == written[2]
    assert [len(commands) for commands in written] == [1, 1, 1]
    assert not any(left)


@pytest.mark.parametrize("word", ["execute_python", "X-Workspace-Id", "refresh-derived-data"])
def test_the_page_names_what_clients_need(word: str) -> None:
    assert word in PAGE
