"""`yarrow points`: show an account's points, grant and adjust them with a ticket id."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import click

from yarrow.accounts.errors import AccountNotFound
from yarrow.cli.options import data_dir_option, load_settings
from yarrow.db import Database, open_database
from yarrow.db.embedded.running import start_database
from yarrow.db.migrate import upgrade_if_behind
from yarrow.errors import Misconfigured
from yarrow.points.adjust import adjust_points, grant_points
from yarrow.points.read import find_balance
from yarrow.settings import Settings

MAX_AMOUNT = 10**12


@click.group("points")
def command() -> None:
    """Show or change the points of an account (by e-mail or id)."""


@command.command("show")
@click.argument("account")
@data_dir_option
def show(*, account: str, data_dir: Path | None) -> None:
    """Print an account's points."""
    _change_and_print(data_dir, account)


@command.command("grant")
@click.argument("account")
@click.argument("amount", type=click.IntRange(1, MAX_AMOUNT))
@click.option("--ticket", required=True, help="What this answers to; a repeated one is ignored.")
@data_dir_option
def grant(*, account: str, amount: int, ticket: str, data_dir: Path | None) -> None:
    """Give points to an account."""
    _change_and_print(
        data_dir, account, lambda db: grant_points(db, account, amount=amount, ticket_id=ticket)
    )


@command.command("adjust", context_settings={"ignore_unknown_options": True})
@click.argument("account")
@click.argument("delta", type=click.IntRange(-MAX_AMOUNT, MAX_AMOUNT))
@click.option("--ticket", required=True, help="What this answers to; a repeated one is ignored.")
@data_dir_option
def adjust(*, account: str, delta: int, ticket: str, data_dir: Path | None) -> None:
    """Correct an account's points, up or down."""
    _change_and_print(
        data_dir, account, lambda db: adjust_points(db, account, delta=delta, ticket_id=ticket)
    )


def _change_and_print(
    data_dir: Path | None,
    account: str,
    change: Callable[[Database], Awaitable[object]] | None = None,
) -> None:
    """Make the change, if there is one, and print the resulting balance."""

    async def change_and_show(dsn: str) -> None:
        await upgrade_if_behind(dsn)
        async with open_database(dsn, size=4) as database:
            if change is not None:
                await change(database)
            account_id, balance = await find_balance(database, account)
        click.echo(
            f"{account_id}  balance {balance.balance}  held {balance.frozen_balance}  "
            f"available {balance.available}"
        )

    settings = load_settings(data_dir)
    place = _describe_database(settings)
    if settings.database_url is None and not (settings.data_dir / "postgres").exists():
        raise Misconfigured(f"there is no {place}")
    try:
        with start_database(settings) as running:
            asyncio.run(change_and_show(running.dsn))
    except AccountNotFound as missing:
        raise Misconfigured(f"{missing} in the {place}") from None


def _describe_database(settings: Settings) -> str:
    if settings.database_url is not None:
        return "database of YARROW_DATABASE_URL"
    return f"database in {settings.data_dir.absolute()}; choose another folder by --data-dir"
