"""Names of scratch files: whatever a client calls a file, it stays in its folder."""

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarrow.tables.errors import ScratchPathDenied
from yarrow.tables.scratch import make_safe_name, parse_scratch_name


@given(st.text())
def test_a_safe_name_is_one_visible_part_of_a_path(given_name: str) -> None:
    name = make_safe_name(given_name)

    assert PurePosixPath(name).parts == (name,)
    assert not name.startswith(".")
    assert 0 < len(name.encode("utf-8", "surrogatepass")) <= 180
    assert make_safe_name(name) == name


@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        ("销售 2026.csv", "销售 2026.csv"),
        ("C:\\Users\\me\\data.xlsx", "data.xlsx"),
        ("a/b/.env", "env"),
        ("what?*.csv", "what_.csv"),
        ("", "file"),
    ],
)
def test_a_name_keeps_its_words_in_any_script(given_name: str, name: str) -> None:
    assert make_safe_name(given_name) == name


@given(st.text())
def test_a_path_means_a_name_here_or_is_denied(path: str) -> None:
    try:
        name = parse_scratch_name(path)
    except ScratchPathDenied:
        return
    assert "/" not in name
    assert name not in ("..",)


@pytest.mark.parametrize("path", ["a.csv", "scratch/a.csv", "./a.csv", "scratch/./a.csv"])
def test_a_name_may_have_the_folder_before_it(path: str) -> None:
    assert parse_scratch_name(path) == "a.csv"


@pytest.mark.parametrize(
    "path", ["", "  ", "..", "/a", "\\a", "a/../b", "C:/a", "a\0b", "//host/x"]
)
def test_a_path_that_leads_elsewhere_is_denied(path: str) -> None:
    with pytest.raises(ScratchPathDenied):
        parse_scratch_name(path)
