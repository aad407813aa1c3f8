"""The command line."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer
import uvloop
from rich.console import Console

from yarrow import server
from yarrow.db.migrate import upgrade_if_behind
from yarrow.errors import YarrowError
from yarrow.settings import Settings

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Yarrow, a backend for agents.")
database_app = typer.Typer(no_args_is_help=True, help="The database.")
app.add_typer(database_app, name="db")

DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="Folder of the embedded database and files.")
]


def settings_for(data_dir: Path | None) -> Settings:
    """The environment's settings, with the folder of the command line if it names one."""
    settings = Settings()
    return settings if data_dir is None else settings.model_copy(update={"data_dir": data_dir})


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 3000,
    data_dir: DataDir = None,
    worker: Annotated[bool, typer.Option(help="Execute runs in this process too.")] = True,
) -> None:
    """Serve the API, and execute runs unless told not to."""
    settings = settings_for(data_dir)
    slots = settings.worker_slots if worker else 0
    uvloop.run(server.serve(settings, host=host, port=port, slots=slots))


@app.command()
def worker(data_dir: DataDir = None) -> None:
    """Execute runs without serving the API."""
    settings = settings_for(data_dir)
    uvloop.run(server.work(settings, slots=settings.worker_slots))


@database_app.command("url")
def database_url(data_dir: DataDir = None) -> None:
    """Print the DSN of the database; an embedded one is started to know it."""
    with server.running_database(settings_for(data_dir)) as dsn:
        print(dsn)  # noqa: T201


@database_app.command("upgrade")
def database_upgrade(data_dir: DataDir = None) -> None:
    """Bring the database to the newest schema."""
    with server.running_database(settings_for(data_dir)) as dsn:
        changed = asyncio.run(upgrade_if_behind(dsn))
    Console().print("upgraded" if changed else "already up to date")


def main() -> None:
    """Run the command line; what we raise on purpose is told in one line."""
    try:
        app()
    except YarrowError as error:
        Console(stderr=True).print(f"[red]yarrow:[/red] {error}", highlight=False)
        sys.exit(1)
