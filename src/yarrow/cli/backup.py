"""`yarrow backup`: the database, the files and the secrets of an installation, as one folder."""

import asyncio
from pathlib import Path

import click

from yarrow.cli.options import data_dir_option, load_settings
from yarrow.clock import system_clock
from yarrow.db.embedded.running import start_database
from yarrow.errors import Misconfigured
from yarrow.operations.backup import write_backup
from yarrow.operations.backup_files import LOST_FILES


@click.command("backup")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--allow-missing",
    is_flag=True,
    help="Back up although all files of tables or uploads are missing.",
)
@data_dir_option
def command(*, folder: Path, data_dir: Path | None, allow_missing: bool) -> None:
    """Write a backup to a new FOLDER; the server may run meanwhile.

    It contains the secrets of the installation: keep it private.
    """
    settings = load_settings(data_dir)
    if settings.database_url is None and not (settings.data_dir / "postgres").exists():
        raise Misconfigured(f"there is no database in {settings.data_dir.absolute()}")
    with start_database(settings) as running:
        manifest = asyncio.run(
            write_backup(
                settings,
                running.dsn,
                folder,
                clock=system_clock,
                report=click.echo,
                allow_missing=allow_missing,
            )
        )
    if manifest.missing:
        click.echo(f"warning: {len(manifest.missing)} {LOST_FILES}", err=True)
    for name in manifest.lacks:
        click.echo(f"not in the backup, keep it yourself: {name}")
    click.echo(f"written to {folder}; restore it with `yarrow restore {folder} --data-dir NEW`")
