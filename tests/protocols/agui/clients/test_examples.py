"""The examples of the repository run as printed, with and without accounts."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.own_database import create_database
from tests.protocols.agui.clients.node import HERE, node
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Served, serving
from tests.waiting import PATIENCE_S

from yarrow.llm.scripted import Say
from yarrow.settings import AuthMode

EXAMPLES = Path(__file__).parents[4] / "examples"
ANSWER = "It is long past noon in Tokyo."


@pytest.fixture(params=[AuthMode.JWT, AuthMode.OFF])
async def server(
    postgres: str, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Served]:
    """With a database of its own: a run that another file left would take the script."""
    dsn = await create_database(postgres)
    switchable = SwitchableModel()
    switchable.script([Say(ANSWER, delay_s=0.01)])
    async with serving(dsn, model=switchable, data_dir=tmp_path, auth=request.param) as served:
        yield served


async def output_of(*command: str | Path) -> str:
    """What a program prints; it must succeed."""
    done = await asyncio.to_thread(
        subprocess.run,
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


async def test_curl(server: Served) -> None:
    printed = await output_of(EXAMPLES / "curl.sh", server.url, "What time is it?")

    sections = [line for line in printed.splitlines() if line.startswith("== ")]
    assert sections == [
        "== sign up",
        "== ask: What time is it?",
        "== follow the events",
        "== again, only what comes behind event 4",
        "== points",
        "== history",
    ]
    assert printed.count('"type":"RUN_FINISHED"') == 2
    assert printed.count('"type":"RUN_STARTED"') == 1
    assert f'"content":"{ANSWER}"' in printed
    free = server.product.settings.auth is AuthMode.OFF
    assert ("this server runs without accounts" in printed) is free
    assert ('"balance":80' in printed) is not free


@pytest.mark.parametrize("hang_up_after", ["0", "1", "3"])
async def test_follow(server: Served, hang_up_after: str) -> None:
    options = ["--url", server.url, "--hang-up-after", hang_up_after]

    printed = await output_of(sys.executable, EXAMPLES / "follow.py", "time?", *options)

    assert printed == f"{ANSWER}\n"


def fail(*command: str | Path) -> str:
    """What a program says that fails."""
    parts = [str(part) for part in command]
    done = subprocess.run(parts, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stderr


@pytest.mark.usefixtures("packages")
def test_a_server_that_is_not_there_is_said_in_a_line(unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}"
    client = HERE / "node_modules" / "agui-client.mjs"
    shutil.copy(EXAMPLES / "agui-client.mjs", client)

    followed = fail(sys.executable, EXAMPLES / "follow.py", "time?", "--url", url)
    asked = fail(*node(), client, "time?", url)

    for said in (followed, asked):
        assert said.startswith(f"No server answers at {url}: start one with `make serve`")
        assert said.count("\n") == 1


@pytest.mark.usefixtures("packages")
async def test_agui_client(server: Served) -> None:
    beside_the_packages = HERE / "node_modules" / "agui-client.mjs"
    shutil.copy(EXAMPLES / "agui-client.mjs", beside_the_packages)

    printed = await output_of(*node(), beside_the_packages, "time?", server.url)

    assert printed.splitlines() == [
        ANSWER,
        f'{{"status":"success","answer":"{ANSWER}","error":""}}',
        "user: time?",
        f"assistant: {ANSWER}",
    ]
