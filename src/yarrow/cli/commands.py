"""The commands, each imported when it is run, and how their errors are printed."""

import sys
from importlib import import_module

import click

from yarrow import __version__
from yarrow.errors import YarrowError

COMMANDS = ("serve", "worker", "derive", "db", "backup", "restore", "doctor", "points")
"""Modules of this package; each has a click command named `command`."""


class _LazyGroup(click.Group):
    """Imports only the module of the command that is run: `serve` starts half a second sooner."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        if cmd_name == "derive":
            # It needs no pydantic, which takes longer to import than a thousand castings.
            return _import_command(cmd_name)
        with import_module("yarrow.cli.defer_imports").defer_import_work():
            return _import_command(cmd_name)


def _import_command(name: str) -> click.Command:
    command: click.Command = import_module(f"yarrow.cli.{name}").command
    return command


@click.command(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="yarrow")
def cli() -> None:
    """Yarrow: one headless backend for conversational AI products."""


def run_command_line() -> None:
    """Run the command that is given. Our own errors are printed as one line, no traceback."""
    try:
        cli()
    except YarrowError as error:
        click.echo(f"yarrow: {error}", err=True)
        sys.exit(1)
