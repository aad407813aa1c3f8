"""The calls of the how-to work as printed, and the page names every route of the library."""

import asyncio
import re
import subprocess
from collections.abc import AsyncIterator
from functools import reduce
from pathlib import Path

import pytest
from tests.loose_json import decode_json
from tests.serving import Served, serving

from yarrow.llm.scripted import ScriptedModel
from yarrow.settings import AuthMode

DOCS = Path(__file__).parents[3] / "docs"
HOWTO = (DOCS / "howto" / "bring-sillytavern-assets.md").read_text("utf-8")
STORY = (DOCS / "howto" / "tell-a-story.md").read_text("utf-8")
PAGE = (DOCS / "protocols" / "tavern.md").read_text("utf-8")
ADDRESS = "http://127.0.0.1:3000"


@pytest.fixture(scope="module")
async def without_accounts(
    dsn: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    """As `make serve` runs it."""
    folder = tmp_path_factory.mktemp("local")
    async with serving(dsn, model=ScriptedModel(), data_dir=folder, auth=AuthMode.OFF) as served:
        yield served


async def run_blocks(page: str, served: Served, folder: Path) -> list[str]:
    """Run the shell blocks of a page as one script; returns the lines that it prints."""
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    script = "\n".join(blocks).replace(ADDRESS, served.url)
    done = await asyncio.to_thread(
        subprocess.run,
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert len(blocks) > 6
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


async def test_calls_work_as_printed(without_accounts: Served, tmp_path: Path) -> None:
    await run_blocks(HOWTO, without_accounts, tmp_path)

    assert (tmp_path / "portrait.png").read_bytes().startswith(b"\x89PNG")


async def test_a_story_is_told_in_the_calls_of_its_page(
    without_accounts: Served, tmp_path: Path
) -> None:
    printed = await run_blocks(STORY, without_accounts, tmp_path)

    greeting, _chunks, _swiped, chosen, branch, floor_no, fork, sent, _changes, floors = printed
    assert greeting == "Mira looks up from the fire. You are late, Ada."
    assert (chosen, branch, floor_no, fork, floors) == ("True", "river", "2", "1", "3")
    assert "Mira is a ranger. Nights spent awake: 2" in sent
    exported = [decode_json(line) for line in (tmp_path / "fire.jsonl").read_text().splitlines()]
    assert len(exported) == 6
    assert len(exported[-1]["swipes"]) == 2
    assert exported[0]["chat_metadata"]["variables"] == {"nights": "2"}


async def test_page_names_every_route(without_accounts: Served) -> None:
    async with without_accounts.http.get(f"{without_accounts.url}/openapi.json") as answer:
        paths = (await answer.json())["paths"]

    library = {
        (method.upper(), path): operation
        for path, item in paths.items()
        for method, operation in item.items()
        if operation["tags"] == ["library"]
    }
    assert len(library) > 60
    for (method, path), operation in library.items():
        assert shown(path) in PAGE or shown(of_presets(path)) in PAGE, (method, path)
        assert operation["security"] == [{"bearer": []}], path
        assert {"401", "503"} <= operation["responses"].keys(), path


def of_presets(path: str) -> str:
    """One table stands for all five kinds."""
    return re.sub(r"^/(worldbooks|regex-profiles|characters|users)/", "/presets/", path)


def shown(path: str) -> str:
    names = {"{asset_id}": ":id", "{version}": ":version", "{key}": ":identifier"}
    return reduce(lambda text, name: text.replace(name, names[name]), names, path)
