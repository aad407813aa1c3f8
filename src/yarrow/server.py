"""A process of the product from start to exit: database, migrations, HTTP, signals."""

import asyncio
import gc
import logging
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn

from yarrow.accounts.listen_address import require_safe_binding
from yarrow.app import build_app
from yarrow.db.embedded.running import start_database
from yarrow.db.migrate import upgrade_if_behind
from yarrow.errors import Misconfigured
from yarrow.http.client_limits import BoundedHttpProtocol
from yarrow.http.logs import configure_logs
from yarrow.http.telemetry import export_spans
from yarrow.kit.malloc import return_large_blocks
from yarrow.product import Product, open_product
from yarrow.settings import Settings

log = logging.getLogger("yarrow.server")

GC_THRESHOLDS = (20_000, 4, 4)
"""Thresholds of the three generations (Python's default: 700, 10, 10). Objects of open streams get
into the older ones, and what they leave in cycles stays until these are collected: with 20 and 20
the server grew by 5 MB for 500 streams."""

CLOSE_TIMEOUT_S = 5
MAX_PORT = 65_535


def require_free_port(host: str, port: int) -> None:
    """Raise `Misconfigured` if the port is taken, before a database is started."""
    if not 0 <= port <= MAX_PORT:
        raise Misconfigured(f"--port must be between 0 and {MAX_PORT}, not {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise Misconfigured(
                f"cannot listen on {host} port {port}: {error.strerror}; choose another --port"
            ) from error


class _HttpServer(uvicorn.Server):
    """Without uvicorn's signal handlers, which raise the signal again and skip our clean-up."""

    def __init__(self, config: uvicorn.Config, ready: asyncio.Event) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready.set()
        url = f"http://{self.config.host}:{self.config.port}"
        log.info("server.ready", extra={"url": url})

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve(settings: Settings, *, host: str, port: int, slots: int) -> int:
    """Serve HTTP, and with slots execute runs, until a signal comes or a loop dies.

    Return the exit code.
    """
    require_safe_binding(settings.auth, host)
    require_free_port(host, port)
    ready = asyncio.Event()
    async with _start_product(settings, slots=slots, ready=ready) as (product, stopped):
        server = _HttpServer(
            uvicorn.Config(
                build_app(product),
                host=host,
                port=port,
                http=BoundedHttpProtocol,
                ws="none",
                log_config=None,
                access_log=False,
                lifespan="off",
                server_header=False,
                proxy_headers=bool(settings.trusted_proxies),
                forwarded_allow_ips=list(settings.trusted_proxies),
                timeout_graceful_shutdown=int(settings.drain_s) + CLOSE_TIMEOUT_S,
            ),
            ready,
        )

        tune_gc()

        async def stop_when_requested() -> None:
            await stopped.wait()
            announce_drain(product)
            # Signalled: refuse connections at once. With a dead loop: answer 503 until drained.
            server.should_exit = product.loops.dead_loop is None
            await product.stop()
            server.should_exit = True

        async with asyncio.TaskGroup() as tasks:
            stopping = tasks.create_task(stop_when_requested())
            await server.serve()
            if not stopped.is_set():
                stopping.cancel()
    log.info("server.stopped")
    return _choose_exit_code(product)


class StopSignals:
    """The first signal drains, a second one stops at once; runs are released, never failed."""

    def __init__(self, stopped: asyncio.Event) -> None:
        self.product: Product | None = None
        self._stopped = stopped
        self._task = asyncio.current_task()

    def receive(self) -> None:
        if not self._stopped.is_set():
            self._stopped.set()
        elif self.product is not None:
            log.warning("server.stopping_at_once", extra={"runs": self.product.executions.active})
            self.product.executions.release_all()
        elif self._task is not None:
            self._task.cancel()


def announce_drain(product: Product) -> None:
    """Say how long running runs may finish, and how to stop at once."""
    runs, seconds = product.executions.active, product.settings.drain_s
    if runs:
        hint = f"waiting up to {seconds:g} s for running runs; press Ctrl-C again to stop at once"
        log.info("server.draining", extra={"runs": runs, "hint": hint})


def tune_gc() -> None:
    """Exempt the objects of start-up from garbage collection, and collect less often: a run
    makes thousands of objects and leaves few of them in cycles."""
    gc.collect()
    gc.freeze()
    # A full collection waits until a quarter of what the last one kept is new: now of nothing,
    # before of all modules.
    gc.collect()
    gc.set_threshold(*GC_THRESHOLDS)


async def run_worker(settings: Settings, *, slots: int) -> int:
    """Execute runs without HTTP until a signal comes or a loop dies; return the exit code."""
    async with _start_product(settings, slots=slots) as (product, stopped):
        log.info("worker.started", extra={"slots": slots})
        await stopped.wait()
        announce_drain(product)
        await product.stop()
    log.info("worker.stopped")
    return _choose_exit_code(product)


def _choose_exit_code(product: Product) -> int:
    return 0 if product.loops.dead_loop is None else 1


@asynccontextmanager
async def _start_product(
    settings: Settings, *, slots: int, ready: asyncio.Event | None = None
) -> AsyncIterator[tuple[Product, asyncio.Event]]:
    """Start database and product; the event is set by a signal or by the death of a loop."""
    configure_logs(settings)
    return_large_blocks()
    stopped = asyncio.Event()
    signals = StopSignals(stopped)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, signals.receive)
    with export_spans(settings.otlp_endpoint), start_database(settings) as running:
        await upgrade_if_behind(running.dsn)
        async with (
            open_product(settings, running.dsn, slots=slots, ready=ready) as product,
            product.loops.running(
                keep_database_alive=running.keep_alive(), keep_reserve=running.keep_reserve()
            ),
        ):
            signals.product = product
            product.loops.on_death(stopped.set)
            yield product, stopped
