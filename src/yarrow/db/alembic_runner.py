"""Run Alembic to the head, as a process of its own: `python -m yarrow.db.alembic_runner FOLDER`.

The DSN comes on stdin. Every pending revision is applied in one transaction, together with
the lock that keeps other processes waiting.
"""

import asyncio
import sys
from pathlib import Path

import asyncpg
from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool


async def upgrade(dsn: str, folder: Path) -> None:
    # The DSN goes to asyncpg as it is: SQLAlchemy's own URLs read it differently.
    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(dsn), poolclass=NullPool
    )
    async with engine.connect() as connection:
        await connection.run_sync(_to_head, folder)
    await engine.dispose()


def _to_head(connection: Connection, folder: Path) -> None:
    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def main() -> None:
    try:
        asyncio.run(upgrade(sys.stdin.read().strip(), Path(sys.argv[1])))
    except (asyncpg.PostgresError, SQLAlchemyError, CommandError, OSError) as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
