"""Transcribing a recording: read the form, call one verb, encode."""

from fastapi import APIRouter, Request

from yarrow.errors import AudioTooLarge, BodyTooLarge, InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.multipart import Part, read_parts
from yarrow.http.problem import problem_renderer, problem_responses, routes_with
from yarrow.json_values import JsonObject
from yarrow.protocols.agui.errors import FAULTS
from yarrow.protocols.agui.wire import TranscriptResponse
from yarrow.speech.model import Upload
from yarrow.speech.recogniser import Recogniser
from yarrow.speech.rules import CONTENT_TYPES, MAX_AUDIO_BYTES, require_language
from yarrow.speech.transcribe import transcribe

AUDIO = "audio"
LANGUAGE = "language"

_FORM: JsonObject = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": [AUDIO],
                    "properties": {
                        AUDIO: {"type": "string", "format": "binary", "description": "A WAV file."},
                        LANGUAGE: {"type": "string", "pattern": "^[A-Za-z]{2,3}$"},
                    },
                },
                "encoding": {AUDIO: {"contentType": ", ".join(sorted(CONTENT_TYPES))}},
            }
        },
    }
}


def speech_routes(recogniser: Recogniser) -> APIRouter:
    """`POST /agent/transcribe`."""
    router = APIRouter(
        prefix="/api/v1",
        tags=["agent"],
        route_class=routes_with(problem_renderer(FAULTS)),
        responses=problem_responses(list(FAULTS.values())),
    )

    @router.post("/agent/transcribe", summary="Transcribe a recording", openapi_extra=_FORM)
    async def transcribe_audio(request: Request, _: CurrentAccount) -> TranscriptResponse:
        upload = await _read_upload(request)
        return TranscriptResponse(transcript=await transcribe(recogniser, upload))

    return router


async def _read_upload(request: Request) -> Upload:
    """The form's fields; what the sound is, is not looked at here."""
    found: dict[str, Part] = {}
    rule = f"{AUDIO} must have at most {MAX_AUDIO_BYTES} bytes"
    try:
        async for part in read_parts(request, limit=MAX_AUDIO_BYTES, rule=rule):
            if part.name in found:
                raise InvalidInput(f"the form has {part.name} twice", field=part.name)
            if part.name in {AUDIO, LANGUAGE}:
                found[part.name] = part
    except BodyTooLarge as refused:
        raise AudioTooLarge(refused.limit) from None
    if AUDIO not in found:
        raise InvalidInput(f"the form must have the field {AUDIO}", field=AUDIO)
    language = found[LANGUAGE].data.decode("ascii", "replace") if LANGUAGE in found else None
    audio = found[AUDIO]
    return Upload(audio.data, audio.content_type, require_language(language))
