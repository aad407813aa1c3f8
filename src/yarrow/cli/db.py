"""`yarrow db`: where the database is, and its schema."""

import asyncio
from pathlib import Path

import click

from yarrow.cli.options import data_dir_option, load_settings
from yarrow.db.embedded.running import start_database
from yarrow.db.migrate import upgrade_if_behind


@click.group("db")
def command() -> None:
    """Show or upgrade the database."""


@command.command("url")
@data_dir_option
def url(*, data_dir: Path | None) -> None:
    """Print the DSN; an embedded server is started for a moment if it is not running."""
    with start_database(load_settings(data_dir)) as running:
        click.echo(running.dsn)


@command.command("upgrade")
@data_dir_option
def upgrade(*, data_dir: Path | None) -> None:
    """Bring the database to the newest schema."""
    with start_database(load_settings(data_dir)) as running:
        changed = asyncio.run(upgrade_if_behind(running.dsn))
    click.echo("upgraded" if changed else "already up to date")
