"""Times of different packages that must fit the lease of a worker."""

from datetime import timedelta

from yarrow.db.pool import IDLE_IN_TRANSACTION
from yarrow.http.idempotency import ABANDONED_AFTER
from yarrow.kit.loop_watchdog import ATTEND_S
from yarrow.runs.recovery import HEARTBEAT_S, LEASE, START_GRACE


def test_a_lease_outlives_missed_heartbeats_and_the_start_of_a_run() -> None:
    assert timedelta(seconds=3 * HEARTBEAT_S) < LEASE
    assert START_GRACE < LEASE


def test_a_frozen_worker_has_no_transaction_left_when_its_runs_are_taken_over() -> None:
    assert timedelta(seconds=int(IDLE_IN_TRANSACTION.removesuffix("s"))) <= LEASE


def test_a_blocked_loop_is_seen_while_its_worker_has_the_lease() -> None:
    assert timedelta(seconds=ATTEND_S) < LEASE


def test_a_repeated_request_takes_over_after_the_run_was_taken_over() -> None:
    assert ABANDONED_AFTER > LEASE
