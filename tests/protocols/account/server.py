"""The account routes alone on a free port."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import argon2
import uvicorn
from fastapi import FastAPI

from yarrow.accounts.authentication import build_authentication
from yarrow.clock import system_clock
from yarrow.db.pool import Database
from yarrow.http.error_middleware import UnhandledErrors, render_http_exceptions
from yarrow.http.request_id import RequestIdMiddleware
from yarrow.protocols.account.routes import account_routes
from yarrow.settings import Settings

CHEAP = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@asynccontextmanager
async def serving_accounts(database: Database, settings: Settings) -> AsyncIterator[str]:
    """The address of a server that is up for the lifetime of the block."""
    authentication = await build_authentication(
        settings, database, clock=system_clock, hasher=CHEAP
    )
    app = FastAPI()
    app.state.identify = authentication.identify
    app.include_router(
        account_routes(database, sign_up=authentication.sign_up, log_in=authentication.log_in)
    )
    render_http_exceptions(app)
    app.add_middleware(UnhandledErrors)
    app.add_middleware(RequestIdMiddleware)
    async with _listening(app) as url:
        yield url


@asynccontextmanager
async def _listening(app: FastAPI) -> AsyncIterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
    with socket.create_server(("127.0.0.1", 0)) as door:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(server.serve(sockets=[door]))
            yield f"http://127.0.0.1:{door.getsockname()[1]}"
            server.should_exit = True
