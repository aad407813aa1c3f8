"""A supervised child: ready, asked, killed, started again. And programs that run to their end."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
import uvloop
from tests.waiting import PATIENCE_S, wait_until

from yarrow.kit.child_process import ChildFailed, ChildProcess, run_program

pytestmark = pytest.mark.slow

CHILD = """
import sys, time
import msgspec
from yarrow.kit.frames import read_frame, write_frame

class Word(msgspec.Struct):
    text: str

class Other(msgspec.Struct):
    number: int

out = sys.stdout.buffer
out.write(b"ready " + sys.argv[1].encode() + b"\\n"); out.flush()
while frame := read_frame(sys.stdin.buffer, Word):
    word, body = frame
    match word.text:
        case "die":
            sys.exit(3)
        case "sleep":
            time.sleep(60)
        case "nonsense":
            out.write(b"nonsense"); out.flush()
        case "other":
            write_frame(out, Other(1))
        case _:
            write_frame(out, Word(word.text.upper()), body * 2)
"""


class Word(msgspec.Struct):
    text: str


def child(script: str = CHILD, **options: float) -> ChildProcess:
    return ChildProcess((sys.executable, "-c", script), **options)  # type: ignore[arg-type]


@pytest.fixture
async def running() -> AsyncIterator[ChildProcess]:
    process = child()
    await process.start("x")
    yield process
    await process.kill()


async def ask(process: ChildProcess, text: str, body: bytes = b"") -> tuple[str, bytes]:
    response, answer = await process.request(
        Word(text), body, response=Word, timeout_s=PATIENCE_S, max_body=100
    )
    return response.text, answer


async def test_starting_returns_the_ready_line() -> None:
    process = child()

    assert process.pid is None
    assert await process.start("now") == b"ready now\n"
    assert process.pid is not None
    await process.kill()
    assert process.pid is None


async def test_requests_and_bodies_are_exchanged(running: ChildProcess) -> None:
    assert await ask(running, "hi", b"ab") == ("HI", b"abab")
    assert await ask(running, "again") == ("AGAIN", b"")


@pytest.mark.parametrize("text", ["die", "nonsense", "other"])
async def test_a_child_that_breaks_the_protocol_is_ended_and_can_be_started_again(
    text: str, running: ChildProcess
) -> None:
    with pytest.raises(ChildFailed):
        await ask(running, text)

    assert running.pid is None
    await running.start("y")
    assert await ask(running, "hi") == ("HI", b"")


async def test_a_body_above_the_limit_is_not_read(running: ChildProcess) -> None:
    with pytest.raises(ChildFailed):
        await ask(running, "hi", b"x" * 51)

    assert running.pid is None


async def test_a_timeout_kills_the_child(running: ChildProcess) -> None:
    pid = running.pid
    assert pid is not None

    with pytest.raises(TimeoutError):
        await running.request(Word("sleep"), response=Word, timeout_s=0.1)

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_cancelling_a_request_kills_the_child(running: ChildProcess) -> None:
    asking = asyncio.ensure_future(ask(running, "sleep"))
    await asyncio.sleep(0)

    asking.cancel()
    await asyncio.wait([asking])

    assert running.pid is None


async def test_a_child_that_exits_before_it_is_ready_tells_its_code() -> None:
    with pytest.raises(ChildFailed) as failure:
        await child("raise SystemExit(71)").start()

    assert failure.value.exit_code == 71


async def test_the_last_line_of_stderr_is_kept_if_it_is_captured() -> None:
    process = ChildProcess((sys.executable, "-c", "raise OSError('no luck')"), capture_errors=True)

    with pytest.raises(ChildFailed) as failure:
        await process.start()

    assert failure.value.last_line == "OSError: no luck"


async def test_a_child_that_never_gets_ready_is_killed() -> None:
    process = child("import time; time.sleep(60)", start_timeout_s=0.2)

    with pytest.raises(ChildFailed):
        await process.start()

    assert process.pid is None


async def test_a_first_line_is_sent_before_the_child_is_ready() -> None:
    process = child("import sys; print(sys.stdin.readline()[::-1].strip(), flush=True)")

    assert await process.start(first_line=b"key\n") == b"yek\n"
    await process.stop(grace_s=1)


@pytest.mark.parametrize("script", ["sys.stdin.read()", "time.sleep(60)"])
async def test_stopping_ends_a_child_whether_or_not_it_heeds_its_stdin(script: str) -> None:
    process = child(f"import sys, time\nprint('ready', flush=True)\n{script}")
    await process.start()
    pid = process.pid
    assert pid is not None

    await process.stop(grace_s=0.2)

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_program_gives_its_exit_code_output_and_errors() -> None:
    script = "import os, sys; print(os.environ['WORD']); sys.exit('no')"

    ended = await run_program((sys.executable, "-c", script), env={"WORD": "yes"})

    assert ended == (1, b"yes\n", b"no\n")


def test_servers_run_programs_on_the_loop_of_uvloop() -> None:
    assert uvloop.run(run_program((sys.executable, "-c", "print('yes')"))) == (0, b"yes\n", b"")


async def test_a_program_does_not_outlive_a_cancelled_caller(tmp_path: Path) -> None:
    place = tmp_path / "pid"
    script = (
        f"import os, time; open({str(place)!r}, 'w').write(f'{{os.getpid()}}.'); time.sleep(60)"
    )
    running = asyncio.create_task(run_program((sys.executable, "-c", script)))
    await wait_until(lambda: place.exists() and place.read_text().endswith("."))

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    with pytest.raises(ProcessLookupError):
        os.kill(int(place.read_text()[:-1]), 0)
