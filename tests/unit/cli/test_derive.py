"""`yarrow derive` for one cast."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result
from tests.unit.cli.running import CASTINGS, SEED_CAST, options_of, yarrow

from yarrow.cli.commands import cli
from yarrow.errors import InvalidInput


def run(*args: str, columns: int = 80) -> Result:
    return CliRunner(env={"COLUMNS": str(columns)}).invoke(cli, ["derive", *args])


def answer(*args: str) -> Any:
    done = run(*args)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout_bytes)


@pytest.mark.parametrize("row", CASTINGS, ids=lambda row: row["expect"]["question"])
def test_json_is_the_divination_object_of_the_oracle(row):
    printed = answer(*options_of(row), "--json")
    assert {key: printed[key] for key in row["expect"]} == row["expect"]


def test_json_is_one_line_of_plain_chinese_and_nothing_else():
    printed = run(*SEED_CAST, "--json").stdout

    assert printed.count("\n") == 1
    assert "水火既济" in printed


def test_json_with_the_reading_says_why():
    told = answer(*SEED_CAST, "--json", "--reading", "-t", "事业")

    assert list(told) == ["divination", "reading", "why"]
    assert told["divination"] == answer(*SEED_CAST, "--json", "-t", "事业")
    assert told["reading"]["sign_level"] == "下下签"
    assert told["why"]["focus"] == "官鬼"


@pytest.mark.parametrize(
    "lines",
    [
        ("--lines", "少阳 少阴 老阳 少阴 少阳 老阴"),
        ("--lines", "少阳，少阴、老阳少阴少阳老阴"),
        ("--lines", "少陽,少陰,老陽,少陰,少陽,老陰"),
        ("--lines", "7,8,9,8,7,6"),
        ("--lines", "789876"),
        ("--lines", "单拆重拆单交"),
        ("--coins", "1,2,3,2,1,0"),
        ("--coins", "123210"),
    ],
)
def test_lines_may_be_told_in_many_ways(lines):
    told = answer(*lines, *SEED_CAST[2:], "--json")

    assert (told["guaName"], told["targetGuaName"]) == ("水火既济", "风雷益")  # reference 1
    assert told["divinationMethod"] == "手动起卦"


def test_a_bare_call_throws_coins_now():
    done = run("--json")

    assert done.exit_code == 0
    assert json.loads(done.stdout)["divinationMethod"] == "自动起卦"


def test_the_same_seed_throws_the_same_coins():
    first, again, other = (answer("--seed", seed, "--json") for seed in ("1", "1", "2"))

    assert first["binaryCode"] + first["changedBinaryCode"] == (
        again["binaryCode"] + again["changedBinaryCode"]
    )
    assert first["binaryCode"] != other["binaryCode"]


def test_a_throw_is_shown_as_it_fell():
    shown = run("--coins", "123210", "--no-reading").stdout.splitlines()

    assert shown[0].split() == ["初爻", "二爻", "三爻", "四爻", "五爻", "上爻"]
    assert shown[1].split() == ["花字字", "花花字", "花花花", "花花字", "花字字", "字字字"]
    assert shown[2].split() == ["少阳", "少阴", "老阳", "少阴", "少阳", "老阴"]


def test_a_time_without_an_offset_is_of_the_local_clock():
    told = answer("--lines", "789876", "--time", "2026-04-03 20:30", "--json")

    assert told["divinationTime"] == "2026年04月03日 20:30"


def test_the_reading_is_printed_unless_unwanted():
    assert "总断" in run(*SEED_CAST).stdout
    assert "总断" not in run(*SEED_CAST, "--no-reading").stdout


def test_the_reading_follows_the_language():
    english, hant = run(*SEED_CAST, "--lang", "en"), run(*SEED_CAST, "--lang", "zh-TW")

    assert "Advice" in english.stdout
    assert "水火既濟" in hant.stdout
    assert "變卦" in hant.stdout


def test_whoever_may_be_in_danger_is_told_no_level():
    shown = run(*SEED_CAST, "-q", "我不想活了").stdout

    assert "此问不作断" in shown
    assert "中上签" not in shown


def test_picture_is_written_beside_the_board(tmp_path):
    done = run(*SEED_CAST, "--no-reading", "--svg", str(tmp_path / "board.svg"))

    assert "水火既济" in done.stdout
    picture = ET.fromstring((tmp_path / "board.svg").read_bytes())
    assert picture.get("aria-label") == "水火既济之风雷益"


def test_picture_may_be_all_that_is_printed():
    picture = ET.fromstring(run(*SEED_CAST, "--svg", "-").stdout)

    assert picture.get("aria-label") == "水火既济之风雷益"


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--lines", "123456"), "--lines takes 6 7 8 9"),
        (("--lines", "78987"), "5 were given"),
        (("--lines", ""), "0 were given"),
        (("--coins", "123214"), "--coins takes 0 to 3"),
        (("--coins", "1232100"), "7 were given"),
        (("--lines", "789876", "--coins", "123210"), "--lines and --coins"),
        (("--lines", "789876", "--seed", "1"), "--lines and --seed"),
        (("--json", "--svg", "-"), "--json and --svg"),
        (("--time", "2026-04-03"), "--time takes a date and a time"),
        (("--time", "tomorrow"), "--time takes a date and a time"),
        (("--time", "0001-01-01T00:00"), "the time must lie between|takes a date and a time"),
        (("--time", "2200-01-01T00:00"), "the time must lie between"),
        (("-q", " "), "question must not be empty"),
        (("-q", "问" * 301), "at most 300 characters"),
        (("-t", "类" * 33), "at most 32 characters"),
        (("-q", "\udcff"), "--question is not UTF-8 text"),
        (("--batch", "-", "-q", "问"), "--batch and --question do not go together"),
        (("--batch", "-", "--type", "事业"), "--batch and --type do not go together"),
    ],
)
def test_wrong_options_are_refused_with_their_name(args, says):
    done = run(*args)

    assert isinstance(done.exception, InvalidInput)
    with pytest.raises(InvalidInput, match=says):
        raise done.exception


def test_wrong_input_is_told_in_one_line():
    done = yarrow("derive", "--lines", "78")

    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == (
        "yarrow: --lines takes six lines from 初爻 to 上爻, 2 were given\n"
    )


def test_a_picture_that_cannot_be_written_is_told_in_one_line(tmp_path):
    done = run(*SEED_CAST, "--svg", str(tmp_path / "no" / "board.svg"))

    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    assert "No such file" in done.stderr


def test_unknown_words_are_refused_by_the_options():
    assert run("--lang", "fr").exit_code == 2
    assert run("--method", "guess").exit_code == 2
    assert run("--day-boundary", "12:00").exit_code == 2


def test_the_page_about_it_shows_what_is_printed():
    page = (Path(__file__).parents[3] / "docs" / "howto" / "derive.md").read_text("utf-8")
    typed = next(line for line in page.splitlines() if line.startswith("yarrow derive"))

    assert run(*shlex.split(typed)[2:]).stdout in page


@pytest.mark.slow
def test_serving_does_not_load_what_draws_in_the_terminal():
    code = "import sys, yarrow.cli.serve; sys.exit('rich' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
