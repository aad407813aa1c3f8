"""Files and functions stay small enough to be read at once. The figures: `docs/decisions/`."""

from statistics import median

from tests.architecture.source import modules

FILE_MAX = 400
FILE_MEDIAN_MAX = 150
FUNCTION_MAX = 50
ENGINE_MAX = 3_200
"""`runs/` is the engine and nothing else: what is not needed to move a run forward has a place
of its own."""


def test_no_file_is_longer_than_400_lines() -> None:
    long = {m.path: m.lines for m in modules() if m.lines > FILE_MAX}

    assert long == {}


def test_the_middle_file_has_at_most_150_lines() -> None:
    lengths = [module.lines for module in modules() if module.name != "__init__"]

    assert median(lengths) <= FILE_MEDIAN_MAX


def test_no_function_is_longer_than_50_lines() -> None:
    long = [
        f"{module.at(function)} {function.name}: {length} lines"
        for module in modules()
        for function in module.functions()
        if (length := (function.end_lineno or 0) - function.lineno + 1) > FUNCTION_MAX
    ]

    assert long == []


def test_the_engine_has_at_most_3200_lines() -> None:
    lines = sum(module.lines for module in modules() if module.path.startswith("runs/"))

    assert 2_000 < lines <= ENGINE_MAX
