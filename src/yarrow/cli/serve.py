"""`yarrow serve`: the API, and a worker beside it."""

import sys
from pathlib import Path

import click
import uvloop

from yarrow import server
from yarrow.cli.options import data_dir_option, load_settings
from yarrow.operations.preflight import require_valid_settings


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=3000, show_default=True, help="Port to listen on.")
@data_dir_option
@click.option("--worker/--no-worker", default=True, help="Execute runs in this process too.")
def command(*, host: str, port: int, data_dir: Path | None, worker: bool) -> None:
    """Serve the API, and execute runs unless told not to."""
    settings = load_settings(data_dir)
    require_valid_settings(settings)
    slots = settings.worker_slots if worker else 0
    sys.exit(uvloop.run(server.serve(settings, host=host, port=port, slots=slots)))
