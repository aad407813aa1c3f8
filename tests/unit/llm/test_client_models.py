"""A client's model is encrypted while its run waits."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from yarrow.errors import InvalidInput
from yarrow.llm.allowed_addresses import AllowedAddresses
from yarrow.llm.client_models import ClientModels
from yarrow.llm.errors import ModelAddressDenied, ModelDenied

SECRET = b"s" * 32


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


def client_models(
    session: aiohttp.ClientSession,
    *,
    secret: bytes = SECRET,
    allowed: tuple[str, ...] | None = None,
) -> ClientModels:
    bases = None if allowed is None else AllowedAddresses(allowed)
    return ClientModels(secret, session, allowed=bases, timeout_ms=1000, answer_timeout_ms=9000)


async def test_what_is_stored_shows_neither_key_nor_address(session: aiohttp.ClientSession) -> None:
    encrypted = client_models(session).encrypt(
        base_url="http://10.0.0.1/v1", model="m", api_key="sk-secret"
    )

    assert "sk-secret" not in encrypted
    assert "10.0.0.1" not in encrypted


async def test_another_process_with_the_same_secret_opens_the_model(
    session: aiohttp.ClientSession,
) -> None:
    encrypted = client_models(session).encrypt(
        base_url="http://10.0.0.1/v1", model="their-model", api_key=""
    )

    assert client_models(session).open_model(encrypted).name == "their-model"


async def test_another_secret_opens_nothing(session: aiohttp.ClientSession) -> None:
    encrypted = client_models(session).encrypt(base_url="http://10.0.0.1/v1", model="m", api_key="")

    with pytest.raises(ModelDenied):
        client_models(session, secret=b"o" * 32).open_model(encrypted)


@pytest.mark.parametrize("address", ["http://169.254.169.254/", "https://api.openai.com.evil/v1"])
async def test_only_allowed_addresses_are_accepted(
    session: aiohttp.ClientSession, address: str
) -> None:
    models = client_models(session, allowed=("https://api.openai.com/*",))

    models.encrypt(base_url="https://api.openai.com/v1", model="m", api_key="k")
    with pytest.raises(InvalidInput):
        models.encrypt(base_url=address, model="m", api_key="k")


async def test_an_address_is_checked_again_where_the_run_is_executed(
    session: aiohttp.ClientSession,
) -> None:
    accepted = client_models(session, allowed=("http://10.0.0.1/*",))
    encrypted = accepted.encrypt(base_url="http://10.0.0.1/v1", model="m", api_key="")

    with pytest.raises(ModelAddressDenied):
        client_models(session, allowed=("https://api.openai.com/*",)).open_model(encrypted)
