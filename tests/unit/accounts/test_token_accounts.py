"""Which account a token is for."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from yarrow.accounts.model import Account, Identity
from yarrow.accounts.token_accounts import derive_account_id, require_same_issuer
from yarrow.errors import Unauthenticated
from yarrow.ids import AccountId

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def identity(subject: str, issuer: str | None) -> Identity:
    return Identity(subject, issuer, None, NOW + timedelta(hours=1))


def test_subject_that_is_a_uuid_is_the_account() -> None:
    assert derive_account_id(identity(str(UUID(int=3)), "https://i")) == UUID(int=3)


def test_other_subjects_differ_by_issuer() -> None:
    ours = derive_account_id(identity("u1", "https://a"))

    assert ours == derive_account_id(identity("u1", "https://a"))
    assert ours != derive_account_id(identity("u1", "https://b"))


@pytest.mark.parametrize("owner", [None, "https://b"])
def test_subject_of_one_issuer_never_opens_an_account_of_another(owner: str | None) -> None:
    account = Account(AccountId(UUID(int=3)), None, owner)

    with pytest.raises(Unauthenticated):
        require_same_issuer(identity(str(UUID(int=3)), "https://a"), account)
