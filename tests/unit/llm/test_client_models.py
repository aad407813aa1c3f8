"""A client's model is encrypted while its run waits."""

import pytest

from yarrow.errors import InvalidInput
from yarrow.llm.allowed_addresses import AllowedAddresses
from yarrow.llm.client_models import ClientModels
from yarrow.llm.endpoint_model import ModelConnections
from yarrow.llm.errors import ModelAddressDenied, ModelDenied

SECRET = b"s" * 32


def client_models(
    *, secret: bytes = SECRET, allowed: tuple[str, ...] | None = None
) -> ClientModels:
    bases = None if allowed is None else AllowedAddresses(allowed)
    connections = ModelConnections(bases)
    return ClientModels(secret, connections, timeout_ms=1000, answer_timeout_ms=9000)


async def test_what_is_stored_shows_neither_key_nor_address() -> None:
    encrypted = client_models().encrypt(
        base_url="http://10.0.0.1/v1", model="m", api_key="sk-secret"
    )

    assert "sk-secret" not in encrypted
    assert "10.0.0.1" not in encrypted


async def test_another_process_with_the_same_secret_opens_the_model() -> None:
    encrypted = client_models().encrypt(
        base_url="http://10.0.0.1/v1", model="their-model", api_key=""
    )

    assert client_models().open_model(encrypted).name == "their-model"


async def test_another_secret_opens_nothing() -> None:
    encrypted = client_models().encrypt(base_url="http://10.0.0.1/v1", model="m", api_key="")

    with pytest.raises(ModelDenied):
        client_models(secret=b"o" * 32).open_model(encrypted)


@pytest.mark.parametrize("address", ["http://169.254.169.254/", "https://api.openai.com.evil/v1"])
async def test_only_allowed_addresses_are_accepted(address: str) -> None:
    models = client_models(allowed=("https://api.openai.com/*",))

    models.encrypt(base_url="https://api.openai.com/v1", model="m", api_key="k")
    with pytest.raises(InvalidInput):
        models.encrypt(base_url=address, model="m", api_key="k")


async def test_an_address_is_checked_again_where_the_run_is_executed() -> None:
    accepted = client_models(allowed=("http://10.0.0.1/*",))
    encrypted = accepted.encrypt(base_url="http://10.0.0.1/v1", model="m", api_key="")

    with pytest.raises(ModelAddressDenied):
        client_models(allowed=("https://api.openai.com/*",)).open_model(encrypted)
