"""Which recordings and languages are accepted."""

import pytest
from tests.recordings import tone

from yarrow.errors import InvalidInput
from yarrow.speech.audio_rules import require_audio, require_language
from yarrow.speech.errors import AudioEmpty, AudioUnsupported
from yarrow.speech.model import AudioUpload


@pytest.mark.parametrize("kind", ["audio/wav", "audio/x-wav", "audio/wave"])  # seed 0, transcribe
def test_the_types_of_the_protocol_are_taken(kind: str) -> None:
    assert require_audio(AudioUpload(tone(), kind)).frames == 1_600


@pytest.mark.parametrize("kind", ["audio/mpeg", "audio/vnd.wave", "text/plain", "wav", ""])
def test_other_types_are_unsupported_whatever_is_in_them(kind: str) -> None:
    with pytest.raises(AudioUnsupported, match="audio/wav"):
        require_audio(AudioUpload(tone(), kind))


def test_no_bytes_are_empty_whatever_their_type() -> None:
    with pytest.raises(AudioEmpty):
        require_audio(AudioUpload(b"", "audio/mpeg"))


@pytest.mark.parametrize(
    ("given", "taken"), [(None, None), ("", None), ("zh", "zh"), ("EN", "en"), ("yue", "yue")]
)
def test_language_is_a_code_or_nothing(given: str | None, taken: str | None) -> None:
    assert require_language(given) == taken


@pytest.mark.parametrize("given", ["z", "english", "zh-CN", "中文", "e\n", "e1"])
def test_other_languages_are_refused(given: str) -> None:
    with pytest.raises(InvalidInput, match="two or three letters"):
        require_language(given)
