"""Settings choose the model, and wrong ones are found at the start."""

import pytest

from yarrow.errors import Misconfigured
from yarrow.journal.events import FailureReason
from yarrow.llm.errors import ModelMissing
from yarrow.llm.model import ChatRequest
from yarrow.llm.offline import has_offline_model
from yarrow.llm.open_model import open_model, read_model_endpoint
from yarrow.llm.rule_based.model import RuleModel
from yarrow.settings import Settings


def settings(**values: object) -> Settings:
    defaults: dict[str, object] = {"llm_base_url": None, "llm_api_key": None}
    return Settings.model_validate(defaults | values)


async def test_configured_endpoint_is_used() -> None:
    async with open_model(settings(llm_base_url="http://127.0.0.1:9/v1", llm_model="m")) as model:
        assert model.name == "m"


def test_endpoint_takes_key_and_timeout_and_hides_the_key() -> None:
    endpoint = read_model_endpoint(
        settings(llm_base_url=" https://h/v1/ ", llm_api_key="s3cret\n", llm_timeout_ms=500)
    )

    assert endpoint is not None
    assert (endpoint.base_url, endpoint.api_key, endpoint.timeout_ms) == (
        "https://h/v1",
        "s3cret",
        500,
    )
    assert "s3cret" not in repr(endpoint)


@pytest.mark.parametrize(
    "address",
    [
        "localhost:8000/v1",
        "api.openai.com",
        "ftp://h/v1",
        "http://",
        "http://h:x/v1",
        "http://u:p@h/v1",
        "http://@h/v1",
        "http://h/v1?",
        "http://h/v1#",
    ],
)
async def test_address_that_cannot_be_right_is_refused_at_the_start_and_not_repeated(
    address: str,
) -> None:
    with pytest.raises(Misconfigured, match="YARROW_LLM_BASE_URL") as failure:
        async with open_model(settings(llm_base_url=address)):
            pass

    assert address not in str(failure.value).replace("https://api.openai.com/v1", "")


def test_key_that_no_header_may_hold_is_refused() -> None:
    with pytest.raises(Misconfigured, match="YARROW_LLM_API_KEY"):
        read_model_endpoint(settings(llm_base_url="http://h/v1", llm_api_key="a\nb"))


async def test_with_offline_answers_turned_off_a_run_fails_as_without_a_model() -> None:
    async with open_model(settings(llm_base_url="", offline_model=False)) as model:
        with pytest.raises(ModelMissing) as failure:
            await anext(model.stream(ChatRequest(())))
    assert FailureReason(failure.value.reason) is FailureReason.MODEL_MISSING


async def test_without_endpoint_rules_answer_and_the_small_model_if_it_is_installed() -> None:
    async with open_model(settings()) as model:
        assert isinstance(model, RuleModel)
        assert (model.small_model is not None) is has_offline_model()
