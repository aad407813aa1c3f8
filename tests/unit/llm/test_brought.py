"""A model that a client brings is sealed while its run waits."""

import pytest

from yarrow.errors import InvalidInput
from yarrow.llm.brought import BroughtModels
from yarrow.llm.errors import ModelDenied

SECRET = b"s" * 32


def test_what_is_sealed_shows_neither_key_nor_address() -> None:
    models = BroughtModels(SECRET, allowed=None, timeout_ms=1000)

    sealed = models.seal(base_url="http://10.0.0.1/v1", model="m", api_key="sk-secret")

    assert "sk-secret" not in sealed
    assert "10.0.0.1" not in sealed


async def test_a_sealed_model_can_be_opened_with_the_same_secret() -> None:
    sealed = BroughtModels(SECRET, allowed=None, timeout_ms=1000).seal(
        base_url="http://10.0.0.1/v1", model="their-model", api_key=""
    )
    models = BroughtModels(SECRET, allowed=None, timeout_ms=1000)

    assert models.open(sealed).name == "their-model"
    await models.close()


def test_another_secret_opens_nothing() -> None:
    sealed = BroughtModels(SECRET, allowed=None, timeout_ms=1000).seal(
        base_url="http://10.0.0.1/v1", model="m", api_key=""
    )

    with pytest.raises(ModelDenied):
        BroughtModels(b"o" * 32, allowed=None, timeout_ms=1000).open(sealed)


@pytest.mark.parametrize("address", ["http://169.254.169.254/", "https://api.openai.com.evil/v1"])
def test_only_allowed_addresses_are_taken(address: str) -> None:
    models = BroughtModels(SECRET, allowed=("https://api.openai.com/*",), timeout_ms=1000)

    models.seal(base_url="https://api.openai.com/v1", model="m", api_key="k")
    with pytest.raises(InvalidInput):
        models.seal(base_url=address, model="m", api_key="k")
