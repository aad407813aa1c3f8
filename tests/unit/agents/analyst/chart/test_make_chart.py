"""A program whose table has another name than announced still gives its table."""

import pytest

from yarrow.agents.analyst.chart.make_chart import bind_output


@pytest.mark.parametrize(
    "code, added",
    [
        ("a = 1\nb = 2", "result = b"),
        ("b = 2\n_tmp = 3\npd = 4", "result = b"),
        ("x, y = 1, 2", "result = y"),
        ("t: int = 1", "result = t"),
        ("_only = 1", "result = _only"),
    ],
)
def test_the_last_likely_name_is_taken(code: str, added: str) -> None:
    assert bind_output(code, "result") == f"{code}\n{added}\n"


@pytest.mark.parametrize(
    "code", ["result = 1\nother = 2", "print(1)", "def f(): x = 1", "broken(", "a.b = 1"]
)
def test_a_program_that_names_it_or_nothing_is_left_alone(code: str) -> None:
    assert bind_output(code, "result") == code
