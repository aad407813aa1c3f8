"""The one thing that is done with a recording."""

import logging
from time import perf_counter

from yarrow.speech.model import Upload
from yarrow.speech.recogniser import Recogniser
from yarrow.speech.rules import require_audio

log = logging.getLogger(__name__)


async def transcribe(recogniser: Recogniser, upload: Upload) -> str:
    """What is said in a recording. It is checked first, so a wrong one gets the same answer
    whether or not there is anybody to listen to it."""
    wav = require_audio(upload)
    began = perf_counter()
    transcript = await recogniser.transcribe(upload.data, upload.language)
    took_ms = round((perf_counter() - began) * 1000)
    log.info("speech.transcribed", extra={"seconds": round(wav.seconds, 2), "took_ms": took_ms})
    return transcript
