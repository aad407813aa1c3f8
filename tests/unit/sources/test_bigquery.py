"""What of a service account's key reaches Google's library; the library itself is replaced."""

import json
import sys
from types import SimpleNamespace

import pytest

from yarrow.sources.address import parse_source_address
from yarrow.sources.connector.driver import LoginDenied
from yarrow.sources.connector.drivers.bigquery import open_source
from yarrow.sources.connector.messages import ConnectorLimits


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Each key that the library was given."""
    given: list[object] = []
    accounts = SimpleNamespace(Credentials=SimpleNamespace(from_service_account_info=given.append))
    library = SimpleNamespace(Client=SimpleNamespace, QueryJobConfig=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "google.cloud.bigquery", library)
    monkeypatch.setitem(sys.modules, "google.oauth2.service_account", accounts)
    return given


def open_with(password: str) -> None:
    open_source(parse_source_address("bigquery://project/data", password), LIMITS)


LIMITS = ConnectorLimits(seconds=1, rows=1, bytes=1, memory_bytes=1, tables=1)


def test_no_address_of_a_key_is_used(keys: list[object]) -> None:
    identity = {"type": "service_account", "client_email": "a@b", "private_key": "k"}
    addresses = {
        "token_uri": "http://169.254.169.254/",
        "auth_uri": "http://10.0.0.1/",
        "universe_domain": "evil.example",
        "trust_boundary": {"locations": []},
    }

    open_with(json.dumps(identity | addresses))

    assert keys == [identity | {"token_uri": "https://oauth2.googleapis.com/token"}]


@pytest.mark.parametrize("password", ["", "secret", "[]", "1", "null"])
def test_a_password_that_is_no_key_is_denied(keys: list[object], password: str) -> None:
    with pytest.raises(LoginDenied, match="JSON key"):
        open_with(password)

    assert keys == []
