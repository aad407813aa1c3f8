"""`yarrow doctor`: print what works on this machine, what is missing, and what to do about it."""

import asyncio
import logging
import sys
import tempfile
from pathlib import Path

import click

from yarrow.cli.options import data_dir_option, load_settings
from yarrow.db.embedded.running import start_database
from yarrow.db.migrate import check_server, read_current_revision
from yarrow.errors import YarrowError
from yarrow.operations.doctor import describe_database, report_error, run_checks
from yarrow.operations.findings import Finding
from yarrow.operations.model import CheckResult
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import Settings


@click.command("doctor")
@data_dir_option
def command(*, data_dir: Path | None) -> None:
    """Say what works and what is missing."""
    # A failure is a line of the report; log lines of the server would only repeat it.
    logging.getLogger("yarrow").addHandler(logging.NullHandler())
    settings = load_settings(data_dir)
    database = _check_database(settings)
    results = asyncio.run(
        run_checks(settings, database=database, why_no_python=lambda: _explain_no_python(settings))
    )
    for result in results:
        mark = "ok" if result.works else ("FAIL" if result.needed else "off")
        click.echo(f"{mark:>5}  {result.name:<10} {result.message}")
    sys.exit(any(result.needed and not result.works for result in results))


def _check_database(settings: Settings) -> CheckResult:
    kind = "embedded" if settings.database_url is None else "outside"
    if settings.database_url is None and not (settings.data_dir / "postgres").exists():
        message = "embedded, not made yet: `yarrow serve` makes it"
        return CheckResult(
            "database", works=True, finding=Finding.OTHER, facts={"text": message}, needed=True
        )
    try:
        with start_database(settings) as running:
            current = asyncio.run(read_current_revision(running.dsn))
            version = asyncio.run(check_server(running.dsn))
    except (YarrowError, OSError) as error:
        return report_error("database", f"{kind}: {error}")
    return describe_database(kind, version, current)


async def _explain_no_python(settings: Settings) -> str | None:
    """Use a temporary folder: a diagnosis must not create the data directory."""
    with tempfile.TemporaryDirectory() as folder:
        async with Sandbox(settings.model_copy(update={"data_dir": Path(folder)})) as sandbox:
            return await sandbox.why_no_python()
