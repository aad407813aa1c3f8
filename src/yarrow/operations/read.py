"""Read and act as an operator: runs of all accounts, workers, points."""

from datetime import timedelta
from uuid import UUID

from yarrow.accounts.errors import AccountNotFound
from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.migrate import find_head_revision
from yarrow.ids import RunId, first_uuid
from yarrow.llm.rule_based.model import RULES_MODEL
from yarrow.operations import doctor, store
from yarrow.operations.doctor import ExplainNoPython
from yarrow.operations.event_groups import group_events
from yarrow.operations.findings import Finding
from yarrow.operations.model import (
    AccountOverview,
    CheckResult,
    EventGroup,
    OperationsOverview,
    RunGroup,
    RunOverview,
    RunSearch,
)
from yarrow.points.read import find_balance
from yarrow.runs import cancel
from yarrow.runs.engine import Engine
from yarrow.runs.errors import RunNotFound
from yarrow.runs.executions import Executions
from yarrow.runs.model import RunStatus
from yarrow.runs.recovery import LEASE
from yarrow.runs.store import list_active_runs
from yarrow.settings import Settings

HOUR = timedelta(hours=1)
FAILED_SINCE = timedelta(days=7)
SEARCHED_RUNS = 5_000
"""Runs that one call of a search looks at."""
COUNTED_RUNS = 5_000
"""Runs of the last hour that are summed up; more would make the page slow."""


async def read_overview(engine: Engine) -> OperationsOverview:
    """Read the queue, the workers and the load of the last hour."""
    async with engine.database.connection() as tx:
        active = await store.count_active(tx)
        workers = await store.read_workers(tx, lease=LEASE)
        load = await store.read_load(tx, engine.clock() - HOUR, limit=COUNTED_RUNS)
    return OperationsOverview(
        queued=active.get(RunStatus.QUEUED, 0),
        running=active.get(RunStatus.RUNNING, 0),
        workers=workers,
        last_hour=load,
        is_sampled=sum(each.run_count for each in load) >= COUNTED_RUNS,
    )


async def list_runs(engine: Engine, group: RunGroup, *, limit: int) -> tuple[RunOverview, ...]:
    """List runs of all accounts: active ones, those that failed in a week, or those of an hour."""
    now = engine.clock()
    async with engine.database.connection() as tx:
        match group:
            case RunGroup.ACTIVE:
                return await store.read_active_runs(tx, limit=limit)
            case RunGroup.FAILED:
                return await store.read_failed_runs(tx, now - FAILED_SINCE, limit=limit)
            case RunGroup.RECENT:
                return await store.read_recent_runs(tx, now - HOUR, limit=limit)


async def search_runs(engine: Engine, text: str, *, after: RunId | None, limit: int) -> RunSearch:
    """Find runs of a week by an id, a client's `runId`, an account, agent, status or failure.

    A call looks at a bounded number of runs; `next_after` leads to more.
    """
    async with engine.database.connection() as tx:
        return await store.search_runs(
            tx,
            text,
            since=first_uuid(engine.clock() - FAILED_SINCE),
            before=UUID(int=2**128 - 1) if after is None else after,
            looked_at=SEARCHED_RUNS,
            limit=limit,
        )


async def read_run(engine: Engine, run_id: RunId) -> tuple[RunOverview, tuple[EventGroup, ...]]:
    """Read a run and its events by kind, number and time, without their content."""
    async with engine.database.connection() as tx:
        run = await store.find_run(tx, run_id)
    if run is None:
        raise RunNotFound(str(run_id))
    events = await engine.journal.read_present(run_id)
    if run.ended_at is not None and events:
        events[-1] = events[-1]._replace(at_ms=int(run.ended_at.timestamp() * 1000))
    return run, group_events(events)


async def cancel_run(engine: Engine, executions: Executions, run_id: RunId) -> bool:
    """Cancel a run of any account, also in a deleted session; False when it had already ended."""
    async with engine.database.connection() as tx:
        run = await store.find_run(tx, run_id)
        active = () if run is None else await list_active_runs(tx, run.session_id)
    if run is None:
        raise RunNotFound(str(run_id))
    for row in active:
        if row.ref.id == run_id:
            return await cancel.cancel_run(engine, executions, row)
    return False


async def find_account(engine: Engine, who: str) -> AccountOverview:
    """Find an account by its id or e-mail, with its points."""
    account_id, balance = await find_balance(engine.database, who.strip())
    async with engine.database.connection() as tx:
        if not await store.has_account(tx, account_id):
            raise AccountNotFound(who)
        return AccountOverview(account_id, await store.read_email(tx, account_id), balance)


async def list_findings(engine: Engine, overview: OperationsOverview) -> tuple[CheckResult, ...]:
    """Check what costs nothing, for a page that reads it every few seconds."""
    async with engine.database.connection() as tx:
        version, revision = await store.read_versions(tx)
    head = find_head_revision()
    schema = {"revision": str(revision), "newest": str(head)}
    alive = sum(worker.is_alive for worker in overview.workers)
    workers = {"alive": str(alive), "count": str(len(overview.workers))}
    return (
        CheckResult(
            "database",
            works=True,
            finding=Finding.VERSION,
            facts={"version": f"PostgreSQL {version}"},
        ),
        CheckResult("schema", works=revision == head, finding=Finding.SCHEMA, facts=schema),
        CheckResult("worker", works=alive > 0, finding=Finding.WORKERS, facts=workers),
        _describe_model(engine.model.name),
    )


def _describe_model(name: str) -> CheckResult:
    if name == RULES_MODEL:
        return CheckResult("model", works=True, finding=Finding.RULES)
    return CheckResult("model", works=True, finding=Finding.OTHER, facts={"text": name})


async def diagnose_server(
    engine: Engine, settings: Settings, why_no_python: ExplainNoPython
) -> tuple[CheckResult, ...]:
    """Run the checks of `yarrow doctor` in a running server; the model is asked for one word."""
    kind = "embedded" if settings.database_url is None else "outside"
    try:
        async with engine.database.connection() as tx:
            version, revision = await store.read_versions(tx)
        database = doctor.describe_database(kind, f"PostgreSQL {version}", revision)
    except DatabaseUnavailable as error:
        database = doctor.report_error("database", f"{kind}: {error}")
    return await doctor.run_checks(settings, database=database, why_no_python=why_no_python)
