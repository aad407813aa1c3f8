"""The composition root: builds everything from the settings, once."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from decimal import Decimal
from functools import partial

from argon2 import PasswordHasher
from msgspec import Struct, field
from prometheus_client import CollectorRegistry, Counter, Gauge

from yarrow.accounts.authentication import Authentication, build_authentication
from yarrow.accounts.server_secrets import read_encryption_secret, read_signing_secret
from yarrow.agents.analyst.chart.make_chart import make_code_signer
from yarrow.agents.analyst.loader.workspace import LoaderWorkspaces
from yarrow.agents.analyst.workspace import AnalystWorkspaces
from yarrow.agents.assistant.summarise_table import SummariseTable
from yarrow.agents.registry import build_agents
from yarrow.agents.storyteller.agent import Storyteller
from yarrow.agents.storyteller.memory_jobs import MemoryWorker
from yarrow.attachments import sweep as attachment_sweep
from yarrow.attachments.open_storage import open_storage
from yarrow.clock import system_clock
from yarrow.db import Database, open_database
from yarrow.db.notify import Notifications
from yarrow.db.repeat import Step, repeat_step
from yarrow.http import idempotency
from yarrow.ids import WorkerId, new_uuid
from yarrow.journal import Journal, partition_store
from yarrow.journal.snapshot import TokenPrice
from yarrow.kit.cache import LruCache
from yarrow.kit.limiter import Limiter
from yarrow.kit.loop_watchdog import LoopWatchdog
from yarrow.kit.secrets_box import SecretsBox
from yarrow.kit.tasks import BackgroundLoops
from yarrow.llm.allowed_addresses import AllowedAddresses
from yarrow.llm.client_models import ClientModels
from yarrow.llm.endpoint_model import ModelConnections
from yarrow.llm.model import ChatModel
from yarrow.llm.open_model import open_model, read_model_endpoint
from yarrow.memory import sweep as memory_sweep
from yarrow.rendering.renderer import Renderer
from yarrow.runs.blocked_loop import BlockedWorker
from yarrow.runs.engine import Engine
from yarrow.runs.execute import Executor
from yarrow.runs.executions import Executions
from yarrow.runs.recovery import LEASE
from yarrow.runs.worker import Worker
from yarrow.sandbox.sandbox import Sandbox
from yarrow.sessions import purge
from yarrow.settings import AuthMode, MemoryMode, Settings
from yarrow.sources.allowed_hosts import AllowedHosts
from yarrow.sources.connector.process import Connector
from yarrow.sources.sources import Sources
from yarrow.speech.open_recogniser import open_recogniser
from yarrow.speech.recogniser import Recogniser
from yarrow.stories.memories import search_state
from yarrow.stories.model_endpoints.endpoints import ModelEndpoints
from yarrow.stories.model_endpoints.slots import SlotModels
from yarrow.stories.prompts import StoryPrompts
from yarrow.stories.tools.toolbox import StoryToolbox
from yarrow.tables import sweep as table_sweep
from yarrow.tables.model import Tables
from yarrow.tools.cast_hexagram import throw_three_coins
from yarrow.tools.registry import build_tools
from yarrow.web.manual import find_docs_folder

MIB = 1024 * 1024
BUSY_POLL_S = 0.5
IDLE_POLL_S = 30.0
"""How often a worker looks for memory jobs; without `async` only interrupted ones are left."""
KNOWN_SESSIONS = 2_000
"""Of so many sessions a process remembers that they exist."""


class Product(Struct, frozen=True):
    """One process of Yarrow, with or without a worker."""

    settings: Settings
    database: Database
    engine: Engine
    executions: Executions
    worker: Worker | None
    authentication: Authentication
    recogniser: Recogniser
    tables: Tables
    sources: Sources
    prompts: StoryPrompts
    story_tools: StoryToolbox
    model_endpoints: ModelEndpoints
    memory_worker: MemoryWorker
    renderer: Renderer
    registry: CollectorRegistry
    loops: BackgroundLoops = field(default_factory=BackgroundLoops)

    async def stop(self) -> None:
        """Finish or release the running runs, then end every stream."""
        if self.worker is not None:
            await self.worker.stop(self.settings.drain_s)
        self.engine.journal.close_followers()


class EngineParts(Struct, frozen=True):
    """What the engine and its agents are built from, beside the settings."""

    tables: Tables
    sources: Sources
    prompts: StoryPrompts
    story_tools: StoryToolbox
    model: ChatModel
    client_models: ClientModels
    slots: SlotModels


@asynccontextmanager
async def open_product(
    settings: Settings,
    dsn: str,
    *,
    slots: int,
    model: ChatModel | None = None,
    hasher: PasswordHasher | None = None,
    recogniser: Recogniser | None = None,
    sandbox: Sandbox | None = None,
    ready: asyncio.Event | None = None,
) -> AsyncIterator[Product]:
    """Open everything but HTTP; with `slots` 0 this process executes no runs.

    Jobs and sweeps wait for `ready`. Tests pass models, a cheap hasher and a sandbox of their own.
    """
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        database = await enter(open_database(dsn, size=settings.database_pool_size))
        if model is None:
            model = await enter(open_model(settings))
        if recogniser is None:
            recogniser = await enter(open_recogniser(settings))
        tables = _build_tables(settings, database, await enter(sandbox or Sandbox(settings)))
        sources = build_sources(settings, tables)
        registry = CollectorRegistry()
        prompts, tools = _build_prompts(settings, database), _build_story_tools(settings, database)
        client_models = await enter(_open_client_models(settings))
        endpoints = _build_model_endpoints(settings, database, client_models, model)
        parts = EngineParts(tables, sources, prompts, tools, model, client_models, endpoints.slots)
        engine = _build_engine(settings, parts, registry)
        executions = _build_executions(engine, registry, size=slots)
        product = Product(
            settings=settings,
            database=database,
            engine=engine,
            executions=executions,
            worker=Worker(engine, executions) if slots else None,
            authentication=await _build_authentication(settings, database, hasher),
            recogniser=recogniser,
            tables=tables,
            sources=sources,
            prompts=prompts,
            story_tools=tools,
            model_endpoints=endpoints,
            memory_worker=_build_memory_worker(settings, endpoints),
            renderer=await enter(_open_renderer()),
            registry=registry,
        )
        await enter(_run_loops(product, ready))
        yield product


@asynccontextmanager
async def _run_loops(product: Product, ready: asyncio.Event | None) -> AsyncIterator[None]:
    """Run the loops of the engine and, in processes with a worker, of the worker and sweeps."""
    engine, loops = product.engine, product.loops
    blocked = BlockedWorker(engine.database.dsn, engine.worker_id)
    watchdog = LoopWatchdog(
        product.registry, on_block=blocked.keep_lease if product.worker else None
    )
    async with loops.running(
        watch_loop=watchdog.watch(),
        flush_journal=engine.journal.flush(),
        poll_journal=engine.journal.poll(),
        listen=engine.notifications.listen(),
    ):
        if product.worker is None:
            yield
            return
        later = {"take_jobs": product.worker.take_jobs} | {
            name: partial(repeat_step, name, step, pause_s)
            for name, (step, pause_s) in _list_upkeep(product).items()
        }
        waiting = {name: _run_when_ready(ready, loop) for name, loop in later.items()}
        async with product.worker.running(loops), loops.running(**waiting):
            yield


async def _run_when_ready(
    ready: asyncio.Event | None, loop: Callable[[], Coroutine[None, None, None]]
) -> None:
    if ready is not None:
        await ready.wait()
    await loop()


def _list_upkeep(product: Product) -> dict[str, tuple[Step, float]]:
    """Steps that every process with a worker repeats, each with the pause behind it."""
    engine, database, settings = product.engine, product.database, product.settings
    unused = timedelta(hours=settings.attachment_keep_h)
    keep = timedelta(days=settings.journal_keep_days)
    deleted = timedelta(days=settings.deleted_keep_days)
    memory_pause_s = BUSY_POLL_S if settings.memory is MemoryMode.ASYNC else IDLE_POLL_S
    return {
        "sweep_attachments": (
            partial(
                attachment_sweep.sweep_attachments, database, engine.storage, older_than=unused
            ),
            attachment_sweep.PAUSE_S,
        ),
        "sweep_tables": (partial(table_sweep.sweep_all, product.tables), table_sweep.PAUSE_S),
        "sweep_table_files": (
            partial(table_sweep.sweep_orphans, product.tables),
            table_sweep.ORPHANS_PAUSE_S,
        ),
        "work_memory": (product.memory_worker.run_waiting, memory_pause_s),
        "sweep_memory_jobs": (
            partial(memory_sweep.sweep_jobs, database, older_than=keep),
            memory_sweep.PAUSE_S,
        ),
        "purge_sessions": (
            partial(purge.purge_sessions, database, older_than=deleted),
            purge.PAUSE_S,
        ),
        "sweep_idempotency_keys": (
            partial(idempotency.sweep_keys, database),
            idempotency.SWEEP_S,
        ),
        "rotate_journal": (
            partial(partition_store.rotate_journal, database, engine.clock, keep=keep),
            partition_store.PAUSE_S,
        ),
    }


def _build_prompts(settings: Settings, database: Database) -> StoryPrompts:
    has_memory = settings.memory is not MemoryMode.OFF
    return StoryPrompts(database, system_clock, has_memory=has_memory)


def _build_story_tools(settings: Settings, database: Database) -> StoryToolbox:
    if settings.memory is MemoryMode.OFF:
        return StoryToolbox(database, system_clock)
    return StoryToolbox(database, system_clock, search_memory=search_state)


async def _build_authentication(
    settings: Settings, database: Database, hasher: PasswordHasher | None
) -> Authentication:
    return await build_authentication(settings, database, clock=system_clock, hasher=hasher)


def _build_model_endpoints(
    settings: Settings, database: Database, client_models: ClientModels, model: ChatModel
) -> ModelEndpoints:
    box = SecretsBox(read_encryption_secret(settings), purpose="model profiles")
    return ModelEndpoints(database, box, client_models, model)


def _build_memory_worker(settings: Settings, endpoints: ModelEndpoints) -> MemoryWorker:
    return MemoryWorker(
        endpoints.database,
        endpoints.choose_memory_model,
        timeout_s=settings.llm_timeout_ms / 1000,
    )


@asynccontextmanager
async def _open_renderer() -> AsyncIterator[Renderer]:
    renderer = Renderer()
    try:
        yield renderer
    finally:
        await renderer.close()


def _build_tables(settings: Settings, database: Database, sandbox: Sandbox) -> Tables:
    return Tables(
        database,
        sandbox,
        max_bytes=settings.table_max_mb * MIB,
        scratch_bytes=settings.scratch_max_mb * MIB,
        store=None if settings.storage_url is None else open_storage(settings),
        cache_bytes=settings.table_cache_mb * MIB,
    )


def build_sources(settings: Settings, tables: Tables) -> Sources:
    """With accounts, sources are limited to the hosts and folders that the operator names."""
    is_local = settings.auth is AuthMode.OFF
    reach = AllowedHosts(
        hosts=None
        if is_local and not settings.source_allowed_hosts
        else settings.source_allowed_hosts,
        folders=None if is_local and not settings.source_folders else settings.source_folders,
        own_database=tables.database.dsn,
    )
    connector = Connector(
        slots=settings.source_queries,
        per_account=settings.source_queries_per_account,
        timeout_s=settings.source_timeout_s,
        max_rows=settings.source_max_rows,
        max_bytes=tables.max_bytes,
    )
    box = SecretsBox(read_encryption_secret(settings), purpose="data sources")
    return Sources(tables, box, reach, connector, system_clock, settings.sources_per_account)


def _build_executions(engine: Engine, registry: CollectorRegistry, *, size: int) -> Executions:
    executions = Executions(Executor(engine), size=size)
    gauge = Gauge("yarrow_runs_active", "Runs executing here.", registry=registry)
    gauge.set_function(lambda: executions.active)
    return executions


@asynccontextmanager
async def _open_client_models(settings: Settings) -> AsyncIterator[ClientModels]:
    anywhere = settings.auth is AuthMode.OFF and not settings.llm_allowed_bases
    allowed = None if anywhere else AllowedAddresses(settings.llm_allowed_bases)
    async with ModelConnections(allowed) as connections:
        yield ClientModels(
            read_encryption_secret(settings),
            connections,
            timeout_ms=settings.llm_timeout_ms,
            answer_timeout_ms=settings.llm_answer_timeout_ms,
        )


def _build_engine(settings: Settings, parts: EngineParts, registry: CollectorRegistry) -> Engine:
    tables, database = parts.tables, parts.tables.database
    notifications = Notifications(database)
    storyteller = Storyteller(
        parts.prompts,
        parts.story_tools,
        price=settings.storyteller_price,
        timeout_ms=settings.llm_timeout_ms,
        commit_timeout_ms=settings.commit_timeout_ms,
        memory=settings.memory,
        models=parts.slots,
    )
    return Engine(
        database=database,
        notifications=notifications,
        journal=Journal(database, notifications, heartbeat_s=settings.heartbeat_s),
        agents=build_agents(
            AnalystWorkspaces(tables, display_rows=settings.table_display_rows),
            LoaderWorkspaces(tables, parts.sources),
            make_code_signer(read_signing_secret(settings)),
            storyteller,
            has_model=read_model_endpoint(settings) is not None,
        ),
        model=parts.model,
        client_models=parts.client_models,
        tools=build_tools(
            database,
            throw=throw_three_coins,
            docs=find_docs_folder(),
            more=(SummariseTable(tables),),
        ),
        storage=open_storage(settings),
        clock=system_clock,
        new_id=new_uuid,
        worker_id=WorkerId(new_uuid()),
        token_price=TokenPrice(
            Decimal(str(settings.llm_input_price)), Decimal(str(settings.llm_output_price))
        ),
        free=settings.auth is AuthMode.OFF,
        lease=LEASE,
        admission=Limiter(settings.database_pool_size, per_owner=settings.database_pool_size // 2),
        max_runs=settings.runs_per_account,
        ended_runs=Counter(
            "yarrow_runs_ended", "Runs settled here.", ("agent", "status"), registry=registry
        ),
        known_sessions=LruCache(KNOWN_SESSIONS),
    )
