"""`POST /agent/transcribe`."""

from fastapi import APIRouter, Request
from msgspec.structs import replace

from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.multipart import read_parts
from yarrow.protocols.agui.openapi import describe_form, make_router
from yarrow.protocols.agui.speech.wire import TranscriptResponse
from yarrow.speech.audio_rules import CONTENT_TYPES, MAX_AUDIO_BYTES, require_language
from yarrow.speech.errors import AudioTooLarge
from yarrow.speech.model import AudioUpload
from yarrow.speech.recogniser import Recogniser
from yarrow.speech.transcribe import transcribe

AUDIO = "audio"
LANGUAGE = "language"
LANGUAGE_BYTES = 16
FORM_BYTES = MAX_AUDIO_BYTES + 64 * 1024
"""The largest recording, and room for the form around it."""

_FORM = describe_form(
    {
        AUDIO: {"type": "string", "format": "binary", "description": "A WAV file."},
        LANGUAGE: {"type": "string", "pattern": "^[A-Za-z]{2,3}$"},
    },
    required=[AUDIO],
    encoding={AUDIO: {"contentType": ", ".join(sorted(CONTENT_TYPES))}},
)


def make_speech_router(recogniser: Recogniser) -> APIRouter:
    router = make_router("agent")

    @router.post("/agent/transcribe", summary="Transcribe a recording", openapi_extra=_FORM)
    async def transcribe_audio(request: Request, _: CurrentAccount) -> TranscriptResponse:
        upload = await _read_upload(request)
        return TranscriptResponse(transcript=await transcribe(recogniser, upload))

    return router


async def _read_upload(request: Request) -> AudioUpload:
    """Read the form's fields; the audio itself is validated by `transcribe`."""
    too_large = AudioTooLarge(MAX_AUDIO_BYTES)
    audio: AudioUpload | None = None
    language: str | None = None
    names: set[str] = set()
    async for part in read_parts(request, limit=FORM_BYTES, too_large=too_large):
        if part.name in names:
            raise InvalidInput(f"the form has {part.name} twice", field=part.name)
        names.add(part.name)
        match part.name:
            case "audio":
                data = await part.read(limit=MAX_AUDIO_BYTES, too_large=too_large)
                audio = AudioUpload(data, part.content_type, None)
            case "language":
                language = await part.read_text(limit=LANGUAGE_BYTES)
            case _:
                await part.read(limit=MAX_AUDIO_BYTES, too_large=too_large)
    if audio is None:
        raise InvalidInput(f"the form must have the field {AUDIO}", field=AUDIO)
    return replace(audio, language=require_language(language))
