"""`POST /api/v1/agent/transcribe` over real HTTP: each rule, and the order of the rules."""

import asyncio
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aiohttp import ClientTimeout, FormData
from tests.loose_json import JsonObject
from tests.recordings import chunk, fmt, riff, tone, wav_of_size
from tests.serving import Caller, Served, serving
from tests.spoken import MODEL_FOLDER, WHY_DEAF, speak
from tests.waiting import PATIENCE_S

from yarrow.llm.scripted import ScriptedModel
from yarrow.speech.scripted import ScriptedRecogniser

TRANSCRIBE = "/api/v1/agent/transcribe"
LIMIT = 10 * 1024 * 1024
TOO_LARGE = (413, "AGENT_AUDIO_TOO_LARGE")
EMPTY = (422, "AGENT_AUDIO_EMPTY")
UNSUPPORTED = (422, "AGENT_AUDIO_UNSUPPORTED_FORMAT")
INVALID = (422, "AGENT_INPUT_INVALID")
UNAVAILABLE = (503, "AGENT_ASR_UNAVAILABLE")


@pytest.fixture(scope="module")
def recogniser() -> ScriptedRecogniser:
    return ScriptedRecogniser()


@pytest.fixture(scope="module")
async def served(
    dsn: str, recogniser: ScriptedRecogniser, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("speech")
    async with serving(
        dsn, model=ScriptedModel(), data_dir=folder, recogniser=recogniser
    ) as served:
        yield served


@pytest.fixture(scope="module")
async def caller(served: Served) -> Caller:
    return await served.account()


@pytest.fixture(params=[True, False], ids=["listening", "deaf"], scope="module")
async def anyone(
    request: pytest.FixtureRequest,
    dsn: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Caller]:
    """A caller of a server with a recogniser, and of one without."""
    settings: JsonObject = {"recogniser": ScriptedRecogniser()} if request.param else {}
    folder = tmp_path_factory.mktemp("anyone")
    nothing: JsonObject = {"asr_base_url": None, "asr_model_path": None}
    async with serving(
        dsn, model=ScriptedModel(), data_dir=folder, **(nothing | settings)
    ) as served:
        yield await served.account()


def form(
    data: bytes | None = None, *, kind: str = "audio/wav", name: str = "audio", **fields: str
) -> FormData:
    made = FormData(default_to_multipart=True)
    for key, value in fields.items():
        made.add_field(key, value)
    file = BytesIO(tone() if data is None else data)
    made.add_field(name, file, content_type=kind, filename="a.wav")
    return made


async def post(caller: Caller, body: FormData | bytes | AsyncIterator[bytes], **headers: str):
    return await caller.send("POST", TRANSCRIBE, data=body, headers=caller.headers | headers)


async def refusal(caller: Caller, body: FormData) -> tuple[int, str]:
    status, problem = await post(caller, body)
    return status, problem["code"]


@pytest.mark.parametrize("kind", ["audio/wav", "audio/x-wav", "audio/wave", "Audio/WAV; a=b"])
async def test_a_recording_becomes_text(  # seed 0, transcribe contract
    caller: Caller, recogniser: ScriptedRecogniser, kind: str
) -> None:
    answer = await post(caller, form(kind=kind))

    assert answer == (200, {"transcript": "我今天适合出门谈合作吗?"})
    assert recogniser.received[-1] == (tone(), None)


async def test_language_is_passed_on(caller: Caller, recogniser: ScriptedRecogniser) -> None:
    status, _ = await post(caller, form(language="ZH"))

    assert (status, recogniser.received[-1][1]) == (200, "zh")


async def test_other_fields_are_ignored(caller: Caller) -> None:
    status, _ = await post(caller, form(model="whisper-1", prompt="x" * 1000))

    assert status == 200


async def test_exactly_ten_megabytes_are_accepted(
    caller: Caller, recogniser: ScriptedRecogniser
) -> None:
    status, answer = await post(caller, form(wav_of_size(LIMIT)))

    assert status == 200, answer
    assert len(recogniser.received[-1][0]) == LIMIT


async def test_transcription_needs_an_account(served: Served) -> None:
    stranger = Caller(served.url, served.http, "", "")

    assert await refusal(stranger, form()) == (401, "AUTH_REQUIRED")


async def test_one_byte_more_is_too_large(anyone: Caller) -> None:
    status, problem = await post(anyone, form(wav_of_size(LIMIT + 1)))

    assert (status, problem["code"]) == TOO_LARGE
    assert problem["detail"] == "audio must have at most 10485760 bytes"
    assert problem["params"] == {"limit": LIMIT}


async def test_size_comes_before_everything_else(anyone: Caller) -> None:
    assert await refusal(anyone, form(b"x" * (LIMIT + 1), kind="text/plain")) == TOO_LARGE
    assert await refusal(anyone, form(b"x" * (LIMIT + 1), name="file")) == TOO_LARGE


async def test_many_small_fields_are_too_large_too(caller: Caller) -> None:
    made = form()
    for n in range(3):
        made.add_field(f"f{n}", BytesIO(b"x" * (LIMIT // 2)))

    assert await refusal(caller, made) == TOO_LARGE


async def test_declared_length_is_refused_before_the_body_is_sent(caller: Caller) -> None:
    length = LIMIT + 64 * 1024 + 1
    head = f"Content-Type: multipart/form-data; boundary=X\r\nContent-Length: {length}\r\n"

    assert b" 413 " in await _first_line(caller, head, b"")


async def test_chunked_body_is_refused_while_it_is_read(caller: Caller) -> None:
    head = "Content-Type: multipart/form-data; boundary=X\r\nTransfer-Encoding: chunked\r\n"
    part = b'--X\r\nContent-Disposition: form-data; name="audio"\r\n\r\n'
    pieces = [part, *[b"x" * 65_536] * 160, b"x"]
    body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)

    assert b" 413 " in await _first_line(caller, head, body)


async def test_audio_field_is_required(anyone: Caller) -> None:
    status, problem = await post(anyone, form(name="file"))

    assert (status, problem["code"]) == INVALID
    assert problem["detail"] == "the form must have the field audio"
    assert problem["params"] == {"field": "audio"}


async def test_audio_field_may_not_repeat(caller: Caller) -> None:
    made = form()
    made.add_field("audio", BytesIO(tone()), content_type="audio/wav")

    assert await refusal(caller, made) == INVALID


async def test_another_language_is_refused(caller: Caller) -> None:
    assert await refusal(caller, form(language="Chinese")) == INVALID


@pytest.mark.parametrize("kind", ["audio/wav", "application/json", "text/plain"])
async def test_body_without_a_form_is_refused(caller: Caller, kind: str) -> None:
    status, problem = await post(caller, tone(), **{"Content-Type": kind})

    assert (status, problem["code"]) == INVALID
    assert problem["detail"] == "body must be multipart/form-data"


async def test_a_form_that_is_cut_off_is_refused(caller: Caller) -> None:
    body = b'--X\r\nContent-Disposition: form-data; name="audio"\r\n\r\nRIFF'
    kind = "multipart/form-data; boundary=X"

    status, problem = await post(caller, body, **{"Content-Type": kind})

    assert (status, problem["detail"]) == (422, "body is not valid multipart/form-data")


@pytest.mark.parametrize("kind", ["audio/wav", "audio/mpeg", "text/plain"])
async def test_file_without_bytes_is_refused_as_empty(anyone: Caller, kind: str) -> None:
    assert await refusal(anyone, form(b"", kind=kind)) == EMPTY


async def test_a_header_without_sound_is_empty(anyone: Caller) -> None:
    assert await refusal(anyone, form(riff(fmt(), chunk(b"data", b"")))) == EMPTY


@pytest.mark.parametrize("kind", ["audio/mpeg", "audio/webm", "application/octet-stream"])
async def test_another_type_is_unsupported(anyone: Caller, kind: str) -> None:
    status, problem = await post(anyone, form(kind=kind))

    assert (status, problem["code"]) == UNSUPPORTED
    assert problem["detail"] == "audio must be one of audio/wav, audio/wave, audio/x-wav"


@pytest.mark.parametrize(
    "data",
    [b"ID3" + b"\0" * 100, b"OggS" + b"\0" * 100, tone()[:20], riff(fmt(tag=7, bits=8))],
    ids=["mp3", "ogg", "cut off", "compressed"],
)
async def test_content_that_contradicts_its_type_is_unsupported(
    anyone: Caller, data: bytes
) -> None:
    assert await refusal(anyone, form(data)) == UNSUPPORTED


async def test_without_a_recogniser_speech_is_unavailable(dsn: str, tmp_path: Path) -> None:
    nothing: JsonObject = {"asr_base_url": None, "asr_model_path": None}
    async with serving(dsn, model=ScriptedModel(), data_dir=tmp_path, **nothing) as served:
        caller = await served.account()
        status, problem = await post(caller, form())

    assert (status, problem["code"]) == UNAVAILABLE
    assert problem["detail"] == "this server has no speech recogniser"


async def test_an_endpoint_that_is_down_is_unavailable_and_not_named(
    dsn: str, tmp_path: Path
) -> None:
    url = "http://127.0.0.1:9/v1"
    async with serving(dsn, model=ScriptedModel(), data_dir=tmp_path, asr_base_url=url) as served:
        status, problem = await post(await served.account(), form())

    assert (status, problem["code"]) == UNAVAILABLE
    assert "127.0.0.1" not in str(problem)


@pytest.mark.skipif(bool(WHY_DEAF), reason=WHY_DEAF or "it can run")
async def test_real_speech_goes_through(dsn: str, tmp_path: Path) -> None:
    wav = speak("Good morning, my name is John and I live in London.", tmp_path)
    settings: JsonObject = {"asr_base_url": None, "asr_model_path": MODEL_FOLDER}

    async with serving(dsn, model=ScriptedModel(), data_dir=tmp_path, **settings) as served:
        caller = await served.account()
        patience = ClientTimeout(total=100)
        status, answer = await caller.send(
            "POST", TRANSCRIBE, data=form(wav, language="en"), timeout=patience
        )

    assert status == 200, answer
    assert "my name is John" in answer["transcript"]


async def _first_line(caller: Caller, head: str, body: bytes) -> bytes:
    """Send so much and no more, and take the first line of the answer."""
    at = urlsplit(caller.url)
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    own = "".join(f"{name}: {value}\r\n" for name, value in caller.headers.items())
    writer.write(f"POST {TRANSCRIBE} HTTP/1.1\r\nHost: 127.0.0.1\r\n{own}{head}\r\n".encode())
    writer.write(body)
    try:
        return await asyncio.wait_for(reader.readline(), PATIENCE_S)
    finally:
        writer.close()
