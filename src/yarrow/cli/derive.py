"""`yarrow derive`: cast, look at the board, read it; or derive many castings at once."""

import sys
from dataclasses import dataclass
from io import TextIOWrapper
from random import Random, SystemRandom
from typing import BinaryIO, Final, Literal, TypedDict, Unpack

import click
from click.core import ParameterSource
from rich.console import Console

from yarrow.cli.batch import derive_each
from yarrow.cli.board_view import FULL_WIDTH, board_view, throw_view
from yarrow.cli.casting import (
    Thrown,
    parse_coins,
    parse_lines,
    parse_time,
    require_utf8,
    throw_coins,
)
from yarrow.cli.reading_view import reading_view
from yarrow.clock import system_clock
from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, encode_json
from yarrow.liuyao import (
    Board,
    Cast,
    DayBoundary,
    Derivation,
    Language,
    Reading,
    board_in_hant,
    build_board,
    derive,
    draw_svg,
    language_of,
    read,
    to_output,
    to_payload,
    to_why,
)

_METHODS: Final[dict[str, Literal["手动起卦", "自动起卦"]]] = {
    "手动起卦": "手动起卦",
    "manual": "手动起卦",
    "自动起卦": "自动起卦",
    "auto": "自动起卦",
}
_WITH_BATCH: Final = frozenset({"batch", "as_json", "day_boundary"})


class _Given(TypedDict):
    """The options as click hands them over."""

    lines: str | None
    coins: str | None
    seed: int | None
    question: str
    question_type: str
    time: str | None
    method: str | None
    day_boundary: str
    lang: str
    as_json: bool
    reading: bool | None
    svg: str | None
    batch: BinaryIO | None


@dataclass(frozen=True, slots=True)
class _Casting:
    """A cast, and how the coins fell if there were any."""

    cast: Cast
    thrown: Thrown | None


@click.command("derive")
@click.option("--lines", help="Six lines from 初爻 to 上爻: 少阳,少阴,老阳,… or 6-9.")
@click.option("--coins", help="Six throws from 初爻 to 上爻: how many of three coins show 花.")
@click.option("--seed", type=int, help="Throw the same coins again.")
@click.option("-q", "--question", default="问事", show_default=True, help="What is asked.")
@click.option(
    "-t",
    "--type",
    "question_type",
    default="其他",
    show_default=True,
    help="What it is about: 事业, 财运, 感情, …; 其他 goes by the question.",
)
@click.option(
    "--time", help="When, in ISO 8601. Without an offset: the local clock.  [default: now]"
)
@click.option("--method", type=click.Choice([*_METHODS]), help="How it was cast.")
@click.option(
    "--day-boundary",
    type=click.Choice([boundary.value for boundary in DayBoundary]),
    default=DayBoundary.LATE_ZI.value,
    show_default=True,
    help="When the day changes.",
)
@click.option("--lang", type=click.Choice(["zh", "zh-TW", "en"]), default="zh", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the divination object.")
@click.option(
    "--reading/--no-reading", default=None, help="With or without; --json is without by default."
)
@click.option("--svg", metavar="FILE", help="Draw the board as a picture; - is the output.")
@click.option(
    "--batch",
    type=click.File("rb"),
    help="JSON lines of castings in, divination objects out; - is the input.",
)
def command(**given: Unpack[_Given]) -> None:
    """Cast six lines, draw the board and read it. Without options: throw coins, now."""
    if given["batch"] is not None:
        _require_only(_WITH_BATCH)
        _derive_batch(given["batch"], given["day_boundary"])
        return
    casting = _cast(given)
    derivation, language = derive(casting.cast), language_of(given["lang"])
    board = build_board(derivation)
    if language is Language.HANT:
        board = board_in_hant(board)
    if given["svg"] is not None:
        _write_picture(board, given["svg"])
    if given["as_json"]:
        _print_json(_as_json(derivation, language) if given["reading"] else to_payload(derivation))
    elif given["svg"] != "-":
        reading = None if given["reading"] is False else read(derivation, language=language)
        _show(casting, board, reading)


def _require_only(allowed: frozenset[str]) -> None:
    context = click.get_current_context()
    for option in context.command.params:
        name = option.name or ""
        told = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if told and name not in allowed:
            raise InvalidInput(f"--batch and {option.opts[-1]} do not go together")


def _cast(given: _Given) -> _Casting:
    lines, coins, seed = given["lines"], given["coins"], given["seed"]
    told = [f"--{name}" for name in ("lines", "coins", "seed") if given[name] is not None]
    if len(told) > 1:
        raise InvalidInput(f"{told[0]} and {told[1]} do not go together")
    if given["svg"] == "-" and given["as_json"]:
        raise InvalidInput("--json and --svg - both want the output")
    thrown = None
    if coins is not None:
        thrown = parse_coins(coins)
    elif lines is None:
        thrown = throw_coins(SystemRandom() if seed is None else Random(seed))
    by_hand = lines is not None or coins is not None
    return _Casting(
        Cast(
            lines=parse_lines(lines or "") if thrown is None else thrown.lines,
            moment=parse_time(given["time"]) if given["time"] else system_clock().astimezone(),
            question=require_utf8(given["question"], option="--question"),
            question_type=require_utf8(given["question_type"], option="--type"),
            method=_METHODS[given["method"] or ("manual" if by_hand else "auto")],
            day_boundary=DayBoundary(given["day_boundary"]),
        ),
        thrown,
    )


def _derive_batch(castings: BinaryIO, day_boundary: str) -> None:
    """Print as lines arrive, so that a program at the other end may wait for each answer."""
    wrong = 0
    with click.open_file("-", "wb") as output:
        for right, line in derive_each(castings, day_boundary=day_boundary):
            output.write(line + b"\n")
            output.flush()
            wrong += not right
    if wrong:
        click.echo(f"yarrow: {wrong} wrong line{'s' * (wrong > 1)}", err=True)
        click.get_current_context().exit(1)


def _as_json(derivation: Derivation, language: Language) -> JsonObject:
    reading = read(derivation, language=language)
    return {
        "divination": to_payload(derivation),
        "reading": to_output(reading),
        "why": to_why(reading),
    }


def _print_json(value: object) -> None:
    click.echo(encode_json(value))


def _write_picture(board: Board, file: str) -> None:
    try:
        with click.open_file(file, "wb") as picture:
            picture.write(draw_svg(board).encode() + b"\n")
    except OSError as error:
        raise click.FileError(file, error.strerror) from None


def _show(casting: _Casting, board: Board, reading: Reading | None) -> None:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    console = Console(highlight=False)
    if casting.thrown is not None:
        console.print(throw_view(casting.thrown, board))
        console.print()
    console.print(board_view(board, width=console.width))
    if reading is not None:
        console.print()
        console.print(reading_view(reading, width=min(console.width, FULL_WIDTH)))
