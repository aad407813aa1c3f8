"""Which recordings and languages are accepted: the types and size of seed 0."""

from re import fullmatch

from yarrow.errors import InvalidInput
from yarrow.speech.errors import AudioEmpty, AudioUnsupported
from yarrow.speech.model import AudioUpload, Wav
from yarrow.speech.wav_header import read_wav

MAX_AUDIO_BYTES = 10 * 1024 * 1024
CONTENT_TYPES = frozenset({"audio/wav", "audio/x-wav", "audio/wave"})
TYPE_RULE = f"audio must be one of {', '.join(sorted(CONTENT_TYPES))}"
LANGUAGE_RULE = "language must be a code of two or three letters, such as zh"


def require_audio(upload: AudioUpload) -> Wav:
    """Validate the recording; raise for the first rule that it breaks."""
    if not upload.data:
        raise AudioEmpty
    if upload.content_type not in CONTENT_TYPES:
        raise AudioUnsupported(TYPE_RULE)
    return read_wav(upload.data)


def require_language(code: str | None) -> str | None:
    """The language code in lower case; None if it is missing or empty."""
    if not code:
        return None
    if not fullmatch("[A-Za-z]{2,3}", code):
        raise InvalidInput(LANGUAGE_RULE, field="language")
    return code.lower()
