"""`yarrow derive`: cast, look at the board, read it; or derive many castings at once."""

import sys
from dataclasses import dataclass
from io import TextIOWrapper
from random import Random, SystemRandom
from typing import BinaryIO, Final, Literal, TypedDict, Unpack

import click
from click.core import ParameterSource
from rich.console import Console

from yarrow.cli.batch import derive_lines
from yarrow.cli.board_view import FULL_WIDTH, render_board, render_throws
from yarrow.cli.casting import (
    CoinThrows,
    parse_coins,
    parse_lines,
    parse_time,
    require_utf8,
    throw_coins,
)
from yarrow.cli.reading_view import render_reading
from yarrow.clock import system_clock
from yarrow.errors import InvalidInput
from yarrow.kit.json import encode_json
from yarrow.kit.language import Language, nearest_language
from yarrow.liuyao import (
    Board,
    Cast,
    DayBoundary,
    Derivation,
    Reading,
    board_in_hant,
    build_board,
    derive,
    draw_svg,
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


class _DeriveOptions(TypedDict):
    """The options as click passes them."""

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
class _CastInput:
    """A cast, and the throws of the coins if there were any."""

    cast: Cast
    throws: CoinThrows | None


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
def command(**options: Unpack[_DeriveOptions]) -> None:
    """Cast six lines, draw the board and read it. Without options: throw coins, now."""
    if options["batch"] is not None:
        _require_batch_options(_WITH_BATCH)
        _derive_batch(options["batch"], options["day_boundary"])
        return
    casting = _make_cast(options)
    derivation, language = derive(casting.cast), nearest_language(options["lang"])
    board = build_board(derivation)
    if language is Language.HANT:
        board = board_in_hant(board)
    if options["svg"] is not None:
        _write_picture(board, options["svg"])
    if options["as_json"]:
        _print_json(
            _with_reading(derivation, language) if options["reading"] else to_payload(derivation)
        )
    elif options["svg"] != "-":
        reading = None if options["reading"] is False else read(derivation, language=language)
        _print_views(casting, board, reading)


def _require_batch_options(allowed: frozenset[str]) -> None:
    context = click.get_current_context()
    for option in context.command.params:
        name = option.name or ""
        is_used = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if is_used and name not in allowed:
            raise InvalidInput(f"--batch and {option.opts[-1]} do not go together")


def _make_cast(options: _DeriveOptions) -> _CastInput:
    lines, coins, seed = options["lines"], options["coins"], options["seed"]
    used = [f"--{name}" for name in ("lines", "coins", "seed") if options[name] is not None]
    if len(used) > 1:
        raise InvalidInput(f"{used[0]} and {used[1]} do not go together")
    if options["svg"] == "-" and options["as_json"]:
        raise InvalidInput("--json and --svg - both want the output")
    throws = None
    if coins is not None:
        throws = parse_coins(coins)
    elif lines is None:
        throws = throw_coins(SystemRandom() if seed is None else Random(seed))
    by_hand = lines is not None or coins is not None
    return _CastInput(
        Cast(
            lines=parse_lines(lines or "") if throws is None else throws.lines,
            moment=parse_time(options["time"]) if options["time"] else system_clock().astimezone(),
            question=require_utf8(options["question"], option="--question"),
            question_type=require_utf8(options["question_type"], option="--type"),
            method=_METHODS[options["method"] or ("manual" if by_hand else "auto")],
            day_boundary=DayBoundary(options["day_boundary"]),
        ),
        throws,
    )


def _derive_batch(castings: BinaryIO, day_boundary: str) -> None:
    """Print each result at once, so that a program on the other end can wait for it."""
    invalid = 0
    with click.open_file("-", "wb") as output:
        for is_valid, line in derive_lines(castings, day_boundary=day_boundary):
            output.write(line + b"\n")
            output.flush()
            invalid += not is_valid
    if invalid:
        click.echo(f"yarrow: {invalid} wrong line{'s' * (invalid > 1)}", err=True)
        click.get_current_context().exit(1)


def _with_reading(derivation: Derivation, language: Language) -> dict[str, object]:
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


def _print_views(casting: _CastInput, board: Board, reading: Reading | None) -> None:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    console = Console(highlight=False)
    if casting.throws is not None:
        console.print(render_throws(casting.throws, board))
        console.print()
    console.print(render_board(board, width=console.width))
    if reading is not None:
        console.print()
        console.print(render_reading(reading, width=min(console.width, FULL_WIDTH)))
