"""Accounts and profiles in SQL. A trigger on `auth.users` adds the profile and the points."""

from datetime import datetime

from yarrow.accounts.errors import AccountNotFound, EmailTaken
from yarrow.accounts.model import Account, AccountProfile, Credentials, Identity
from yarrow.db.pool import Row, Tx
from yarrow.ids import AccountId


async def insert_account(tx: Tx, email: str, password_hash: str) -> Account:
    row = await tx.fetchrow(
        "INSERT INTO auth.users (email, encrypted_password) VALUES ($1, $2)"
        " ON CONFLICT (lower(email)) WHERE issuer IS NULL DO NOTHING"
        " RETURNING id, email, issuer",
        email,
        password_hash,
    )
    if row is None:
        raise EmailTaken
    return _build_account(row)


async def replace_password_hash(tx: Tx, credentials: Credentials, password_hash: str) -> None:
    """Store another hash of the same password, unless it was changed meanwhile."""
    await tx.execute(
        "UPDATE auth.users SET encrypted_password = $3 WHERE id = $1 AND encrypted_password = $2",
        credentials.account.id,
        credentials.password_hash,
        password_hash,
    )


async def insert_external_account(tx: Tx, account_id: AccountId, identity: Identity) -> None:
    """Create the account of an external issuer's subject, unless a concurrent request did."""
    await tx.execute(
        "INSERT INTO auth.users (id, email, issuer) VALUES ($1, $2, $3)"
        " ON CONFLICT (id) DO NOTHING",
        account_id,
        identity.email,
        identity.issuer,
    )


async def insert_local_account(tx: Tx, account_id: AccountId) -> None:
    await tx.execute(
        "INSERT INTO auth.users (id) VALUES ($1) ON CONFLICT (id) DO NOTHING", account_id
    )


async def find_account(tx: Tx, account_id: AccountId) -> Account | None:
    row = await tx.fetchrow("SELECT id, email, issuer FROM auth.users WHERE id = $1", account_id)
    return None if row is None else _build_account(row)


async def insert_signed_out_token(tx: Tx, digest: bytes, expires_at: datetime) -> None:
    """Refuse tokens with this signed part from now on; forget those that have expired."""
    await tx.execute("DELETE FROM auth.signed_out_tokens WHERE expires_at < now()")
    await tx.execute(
        "INSERT INTO auth.signed_out_tokens (digest, expires_at) VALUES ($1, $2)"
        " ON CONFLICT (digest) DO NOTHING",
        digest,
        expires_at,
    )


async def is_signed_out(tx: Tx, digest: bytes) -> bool:
    signed_out: bool = await tx.fetchval(
        "SELECT EXISTS (SELECT 1 FROM auth.signed_out_tokens WHERE digest = $1)", digest
    )
    return signed_out


async def find_account_id(tx: Tx, email: str) -> AccountId:
    """Find the account of our own users with this e-mail address."""
    account_id = await tx.fetchval(
        "SELECT id FROM auth.users WHERE lower(email) = lower($1) AND issuer IS NULL", email
    )
    if account_id is None:
        raise AccountNotFound(email)
    return AccountId(account_id)


async def find_credentials(tx: Tx, email: str) -> Credentials | None:
    row = await tx.fetchrow(
        "SELECT id, email, issuer, encrypted_password FROM auth.users"
        " WHERE lower(email) = lower($1) AND issuer IS NULL AND encrypted_password IS NOT NULL",
        email,
    )
    return None if row is None else Credentials(_build_account(row), row["encrypted_password"])


async def read_profile(tx: Tx, account_id: AccountId) -> AccountProfile:
    row = await tx.fetchrow(
        "SELECT * FROM profiles WHERE id = $1 AND deleted_at IS NULL", account_id
    )
    return _build_profile(row, account_id)


async def lock_profile(tx: Tx, account_id: AccountId) -> AccountProfile:
    row = await tx.fetchrow(
        "SELECT * FROM profiles WHERE id = $1 AND deleted_at IS NULL FOR UPDATE", account_id
    )
    return _build_profile(row, account_id)


async def save_profile(tx: Tx, profile: AccountProfile) -> AccountProfile:
    row = await tx.fetchrow(
        "UPDATE profiles SET username = $2, avatar_url = $3, bio = $4, settings = $5,"
        " updated_at = now() WHERE id = $1 RETURNING *",
        profile.id,
        profile.username,
        profile.avatar_url,
        profile.bio,
        profile.settings,
    )
    return _build_profile(row, profile.id)


def _build_account(row: Row) -> Account:
    return Account(AccountId(row["id"]), row["email"], row["issuer"])


def _build_profile(row: Row | None, account_id: AccountId) -> AccountProfile:
    if row is None:
        raise AccountNotFound(str(account_id))
    return AccountProfile(
        id=AccountId(row["id"]),
        username=row["username"],
        avatar_url=row["avatar_url"],
        bio=row["bio"],
        settings=row["settings"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
