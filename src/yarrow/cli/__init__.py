"""The command line. Each command is a module of its own, loaded when it is called."""

import gc
import sys
from importlib import import_module

import click

from yarrow import __version__
from yarrow.errors import YarrowError

COMMANDS = ("serve", "worker", "derive", "db", "doctor", "points")
"""Modules beside this one; each has a click command `command`."""


class _ByModule(click.Group):
    """A group that imports only what is asked for: `serve` starts half a second sooner."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        # A thousand modules make no garbage, and looking for it takes a tenth of the time.
        gc.disable()
        try:
            command: click.Command = import_module(f"{__name__}.{cmd_name}").command
        finally:
            gc.freeze()
            gc.enable()
        return command


@click.command(cls=_ByModule, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="yarrow")
def cli() -> None:
    """Yarrow: one headless backend for conversational AI products."""


def main() -> None:
    """Run the command line; what we raise on purpose is told in one line."""
    try:
        cli()
    except YarrowError as error:
        click.echo(f"yarrow: {error}", err=True)
        sys.exit(1)
