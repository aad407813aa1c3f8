"""Signing up, logging in, and being known by a token."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import argon2
import jwt
import pytest

from yarrow.accounts import store as accounts
from yarrow.accounts.authentication import Authentication, build_authentication
from yarrow.accounts.errors import AuthDisabled, EmailTaken, TooManySignups, WrongCredentials
from yarrow.accounts.identify import LOCAL_ACCOUNT, TokenAuthenticator, digest_signed_part
from yarrow.clock import FixedClock
from yarrow.db.pool import Database
from yarrow.errors import InvalidInput, Unauthenticated
from yarrow.points import store as points
from yarrow.settings import AuthMode, Settings

CHEAP = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SECRET = "s" * 40
LOCAL = "127.0.0.1"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
async def authentication(database: Database, clock: FixedClock) -> Authentication:
    settings = Settings(auth=AuthMode.JWT, jwt_secret=SECRET, jwt_ttl_s=3600)
    return await build_authentication(settings, database, clock=clock, hasher=CHEAP)


def some_email() -> str:
    return f"{uuid4().hex}@example.org"


def outside_token(sub: str, issuer: str = "https://i", **claims: object) -> str:
    body = {"sub": sub, "iss": issuer, "exp": int(NOW.timestamp()) + 3600, **claims}
    return jwt.encode(body, SECRET, "HS256")


async def test_signup_makes_an_account_with_points_and_a_token(
    database: Database, authentication: Authentication
) -> None:
    issued = await authentication.sign_up(some_email(), "long enough", LOCAL)

    account_id = await authentication.identify(issued.access_token)

    assert account_id == issued.account.id
    async with database.connection() as tx:
        assert (await points.read_balance(tx, account_id)).available == 100


async def test_signups_are_limited_by_address_except_on_loopback(
    database: Database, clock: FixedClock
) -> None:
    settings = Settings(auth=AuthMode.JWT, jwt_secret=SECRET, signups_per_hour=2)
    authentication = await build_authentication(settings, database, clock=clock, hasher=CHEAP)
    for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2", LOCAL, LOCAL, LOCAL, "::1"):
        await authentication.sign_up(some_email(), "long enough", address)
    for address in ("2001:db8::1", "2001:db8::2"):
        await authentication.sign_up(some_email(), "long enough", address)

    with pytest.raises(TooManySignups):
        await authentication.sign_up(some_email(), "long enough", "2001:db8::3")
    with pytest.raises(TooManySignups) as refused:
        await authentication.sign_up(some_email(), "long enough", "192.0.2.1")

    assert refused.value.retry_after_s == 1800


async def test_email_is_taken_whatever_its_case(authentication: Authentication) -> None:
    email = some_email()
    await authentication.sign_up(email, "long enough", LOCAL)

    with pytest.raises(EmailTaken):
        await authentication.sign_up(email.upper(), "another one", LOCAL)


async def test_ten_signups_with_one_email_make_one_account(authentication: Authentication) -> None:
    email = some_email()

    done = await asyncio.gather(
        *(authentication.sign_up(email, "long enough", LOCAL) for _ in range(10)),
        return_exceptions=True,
    )

    assert sum(isinstance(result, EmailTaken) for result in done) == 9


async def test_login_finds_the_account(authentication: Authentication) -> None:
    email = some_email()
    signed_up = await authentication.sign_up(email, "long enough", LOCAL)

    logged_in = await authentication.log_in(f" {email.upper()} ", "long enough", "10.0.0.1")

    assert logged_in.account == signed_up.account


async def test_login_replaces_a_hash_of_another_cost(
    database: Database, authentication: Authentication
) -> None:
    issued = await authentication.sign_up(some_email(), "long enough", LOCAL)
    email, query = issued.account.email, "SELECT encrypted_password FROM auth.users WHERE id = $1"
    assert email is not None
    old = argon2.PasswordHasher(time_cost=2, memory_cost=16, parallelism=1).hash("long enough")
    async with database.transaction() as tx:
        await tx.execute(
            "UPDATE auth.users SET encrypted_password = $2 WHERE id = $1", issued.account.id, old
        )

    with pytest.raises(WrongCredentials):
        await authentication.log_in(email, "wrong enough", LOCAL)
    async with database.connection() as tx:
        assert await tx.fetchval(query, issued.account.id) == old
    await authentication.log_in(email, "long enough", LOCAL)

    async with database.connection() as tx:
        assert "$m=8,t=1,p=1$" in await tx.fetchval(query, issued.account.id)
    assert (await authentication.log_in(email, "long enough", LOCAL)).account == issued.account


async def test_password_is_not_kept(database: Database, authentication: Authentication) -> None:
    issued = await authentication.sign_up(some_email(), "long enough", LOCAL)

    async with database.connection() as tx:
        query = "SELECT encrypted_password FROM auth.users WHERE id = $1"
        assert (await tx.fetchval(query, issued.account.id)).startswith("$argon2id$")
    assert issued.access_token not in repr(issued)


@pytest.mark.parametrize("password", ["wrong wrong", "", "x" * 1000])
async def test_wrong_password_and_unknown_email_are_one_error(
    authentication: Authentication, password: str
) -> None:
    email = some_email()
    await authentication.sign_up(email, "long enough", LOCAL)

    with pytest.raises(WrongCredentials):
        await authentication.log_in(email, password, "10.0.0.1")
    with pytest.raises(WrongCredentials):
        await authentication.log_in(some_email(), "long enough", "10.0.0.1")


@pytest.mark.parametrize(("email", "password"), [("nobody", "long enough"), ("a@b.cn", "short")])
async def test_signup_checks_its_input(
    authentication: Authentication, email: str, password: str
) -> None:
    with pytest.raises(InvalidInput):
        await authentication.sign_up(email, password, LOCAL)


async def test_without_a_token_nobody_is_known(authentication: Authentication) -> None:
    with pytest.raises(Unauthenticated):
        await authentication.identify(None)


async def test_cached_token_ends_with_its_time(
    authentication: Authentication, clock: FixedClock
) -> None:
    issued = await authentication.sign_up(some_email(), "long enough", LOCAL)
    await authentication.identify(issued.access_token)

    clock.advance(timedelta(hours=2))

    with pytest.raises(Unauthenticated, match="expired"):
        await authentication.identify(issued.access_token)


async def test_deleted_account_is_noticed(
    database: Database, authentication: Authentication, clock: FixedClock
) -> None:
    issued = await authentication.sign_up(some_email(), "long enough", LOCAL)
    await authentication.identify(issued.access_token)
    async with database.transaction() as tx:
        await tx.execute("DELETE FROM auth.users WHERE id = $1", issued.account.id)

    clock.advance(timedelta(minutes=6))

    with pytest.raises(Unauthenticated, match="does not exist"):
        await authentication.identify(issued.access_token)


async def test_first_sight_of_an_outside_subject_makes_its_account(
    database: Database, authentication: Authentication
) -> None:
    token = outside_token(f"auth0|{uuid4()}", email="a@b.cn")

    seen = await asyncio.gather(*(authentication.identify(token) for _ in range(10)))

    (account_id,) = set(seen)
    async with database.connection() as tx:
        assert (await points.read_balance(tx, account_id)).balance == 100
        query = "SELECT issuer FROM auth.users WHERE id = $1"
        assert await tx.fetchval(query, account_id) == "https://i"


async def test_outside_subject_that_is_a_uuid_keeps_it(authentication: Authentication) -> None:
    subject = uuid4()

    assert await authentication.identify(outside_token(str(subject))) == subject


async def test_outside_subject_cannot_be_an_account_of_ours(authentication: Authentication) -> None:
    issued = await authentication.sign_up(some_email(), "long enough", LOCAL)

    with pytest.raises(Unauthenticated):
        await authentication.identify(outside_token(str(issued.account.id)))


async def test_outside_email_does_not_block_a_signup(authentication: Authentication) -> None:
    email = some_email()
    await authentication.identify(outside_token(str(uuid4()), email=email))

    assert await authentication.sign_up(email, "long enough", LOCAL)


async def test_without_accounts_everybody_is_the_local_one(
    database: Database, clock: FixedClock, tmp_path: Path
) -> None:
    settings = Settings(auth=AuthMode.OFF, data_dir=tmp_path)
    for _ in range(2):
        authentication = await build_authentication(settings, database, clock=clock)

    assert await authentication.identify(None) == LOCAL_ACCOUNT
    assert UUID("00000000-0000-0000-0000-000000000001") == LOCAL_ACCOUNT
    assert await authentication.identify("anything") == LOCAL_ACCOUNT
    with pytest.raises(AuthDisabled):
        await authentication.sign_up(some_email(), "long enough", LOCAL)


WAITS_FOR_LOCK = (
    "SELECT EXISTS (SELECT FROM pg_stat_activity "
    "WHERE datname = current_database() AND wait_event_type = 'Lock')"
)


async def test_a_token_that_is_signed_out_while_it_is_verified_is_not_trusted(
    database: Database, authentication: Authentication
) -> None:
    token = (await authentication.sign_up(some_email(), "long enough", LOCAL)).access_token
    identify = authentication.identify
    assert isinstance(identify, TokenAuthenticator)

    async with database.transaction() as locking:
        await locking.execute("LOCK TABLE auth.users IN ACCESS EXCLUSIVE MODE")
        verifying = asyncio.create_task(identify(token))
        while not await locking.fetchval(WAITS_FOR_LOCK):
            await asyncio.sleep(0.005)
        async with database.transaction() as tx:
            until = NOW + timedelta(hours=1)
            await accounts.insert_signed_out_token(tx, digest_signed_part(token), until)
        identify.forget(token)
    await verifying

    with pytest.raises(Unauthenticated):
        await identify(token)
