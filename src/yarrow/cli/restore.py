"""`yarrow restore`: an installation from the folder that `yarrow backup` wrote."""

import asyncio
from pathlib import Path

import click

from yarrow.cli.options import data_dir_option, load_settings
from yarrow.operations.backup_files import LOST_FILES
from yarrow.operations.restore import restore_backup


@click.command("restore")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@data_dir_option
def command(*, folder: Path, data_dir: Path | None) -> None:
    """Restore the backup in FOLDER into a data dir that does not exist yet.

    With YARROW_DATABASE_URL the database there must be empty.
    """
    settings = load_settings(data_dir)
    manifest = asyncio.run(restore_backup(settings, folder, report=click.echo))
    if manifest.missing:
        click.echo(f"warning: {len(manifest.missing)} {LOST_FILES}", err=True)
    for name in manifest.lacks:
        click.echo(f"not in the backup, configure it: {name}")
    counts = ", ".join(f"{count} {name}" for name, count in manifest.rows.items())
    click.echo(f"restored {counts}; serve it with `yarrow serve --data-dir {settings.data_dir}`")
