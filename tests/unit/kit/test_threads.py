"""Work on many cells leaves the event loop to others."""

import threading

import pytest

from yarrow.kit.threads import FEW_CELLS, in_thread_if_large


async def test_few_rows_are_worked_on_inline() -> None:
    rows = [{"region": "north", "amount": 1}] * (FEW_CELLS // 2)

    assert await in_thread_if_large(rows, threading.get_ident) == threading.get_ident()


@pytest.mark.parametrize("columns", [1, FEW_CELLS + 1])
async def test_many_values_leave_the_loop_to_others(columns: int) -> None:
    rows = [dict.fromkeys(map(str, range(columns)), 0)] * (FEW_CELLS // columns + 1)

    assert await in_thread_if_large(rows, threading.get_ident) != threading.get_ident()
