"""`yarrow derive --batch`: JSON lines in, JSON lines out."""

import gc
import json
import subprocess
import sys
from typing import Any

import pytest
from tests.unit.cli.running import CASTINGS, casting_of, start_yarrow, yarrow
from tests.waiting import PATIENCE_S

from yarrow.cli.batch import derive_json_lines

SEED = casting_of(CASTINGS[0])


def seed_part(payload: Any) -> Any:
    """The fields of the seed; those that were added are tested elsewhere."""
    return {key: payload[key] for key in CASTINGS[0]["expect"]}


def line_of(**changes: object) -> bytes:
    return json.dumps(SEED | changes, ensure_ascii=False).encode()


def answer(line: bytes, *, day_boundary: str = "23:00") -> Any:
    [(_, printed)] = derive_json_lines([line], day_boundary=day_boundary)
    return json.loads(printed)


def test_a_casting_leaves_no_cycles_for_a_collector():
    # A batch runs without one: what is not freed at once stays in memory to its end.
    lines = [line_of(), b"{", b"[]", b"\xff", line_of(yaoLines=[]), line_of(dayBoundary="1")]
    list(derive_json_lines(lines, day_boundary="23:00"))  # fills the caches
    gc.collect()
    gc.disable()
    try:
        list(derive_json_lines(lines * 50, day_boundary="23:00"))

        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.slow
def test_each_line_gives_its_object_in_order():
    given = b"".join(line_of(**casting_of(row)) + b"\n" for row in CASTINGS)
    done = yarrow("derive", "--batch", "-", given=given)

    assert (done.returncode, done.stderr) == (0, b"")
    assert [seed_part(json.loads(line)) for line in done.stdout.splitlines()] == [
        row["expect"] for row in CASTINGS
    ]


@pytest.mark.slow
def test_a_file_is_read_like_the_input(tmp_path):
    (tmp_path / "castings.jsonl").write_bytes(b"\xef\xbb\xbf" + line_of() + b"\r\n\r\n" + line_of())
    done = yarrow("derive", "--json", "--batch", str(tmp_path / "castings.jsonl"))

    printed = [seed_part(json.loads(line)) for line in done.stdout.splitlines()]
    assert printed == [CASTINGS[0]["expect"]] * 2


@pytest.mark.slow
def test_a_wrong_line_keeps_its_place_and_fails_the_command_at_the_end():
    given = b"\n".join([line_of(), b"", b"{", line_of()])
    done = yarrow("derive", "--batch", "-", given=given)

    first, wrong, last = map(json.loads, done.stdout.splitlines())
    assert seed_part(first) == seed_part(last) == CASTINGS[0]["expect"]
    assert wrong["error"]["line"] == 3
    assert (done.returncode, done.stderr) == (1, b"yarrow: 1 wrong line\n")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"nonsense", "malformed"),
        (b"[]", "Expected `object`, got `array`"),
        (b"\xff", "malformed"),
        (b'{"question": "\\ud800 and no other half"}', "surrogate"),
        (line_of(lines=[]), "unknown field `lines`"),
        (b"{}", "missing required field `yaoLines`"),
        (line_of(question=1), "`$.question`"),
        (line_of(question=""), "question must not be empty"),
        (line_of(yaoLines=["少阳"]), "exactly 6 lines"),
        (line_of(yaoLines=["阳"] * 6), "a line must be one of"),
        (line_of(yaoLines=[1] * 6), "`$.yaoLines[0]`"),
        (line_of(divinationTimeIso="2026-04-03T20:30:00"), "RFC 3339"),
        (line_of(divinationMethod="摇卦"), "divinationMethod must be one of"),
        (line_of(dayBoundary="12:00"), "dayBoundary must be"),
        (line_of(dayBoundary=None), "`$.dayBoundary`"),
    ],
)
def test_a_wrong_line_says_what_is_wrong(line, says):
    told = answer(line)

    assert list(told) == ["error"]
    assert told["error"]["line"] == 1
    assert says in told["error"]["message"]


def test_day_boundary_of_a_line_comes_before_that_of_the_command():
    late = {**SEED, "divinationTimeIso": "2026-04-03T23:30:00+08:00"}
    del late["dayBoundary"]
    bare = json.dumps(late).encode()

    assert answer(bare)["ganzhi"]["dayGanZhi"] == "戊申"
    assert answer(bare, day_boundary="00:00")["ganzhi"]["dayGanZhi"] == "丁未"
    own = line_of(**late, dayBoundary="23:00")
    assert answer(own, day_boundary="00:00")["ganzhi"]["dayGanZhi"] == "戊申"


@pytest.mark.slow
def test_each_line_is_answered_before_the_next_is_read():
    process = start_yarrow("derive", "--batch", "-")
    assert process.stdin
    assert process.stdout

    for _ in range(2):
        process.stdin.write(line_of() + b"\n")
        process.stdin.flush()
        assert seed_part(json.loads(process.stdout.readline())) == CASTINGS[0]["expect"]
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0


@pytest.mark.slow
def test_a_reader_that_leaves_is_not_complained_about():
    process = start_yarrow("derive", "--batch", "-")
    assert process.stdout

    process.stdout.close()
    process.stdout = None
    _, errors = process.communicate((line_of() + b"\n") * 2000, timeout=PATIENCE_S)
    assert errors == b""


def test_a_batch_imports_no_slow_package():
    code = (
        "import sys\n"
        "from yarrow.cli import main\n"
        "sys.argv = ['yarrow', 'derive', '--batch', '-']\n"
        "try:\n    main()\nexcept SystemExit as ended:\n    assert not ended.code\n"
        "slow = {'pydantic', 'rich', 'click', 'typing_extensions'}\n"
        "sys.exit(bool(slow & set(sys.modules)))\n"
    )

    assert subprocess.run([sys.executable, "-c", code], input=b"", check=False).returncode == 0
