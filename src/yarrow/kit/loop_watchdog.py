"""A thread that notices when the event loop is blocked, and says by what.

The loop writes the time into a field four times a second. A thread compares it with the clock: if
it is too old, one callback holds the loop, and the thread takes its stack. Where the thread did
not run either, two causes are told apart by the processor time of the loop's thread: C code that
held the GIL counts as a block, a process that was stopped or starved does not.
"""

import asyncio
import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable, Coroutine

from msgspec import Struct, field
from prometheus_client import CollectorRegistry, Counter

log = logging.getLogger("yarrow.loop")

TICK_S = 0.25
BLOCKED_S = 0.5
"""Shorter blocks are not reported."""
ATTEND_S = 2.0
"""After this time the block is handed to the `on_block` function; half of a worker's lease."""
PAUSED_SHARE = 0.1
"""A thread that holds the GIL gets more of a core than this, on a busy machine too."""
STACK_FRAMES = 12


class LoopBlock(Struct):
    """A block of the event loop, as seen by the watchdog's thread."""

    since: float
    task: str
    """The name of the task that holds the loop."""
    stack: str
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.since


OnBlock = Callable[[LoopBlock], Coroutine[None, None, None]]
"""What is done during a long block, in an event loop of the watchdog's thread."""


class LoopWatchdog:
    """Logs and counts the blocks of one event loop."""

    def __init__(self, registry: CollectorRegistry, *, on_block: OnBlock | None = None) -> None:
        self._on_block = on_block
        self._ticked = 0.0
        self._stopped = threading.Event()
        self._blocks = Counter(
            "yarrow_loop_blocks",
            f"Times that one callback held the event loop for more than {BLOCKED_S} s.",
            registry=registry,
        )
        self._seconds = Counter(
            "yarrow_loop_blocked_seconds", "Time spent in those blocks.", registry=registry
        )

    async def watch(self) -> None:
        """Loop: run the thread, and show it that the event loop runs."""
        self._ticked = time.monotonic()
        watching = _Watching(
            asyncio.get_running_loop(), threading.get_ident(), _find_thread_clock()
        )
        thread = threading.Thread(
            target=self._watch_loop, args=(watching,), name="loop watchdog", daemon=True
        )
        thread.start()
        try:
            while True:
                self._ticked = time.monotonic()
                await asyncio.sleep(TICK_S)
        finally:
            self._stopped.set()

    def _watch_loop(self, watching: "_Watching") -> None:
        checked, used = time.monotonic(), watching.cpu_seconds()
        while not self._stopped.wait(TICK_S):
            now, now_used = time.monotonic(), watching.cpu_seconds()
            slept, worked = now - checked - TICK_S, now_used - used
            checked, used = now, now_used
            if slept > BLOCKED_S and worked < slept * PAUSED_SHARE:
                log.warning("process.paused", extra={"seconds": round(slept, 1)})
            elif slept > BLOCKED_S:
                # It held the GIL. What it called has just returned, so the stack still shows it.
                self._report_block(LoopBlock(now - slept, *watching.inspect()), slept)
            elif now - self._ticked > TICK_S + BLOCKED_S:
                self._follow_block(
                    LoopBlock(self._ticked, *watching.inspect()), ticked=self._ticked
                )
                checked, used = time.monotonic(), watching.cpu_seconds()

    def _follow_block(self, block: LoopBlock, *, ticked: float) -> None:
        """Wait for the end of a block, and report it."""
        attending: threading.Thread | None = None
        while self._ticked == ticked and not self._stopped.wait(TICK_S):
            if attending is None and self._on_block is not None and block.seconds > ATTEND_S:
                attending = threading.Thread(
                    target=asyncio.run,
                    args=(self._on_block(block),),
                    name="blocked loop",
                    daemon=True,
                )
                attending.start()
        block.ended.set()
        self._report_block(block, block.seconds)

    def _report_block(self, block: LoopBlock, seconds: float) -> None:
        self._blocks.inc()
        self._seconds.inc(seconds)
        log.warning(
            "loop.blocked",
            extra={"seconds": round(seconds, 2), "task": block.task, "stack": block.stack},
        )


class _Watching(Struct, frozen=True):
    """The loop's thread, seen from another one."""

    loop: asyncio.AbstractEventLoop
    thread: int
    clock: int | None

    def cpu_seconds(self) -> float:
        return time.process_time() if self.clock is None else time.clock_gettime(self.clock)

    def inspect(self) -> tuple[str, str]:
        """The name of the running task, and the innermost frames of the thread."""
        task = asyncio.current_task(self.loop)
        frame = sys._current_frames().get(self.thread)
        stack = traceback.extract_stack(frame)[-STACK_FRAMES:] if frame is not None else []
        frames = " < ".join(f"{at.filename}:{at.lineno} {at.name}" for at in reversed(stack))
        return (task.get_name() if task is not None else "", frames)


def _find_thread_clock() -> int | None:
    """The clock of this thread's processor time; None where the system has none."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return None
    return time.pthread_getcpuclockid(threading.get_ident())
