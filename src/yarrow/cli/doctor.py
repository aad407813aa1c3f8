"""`yarrow doctor`: what works on this machine, what is missing, and what to do about it."""

import asyncio
import logging
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import click

from yarrow.attachments.choose import check_storage
from yarrow.cli.options import data_dir_option, settings_for
from yarrow.db.embedded.running import start_database
from yarrow.db.migrate import current_revision, head_revision
from yarrow.errors import YarrowError
from yarrow.llm.choose import read_endpoint
from yarrow.llm.offline import offline_model_available
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import AuthMode, Settings
from yarrow.speech.choose import read_speech_endpoint
from yarrow.speech.offline import find_missing


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; `needed` findings that fail make the command fail."""

    name: str
    works: bool
    says: str
    needed: bool = False


@click.command("doctor")
@data_dir_option
def command(*, data_dir: Path | None) -> None:
    """Say what works and what is missing."""
    # What fails is a line of the report; what the server would log about it is not.
    logging.getLogger("yarrow").addHandler(logging.NullHandler())
    settings = settings_for(data_dir)
    findings = [
        _python(),
        _database(settings),
        _model(settings),
        _speech(settings),
        _storage(settings),
        _sandbox(settings),
        _auth(settings),
        _telemetry(),
    ]
    for finding in findings:
        mark = "ok" if finding.works else ("FAIL" if finding.needed else "off")
        click.echo(f"{mark:>5}  {finding.name:<10} {finding.says}")
    sys.exit(any(finding.needed and not finding.works for finding in findings))


def _python() -> Finding:
    return Finding("python", works=True, says=sys.version.split()[0])


def _database(settings: Settings) -> Finding:
    kind = "embedded" if settings.database_url is None else "outside"
    if settings.database_url is None and not (settings.data_dir / "postgres").exists():
        says = "embedded, not made yet: `yarrow serve` makes it"
        return Finding("database", works=True, says=says, needed=True)
    try:
        with start_database(settings) as running:
            current = asyncio.run(current_revision(running.dsn))
    except (YarrowError, OSError) as error:
        return Finding("database", works=False, says=f"{kind}: {error}", needed=True)
    head = head_revision()
    state = "up to date" if current == head else f"schema {current}, `yarrow serve` brings {head}"
    return Finding("database", works=True, says=f"{kind}, {state}", needed=True)


def _model(settings: Settings) -> Finding:
    try:
        endpoint = read_endpoint(settings)
    except YarrowError as error:
        return Finding("model", works=False, says=str(error), needed=True)
    if endpoint is not None:
        return Finding("model", works=True, says=f"{endpoint.model}, at the configured endpoint")
    if settings.offline_model and offline_model_available():
        return Finding(
            "model", works=True, says="the offline one: English only, for trying things out"
        )
    return Finding(
        "model", works=False, says="none: set YARROW_LLM_BASE_URL, or run `make setup` again"
    )


def _speech(settings: Settings) -> Finding:
    try:
        endpoint = read_speech_endpoint(settings)
    except YarrowError as error:
        return Finding("speech", works=False, says=str(error), needed=True)
    if endpoint is not None:
        return Finding("speech", works=True, says=f"{endpoint.model}, at the configured endpoint")
    if settings.asr_model_path is None:
        says = "none: set YARROW_ASR_BASE_URL, or YARROW_ASR_MODEL_PATH to a Whisper model"
        return Finding("speech", works=False, says=says)
    missing = find_missing(settings.asr_model_path)
    if missing is not None:
        return Finding("speech", works=False, says=missing)
    return Finding("speech", works=True, says=f"offline, {settings.asr_model_path.name}")


def _storage(settings: Settings) -> Finding:
    """Whether the store can be used as it is written; it is not asked anything, nor made."""
    try:
        check_storage(settings)
    except YarrowError as error:
        return Finding("storage", works=False, says=str(error), needed=True)
    where = "in the data dir" if settings.storage_url is None else "as YARROW_STORAGE_URL says"
    return Finding("storage", works=True, says=f"attachments are kept {where}")


def _sandbox(settings: Settings) -> Finding:
    """Whether Python that a model wrote can be locked up; without that, none is run."""
    try:
        reason = asyncio.run(_why_no_python(settings))
    except (YarrowError, OSError) as error:
        return Finding("sandbox", works=False, says=str(error))
    if reason is not None:
        return Finding("sandbox", works=False, says=f"SQL only, no Python: {reason}")
    return Finding("sandbox", works=True, says="SQL and Python, in namespaces of their own")


async def _why_no_python(settings: Settings) -> str | None:
    """Tried in a folder of its own: a look at the machine should not make a data dir."""
    with tempfile.TemporaryDirectory() as folder:
        async with Sandbox(settings.model_copy(update={"data_dir": Path(folder)})) as sandbox:
            return await sandbox.why_no_python()


def _auth(settings: Settings) -> Finding:
    if settings.auth is AuthMode.OFF:
        says = "off: one local account, loopback only, runs are free"
        return Finding("auth", works=True, says=says)
    issuer = "own accounts" + (" and an outside issuer" if settings.jwks_url else "")
    return Finding("auth", works=True, says=f"jwt: {issuer}")


def _telemetry() -> Finding:
    if find_spec("opentelemetry") and find_spec("opentelemetry.sdk"):
        return Finding("telemetry", works=True, says="OpenTelemetry is installed")
    return Finding("telemetry", works=False, says="pip install 'yarrow[telemetry]' for traces")
