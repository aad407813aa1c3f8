"""The examples of the page about tables run as printed and answer what is printed below them."""

import asyncio
import re
from pathlib import Path

import pytest
from tests.serving import serving

from yarrow.json_values import JsonValue, decode_json
from yarrow.llm.scripted import ScriptedModel
from yarrow.settings import AuthMode

PAGE = (Path(__file__).parents[3] / "docs" / "protocols" / "tables.md").read_text("utf-8")
PRINTED = "http://127.0.0.1:3000"
BLOCK = re.compile(r"```(sh|jsonl|json)\n(.*?)```", re.DOTALL)


async def run(script: str, folder: Path) -> bytes:
    shell = await asyncio.create_subprocess_exec(
        *("bash", "-euc", script), cwd=folder, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await shell.communicate()
    assert shell.returncode == 0, script
    return said


def lines_of(text: bytes | str) -> list[JsonValue]:
    lines = [decode_json(line) for line in text.splitlines()]
    return [line for line in lines if line["type"] != "progress"]


async def test_the_examples_run_as_printed(dsn: str, tmp_path: Path) -> None:
    compared = 0
    said = b""
    async with serving(
        dsn, model=ScriptedModel(), data_dir=tmp_path / "data", auth=AuthMode.OFF
    ) as served:
        await run(f"curl -s -X POST {served.url}/api/tables/reset-db-file", tmp_path)
        for kind, block in BLOCK.findall(PAGE):
            if kind == "sh":
                said = await run(block.replace(PRINTED, served.url), tmp_path)
                continue
            compared += 1
            read = decode_json if kind == "json" else lines_of
            assert read(said) == read(block)

    assert compared == 5
    assert (tmp_path / "exported.csv").read_text(
        "utf-8-sig"
    ) == "城市,amount\n北京,3\n上海,5\n北京,7\n"
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
    report = (tmp_path / "report.html").read_text("utf-8")
    assert "<svg" in report
    assert "<td>上海</td>" in report


@pytest.mark.parametrize("word", ["execute_python", "X-Workspace-Id", "refresh-derived-data"])
def test_the_page_names_what_clients_need(word: str) -> None:
    assert word in PAGE
