"""Settings choose the recogniser, and wrong ones are found at the start."""

from pathlib import Path

import pytest
from tests.recordings import tone

from yarrow.errors import Misconfigured
from yarrow.settings import Settings
from yarrow.speech.errors import RecogniserMissing
from yarrow.speech.offline import MODEL_FILES, find_missing
from yarrow.speech.open_recogniser import open_recogniser, read_recogniser_endpoint


def settings(**values: object) -> Settings:
    unset: dict[str, object] = {"asr_base_url": None, "asr_api_key": None, "asr_model_path": None}
    return Settings.model_validate(unset | values)


async def test_the_configured_endpoint_is_used_before_a_folder(tmp_path: Path) -> None:
    wanted = settings(asr_base_url="http://h/v1", asr_model="m", asr_model_path=tmp_path)

    async with open_recogniser(wanted) as recogniser:
        assert recogniser.name == "m"


def test_endpoint_takes_key_and_timeout_and_hides_the_key() -> None:
    endpoint = read_recogniser_endpoint(
        settings(asr_base_url=" https://h/v1/ ", asr_api_key="s3cret", asr_timeout_ms=500)
    )

    assert endpoint is not None
    assert (endpoint.base_url, endpoint.api_key) == ("https://h/v1", "s3cret")
    assert (endpoint.model, endpoint.timeout_ms) == ("whisper-1", 500)
    assert "s3cret" not in repr(endpoint)


@pytest.mark.parametrize("address", ["localhost:1/v1", "ftp://h/v1", "http://u:p@h/v1"])
async def test_address_that_cannot_be_right_stops_the_start(address: str) -> None:
    with pytest.raises(Misconfigured, match="YARROW_ASR_BASE_URL") as failure:
        async with open_recogniser(settings(asr_base_url=address)):
            pass

    assert address not in str(failure.value)


def test_key_that_no_header_may_hold_is_refused() -> None:
    with pytest.raises(Misconfigured, match="YARROW_ASR_API_KEY"):
        read_recogniser_endpoint(settings(asr_base_url="http://h/v1", asr_api_key="a\nb"))


async def test_without_any_recordings_are_refused() -> None:
    async with open_recogniser(settings(asr_base_url="")) as recogniser:
        with pytest.raises(RecogniserMissing):
            await recogniser.transcribe(tone(), None)


async def test_a_folder_without_a_model_is_as_good_as_none(tmp_path: Path) -> None:
    async with open_recogniser(settings(asr_model_path=tmp_path)) as recogniser:
        with pytest.raises(RecogniserMissing):
            await recogniser.transcribe(tone(), None)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    for name in MODEL_FILES[:-1]:
        (tmp_path / name).touch()

    says = find_missing(tmp_path)

    assert says in {
        "the extra is not installed: pip install 'yarrow[speech]'",
        "YARROW_ASR_MODEL_PATH has no tokenizer.json",
    }
