"""From operations to response bodies."""

from yarrow.ids import AccountId
from yarrow.operations.model import (
    AccountOverview,
    CheckResult,
    EventGroup,
    OperationsOverview,
    RunOverview,
    RunSearch,
)
from yarrow.protocols.account.operations import wire


def encode_run(run: RunOverview, operator: AccountId) -> wire.OperatedRunOut:
    return wire.OperatedRunOut(
        id=run.id,
        account_id=run.account_id,
        session_id=run.session_id,
        session_deleted=run.is_session_deleted,
        agent=run.agent,
        status=run.status.value,
        failure=run.failure,
        attempt=run.attempt,
        worker_id=run.worker_id,
        cancel_requested=run.is_cancel_requested,
        own=run.account_id == operator and not run.is_session_deleted,
        created_at=run.created_at,
        started_at=run.started_at,
        ended_at=run.ended_at,
    )


def encode_runs(runs: tuple[RunOverview, ...], operator: AccountId) -> wire.OperatedRunListOut:
    return wire.OperatedRunListOut(runs=[encode_run(run, operator) for run in runs])


def encode_search(search: RunSearch, operator: AccountId) -> wire.RunSearchOut:
    """`next` stays unset behind the last run, and is left out of the response then."""
    runs = [encode_run(run, operator) for run in search.runs]
    if search.next_after is None:
        return wire.RunSearchOut(runs=runs)
    return wire.RunSearchOut(runs=runs, next=search.next_after)


def encode_detail(
    run: RunOverview, events: tuple[EventGroup, ...], operator: AccountId
) -> wire.RunDetailOut:
    groups = [
        wire.EventGroupOut(
            kind=group.kind,
            first_seq=group.first_number,
            last_seq=group.last_number,
            first_at=group.first_at,
            last_at=group.last_at,
            count=group.count,
            text_chars=group.text_chars,
        )
        for group in events
    ]
    return wire.RunDetailOut(run=encode_run(run, operator), events=groups)


def encode_overview(
    overview: OperationsOverview, findings: tuple[CheckResult, ...]
) -> wire.OverviewOut:
    return wire.OverviewOut(
        queued=overview.queued,
        running=overview.running,
        workers=[
            wire.WorkerOut(
                id=worker.id,
                started_at=worker.started_at,
                seen_at=worker.seen_at,
                alive=worker.is_alive,
                runs=worker.run_count,
            )
            for worker in overview.workers
        ],
        last_hour=[
            wire.AgentLoadOut(
                agent=load.agent,
                runs=load.run_count,
                failed=load.failed_count,
                median_s=load.median_s,
                p95_s=load.p95_s,
                input_tokens=load.input_tokens,
                output_tokens=load.output_tokens,
            )
            for load in overview.last_hour
        ],
        sampled=overview.is_sampled,
        findings=[
            wire.FindingOut(
                name=each.name,
                works=each.works,
                message=each.message,
                finding=each.finding.name.lower(),
                facts=dict(each.facts),
            )
            for each in findings
        ],
    )


def encode_checks(results: tuple[CheckResult, ...]) -> wire.DiagnosisOut:
    return wire.DiagnosisOut(
        checks=[
            wire.CheckOut(
                name=each.name,
                works=each.works,
                message=each.message,
                finding=each.finding.name.lower(),
                facts=dict(each.facts),
                needed=each.needed,
            )
            for each in results
        ]
    )


def encode_account(found: AccountOverview) -> wire.FoundAccountOut:
    return wire.FoundAccountOut(
        id=found.id,
        email=found.email,
        balance=found.balance.balance,
        held=found.balance.frozen_balance,
        available=found.balance.available,
    )
