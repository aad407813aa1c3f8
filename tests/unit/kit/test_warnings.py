"""Deep code warns; the run's stream says it."""

import asyncio

from yarrow.kit.warnings import StreamWarning, collect_stream_warning, collecting_warnings


def test_what_is_collected_is_there_once() -> None:
    with collecting_warnings() as warnings:
        collect_stream_warning("a table is gone", code="TABLE_READ_FAILED")

        assert warnings == [StreamWarning("a table is gone", "TABLE_READ_FAILED")]


def test_outside_of_a_run_nothing_is_collected_and_nothing_fails() -> None:  # DF026
    collect_stream_warning("nobody listens", code="X")

    with collecting_warnings() as warnings:
        assert warnings == []


async def test_threads_warn_in_the_run_they_work_for() -> None:
    with collecting_warnings() as warnings:
        await asyncio.to_thread(collect_stream_warning, "deep", code="X")

        assert warnings == [StreamWarning("deep", "X")]
