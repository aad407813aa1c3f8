"""Work on many items leaves the event loop free."""

import threading

from yarrow.kit.threads import FEW_ITEMS, run_in_thread_if_large


async def test_work_on_few_items_stays_in_the_loop() -> None:
    assert await run_in_thread_if_large(FEW_ITEMS, threading.get_ident) == threading.get_ident()


async def test_work_on_many_items_is_done_in_a_thread() -> None:
    assert await run_in_thread_if_large(FEW_ITEMS + 1, threading.get_ident) != threading.get_ident()
