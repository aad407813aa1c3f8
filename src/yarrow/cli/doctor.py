"""`yarrow doctor`: what works on this machine, what is missing, and what to do about it."""

import asyncio
import logging
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import click

from yarrow.attachments.open import check_storage
from yarrow.cli.options import data_dir_option, load_settings
from yarrow.db.embedded.running import start_database
from yarrow.db.migrate import current_revision, head_revision
from yarrow.errors import YarrowError
from yarrow.llm.offline import has_offline_model
from yarrow.llm.open import read_model_endpoint
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import AuthMode, Settings
from yarrow.speech.offline import find_missing
from yarrow.speech.open import read_recogniser_endpoint


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line of the report; the command fails if a `needed` check fails."""

    name: str
    works: bool
    message: str
    needed: bool = False


@click.command("doctor")
@data_dir_option
def command(*, data_dir: Path | None) -> None:
    """Say what works and what is missing."""
    # A failure is a line of the report; log lines of the server would only repeat it.
    logging.getLogger("yarrow").addHandler(logging.NullHandler())
    settings = load_settings(data_dir)
    results = [
        _check_python(),
        _check_database(settings),
        _check_model(settings),
        _check_speech(settings),
        _check_storage(settings),
        _check_sandbox(settings),
        _check_auth(settings),
        _check_telemetry(),
    ]
    for result in results:
        mark = "ok" if result.works else ("FAIL" if result.needed else "off")
        click.echo(f"{mark:>5}  {result.name:<10} {result.message}")
    sys.exit(any(result.needed and not result.works for result in results))


def _check_python() -> CheckResult:
    return CheckResult("python", works=True, message=sys.version.split()[0])


def _check_database(settings: Settings) -> CheckResult:
    kind = "embedded" if settings.database_url is None else "outside"
    if settings.database_url is None and not (settings.data_dir / "postgres").exists():
        message = "embedded, not made yet: `yarrow serve` makes it"
        return CheckResult("database", works=True, message=message, needed=True)
    try:
        with start_database(settings) as running:
            current = asyncio.run(current_revision(running.dsn))
    except (YarrowError, OSError) as error:
        return CheckResult("database", works=False, message=f"{kind}: {error}", needed=True)
    head = head_revision()
    state = "up to date" if current == head else f"schema {current}, `yarrow serve` brings {head}"
    return CheckResult("database", works=True, message=f"{kind}, {state}", needed=True)


def _check_model(settings: Settings) -> CheckResult:
    try:
        endpoint = read_model_endpoint(settings)
    except YarrowError as error:
        return CheckResult("model", works=False, message=str(error), needed=True)
    if endpoint is not None:
        return CheckResult(
            "model", works=True, message=f"{endpoint.model}, at the configured endpoint"
        )
    if not settings.offline_model:
        return CheckResult("model", works=False, message="none: set YARROW_LLM_BASE_URL")
    small = "small talk in English" if has_offline_model() else "pip install 'yarrow[offline]'"
    message = f"none: rules and tools answer, {small}; set YARROW_LLM_BASE_URL for a real one"
    return CheckResult("model", works=has_offline_model(), message=message)


def _check_speech(settings: Settings) -> CheckResult:
    try:
        endpoint = read_recogniser_endpoint(settings)
    except YarrowError as error:
        return CheckResult("speech", works=False, message=str(error), needed=True)
    if endpoint is not None:
        return CheckResult(
            "speech", works=True, message=f"{endpoint.model}, at the configured endpoint"
        )
    if settings.asr_model_path is None:
        message = "none: set YARROW_ASR_BASE_URL, or YARROW_ASR_MODEL_PATH to a Whisper model"
        return CheckResult("speech", works=False, message=message)
    missing = find_missing(settings.asr_model_path)
    if missing is not None:
        return CheckResult("speech", works=False, message=missing)
    return CheckResult("speech", works=True, message=f"offline, {settings.asr_model_path.name}")


def _check_storage(settings: Settings) -> CheckResult:
    """Check the storage settings, without connecting to the store or creating it."""
    try:
        check_storage(settings)
    except YarrowError as error:
        return CheckResult("storage", works=False, message=str(error), needed=True)
    where = "in the data dir" if settings.storage_url is None else "as YARROW_STORAGE_URL says"
    return CheckResult("storage", works=True, message=f"attachments are kept {where}")


def _check_sandbox(settings: Settings) -> CheckResult:
    """Check whether model-written Python can be isolated; without isolation it is off."""
    try:
        reason = asyncio.run(_why_no_python(settings))
    except (YarrowError, OSError) as error:
        return CheckResult("sandbox", works=False, message=str(error))
    if reason is not None:
        return CheckResult("sandbox", works=False, message=f"SQL only, no Python: {reason}")
    return CheckResult("sandbox", works=True, message="SQL and Python, in namespaces of their own")


async def _why_no_python(settings: Settings) -> str | None:
    """Use a temporary folder: a diagnosis must not create the data directory."""
    with tempfile.TemporaryDirectory() as folder:
        async with Sandbox(settings.model_copy(update={"data_dir": Path(folder)})) as sandbox:
            return await sandbox.why_no_python()


def _check_auth(settings: Settings) -> CheckResult:
    if settings.auth is AuthMode.OFF:
        message = "off: one local account, loopback only, runs are free"
        return CheckResult("auth", works=True, message=message)
    issuer = "own accounts" + (" and an outside issuer" if settings.jwks_url else "")
    return CheckResult("auth", works=True, message=f"jwt: {issuer}")


def _check_telemetry() -> CheckResult:
    if find_spec("opentelemetry") and find_spec("opentelemetry.sdk"):
        return CheckResult("telemetry", works=True, message="OpenTelemetry is installed")
    return CheckResult(
        "telemetry", works=False, message="pip install 'yarrow[telemetry]' for traces"
    )
