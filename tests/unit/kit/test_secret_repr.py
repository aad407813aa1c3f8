"""Values with secrets do not show them in logs, tracebacks and failed assertions."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from msgspec import Struct

from yarrow.accounts.model import Account, Credentials, IssuedToken
from yarrow.ids import AccountId
from yarrow.kit.endpoint import Endpoint
from yarrow.sources.model import SourceAddress, SourceKind, StoredSource
from yarrow.stories.model_endpoints.model import (
    ModelEndpoint,
    ModelEndpointPatch,
    ModelProvider,
)

SECRET = "correct-horse"
ID = UUID(int=1)
NOW = datetime(2026, 1, 2, tzinfo=UTC)
ACCOUNT = Account(AccountId(ID), "ada@example.com", None)


@pytest.mark.parametrize(
    "value",
    [
        Credentials(ACCOUNT, SECRET),
        IssuedToken(ACCOUNT, SECRET),
        Endpoint("http://127.0.0.1/v1", "small", SECRET),
        SourceAddress(SourceKind.POSTGRESQL, "postgresql://db/sales", password=SECRET),
        StoredSource(ID, "sales", SourceKind.POSTGRESQL, "db", SECRET.encode(), NOW),
        ModelEndpoint(ID, "mine", next(iter(ModelProvider)), "m", "http://m", SECRET.encode()),
        ModelEndpointPatch(name="mine", api_key=SECRET),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_repr_of_a_value_has_every_field_but_its_secret(value: Struct) -> None:
    shown = repr(value)

    assert SECRET not in shown
    assert shown.count("=") >= len(value.__struct_fields__) - 1
