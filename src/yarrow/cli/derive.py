"""`yarrow derive`: cast, look at the board, read it; or derive many castings at once."""

from importlib import import_module
from typing import BinaryIO, Final, Unpack

import click
from click.core import ParameterSource

from yarrow.cli.batch import describe_invalid, write_results
from yarrow.cli.derive_options import METHODS, DeriveOptions
from yarrow.errors import InvalidInput
from yarrow.liuyao.pillars import DayBoundary

_WITH_BATCH: Final = frozenset({"batch", "as_json", "day_boundary"})


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
@click.option("--method", type=click.Choice([*METHODS]), help="How it was cast.")
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
def command(**options: Unpack[DeriveOptions]) -> None:
    """Cast six lines, draw the board and read it. Without options: throw coins, now."""
    if options["batch"] is not None:
        _require_batch_options(_WITH_BATCH)
        _derive_batch(options["batch"], options["day_boundary"])
        return
    # A batch needs no views, and rich takes longer to import than a thousand castings.
    import_module("yarrow.cli.derive_one").derive_one(options)


def _require_batch_options(allowed: frozenset[str]) -> None:
    context = click.get_current_context()
    for option in context.command.params:
        name = option.name or ""
        is_used = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if is_used and name not in allowed:
            raise InvalidInput(f"--batch and {option.opts[-1]} do not go together")


def _derive_batch(castings: BinaryIO, day_boundary: str) -> None:
    with click.open_file("-", "wb") as output:
        invalid = write_results(castings, output, day_boundary=day_boundary)
    if invalid:
        click.echo(describe_invalid(invalid), err=True)
        click.get_current_context().exit(1)
