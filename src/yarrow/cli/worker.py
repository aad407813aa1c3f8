"""`yarrow worker`: runs without an API."""

import sys
from pathlib import Path

import click
import uvloop

from yarrow import server
from yarrow.cli.options import data_dir_option, load_settings
from yarrow.operations.preflight import require_valid_settings


@click.command("worker")
@data_dir_option
def command(*, data_dir: Path | None) -> None:
    """Execute runs without serving the API."""
    settings = load_settings(data_dir)
    require_valid_settings(settings)
    sys.exit(uvloop.run(server.run_worker(settings, slots=settings.worker_slots)))
