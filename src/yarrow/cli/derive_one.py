"""One casting of `yarrow derive`: make it, draw its board, read it."""

import sys
from io import TextIOWrapper
from random import Random, SystemRandom

import click
from msgspec import Struct
from rich.console import Console

from yarrow.cli.board_view import FULL_WIDTH, render_board, render_throws
from yarrow.cli.casting import (
    CoinThrows,
    parse_coins,
    parse_lines,
    parse_time,
    require_utf8,
    throw_six_times,
)
from yarrow.cli.derive_options import METHODS, DeriveOptions
from yarrow.cli.reading_view import render_reading
from yarrow.clock import system_clock
from yarrow.errors import InvalidInput
from yarrow.kit.json import encode_json
from yarrow.language.languages import Language, find_nearest_language
from yarrow.liuyao import (
    Board,
    Cast,
    DayBoundary,
    Derivation,
    Reading,
    board_in_hant,
    build_board,
    build_divination_payload,
    derive,
    draw_svg,
    explain_reading,
    to_output_fields,
    write_reading,
)


class _CastInput(Struct, frozen=True):
    """A cast, and the throws of the coins if there were any."""

    cast: Cast
    throws: CoinThrows | None


def derive_one(options: DeriveOptions) -> None:
    """Cast or take the lines, then print or draw what was asked for."""
    casting = _make_cast(options)
    derivation, language = derive(casting.cast), find_nearest_language(options["lang"])
    board = build_board(derivation)
    if language is Language.HANT:
        board = board_in_hant(board)
    if options["svg"] is not None:
        _write_picture(board, options["svg"])
    if options["as_json"]:
        _print_json(
            _build_reading_output(derivation, language)
            if options["reading"]
            else build_divination_payload(derivation)
        )
    elif options["svg"] != "-":
        reading = (
            None if options["reading"] is False else write_reading(derivation, language=language)
        )
        _print_views(casting, board, reading)


def _make_cast(options: DeriveOptions) -> _CastInput:
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
        throws = throw_six_times(SystemRandom() if seed is None else Random(seed))
    by_hand = lines is not None or coins is not None
    return _CastInput(
        Cast(
            lines=parse_lines(lines or "") if throws is None else throws.lines,
            moment=parse_time(options["time"]) if options["time"] else system_clock().astimezone(),
            question=require_utf8(options["question"], option="--question"),
            question_type=require_utf8(options["question_type"], option="--type"),
            method=METHODS[options["method"] or ("manual" if by_hand else "auto")],
            day_boundary=DayBoundary(options["day_boundary"]),
        ),
        throws,
    )


def _build_reading_output(derivation: Derivation, language: Language) -> dict[str, object]:
    reading = write_reading(derivation, language=language)
    return {
        "divination": build_divination_payload(derivation),
        "reading": to_output_fields(reading),
        "why": explain_reading(reading),
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
