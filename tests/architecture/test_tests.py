"""Tests hold on a busy machine and with the code as it ships: no clocks, no patches."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.architecture.source import PACKAGE

TESTS = Path(__file__).parents[1]
CLOCKS = {"perf_counter", "monotonic", "process_time", "thread_time"}
"""An assertion on elapsed time belongs into `benchmarks/`."""
LIMITS = {"asyncio.timeout", "asyncio.wait_for"}
"""Their seconds are `tests.waiting.PATIENCE_S`; a number of its own is an assertion on speed."""
MIRRORS = {"unit": PACKAGE, "integration": PACKAGE, "protocols": PACKAGE / "protocols"}
OTHER_FOLDERS = {"unit/scripts": "programs beside the package", "protocols/agui/clients": "npm"}
PATCHES = {"monkeypatch.setattr", "monkeypatch.delattr", "patch", "mock.patch", "mocker.patch"}


def calls_of(functions: set[str]) -> Iterator[tuple[str, ast.Call]]:
    for place, call in calls_beside({f"{name}(" for name in functions}):
        if ast.unparse(call.func) in functions:
            yield place, call


def calls_beside(words: set[str]) -> Iterator[tuple[str, ast.Call]]:
    """The calls of all files that have one of the words."""
    for path in sorted(TESTS.rglob("*.py")):
        text = path.read_text()
        # Only a few files have one of the words, and parsing all of them takes seconds.
        if "node_modules" in path.parts or not any(word in text for word in words):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call):
                yield f"{path.relative_to(TESTS)}:{node.lineno}", node


def is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def test_folders_of_tests_are_those_of_the_package() -> None:
    strays = {
        path.parent.relative_to(TESTS).as_posix()
        for folder, package in MIRRORS.items()
        for path in (TESTS / folder).rglob("test_*.py")
        if not (package / path.parent.relative_to(TESTS / folder)).is_dir()
    }

    assert strays == set(OTHER_FOLDERS)


def test_no_test_reads_a_clock_for_elapsed_time() -> None:
    clocks = CLOCKS | {f"time.{name}" for name in CLOCKS}

    assert [place for place, _ in calls_of(clocks)] == []


def test_waiting_has_one_limit() -> None:
    own = [place for place, call in calls_of(LIMITS) if any(map(is_number, call.args))]
    own += [
        place
        for place, call in calls_beside({"timeout="})
        if any(each.arg == "timeout" and is_number(each.value) for each in call.keywords)
    ]

    assert own == []


def test_nothing_of_ours_is_patched() -> None:
    targets = [
        place
        for place, call in calls_of(PATCHES)
        if not (isinstance(call.args[0], ast.Constant) and call.args[0].value == "sys.argv")
    ]

    assert targets == []


def test_no_other_run_of_pytest_can_close_the_folders_of_this_one(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    shared = [each for each in tmp_path_factory.getbasetemp().parts if "pytest-of-" in each]

    assert shared == []
