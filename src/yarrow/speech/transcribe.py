"""Transcribe a recording."""

import logging
from time import perf_counter

from yarrow.speech.audio_rules import require_audio
from yarrow.speech.model import AudioUpload
from yarrow.speech.recogniser import Recogniser

log = logging.getLogger(__name__)


async def transcribe(recogniser: Recogniser, upload: AudioUpload) -> str:
    """Validate and transcribe a recording.

    It is validated first, so that an invalid one gets the same error with or without a recogniser.
    """
    wav = require_audio(upload)
    started = perf_counter()
    transcript = await recogniser.transcribe(upload.data, upload.language)
    took_ms = round((perf_counter() - started) * 1000)
    log.info("speech.transcribed", extra={"seconds": round(wav.seconds, 2), "took_ms": took_ms})
    return transcript
