"""The client for OpenAI-compatible transcription endpoints.

Errors are classified by exception type and status. What is raised has no provider text, address
or key in it, nor a chained exception that has.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO

import aiohttp
import msgspec

from yarrow.kit.endpoint import Endpoint
from yarrow.kit.http_client import open_session, read_body, read_retry_delay
from yarrow.speech.errors import (
    RecogniserBusy,
    RecogniserError,
    RecogniserFailed,
    RecogniserRefused,
    RecogniserTimeout,
)

CONNECT_TIMEOUT_S = 10.0
MAX_RESPONSE_BYTES = 1024 * 1024
"""An hour of speech is a tenth of this."""


class _Transcript(msgspec.Struct):
    text: str


class OpenAIRecogniser:
    """A `Recogniser` behind `POST {base_url}/audio/transcriptions`.

    The session belongs to the caller.
    """

    def __init__(self, endpoint: Endpoint, session: aiohttp.ClientSession) -> None:
        self._endpoint, self._session = endpoint, session
        self._url = endpoint.base_url + "/audio/transcriptions"
        self._timeout = aiohttp.ClientTimeout(
            total=endpoint.timeout_ms / 1000, sock_connect=CONNECT_TIMEOUT_S
        )

    @property
    def name(self) -> str:
        """The model's name, as sent to the endpoint."""
        return self._endpoint.model

    async def transcribe(self, wav: bytes, language: str | None) -> str:
        """Send the recording and return the text of the response."""
        try:
            return await self._post_form(self._build_form(wav, language))
        except (aiohttp.ClientError, TimeoutError) as error:
            raise self._convert_error(error) from None

    async def _post_form(self, form: aiohttp.FormData) -> str:
        async with self._session.post(
            self._url,
            data=form,
            headers=self._endpoint.authorization,
            timeout=self._timeout,
            allow_redirects=False,
        ) as response:
            if response.status != 200:
                raise _error_for_status(response)
            body = await read_body(response, max_bytes=MAX_RESPONSE_BYTES)
            if body is None:
                raise RecogniserFailed
            return _read_text(body)

    def _build_form(self, wav: bytes, language: str | None) -> aiohttp.FormData:
        form = aiohttp.FormData()
        form.add_field("model", self._endpoint.model)
        form.add_field("response_format", "json")
        form.add_field("temperature", "0")
        if language is not None:
            form.add_field("language", language)
        # aiohttp sends `bytes` in one write, however large, and warns; a file goes in pieces.
        form.add_field("file", BytesIO(wav), filename="audio.wav", content_type="audio/wav")
        return form

    def _convert_error(self, error: aiohttp.ClientError | TimeoutError) -> RecogniserError:
        match error:
            case aiohttp.ConnectionTimeoutError():
                return RecogniserFailed()
            case TimeoutError():
                return RecogniserTimeout(self._endpoint.timeout_ms)
            case _:
                return RecogniserFailed()


@asynccontextmanager
async def open_openai_recogniser(endpoint: Endpoint) -> AsyncIterator[OpenAIRecogniser]:
    """The recogniser behind the endpoint, with a session of its own for the length of the block.

    Connections are not reused: recordings are rare, and a connection that was closed meanwhile
    could not be distinguished from one that failed.
    """
    async with open_session(keep_alive_s=None) as session:
        yield OpenAIRecogniser(endpoint, session)


def _error_for_status(response: aiohttp.ClientResponse) -> RecogniserError:
    match response.status:
        case 429:
            return RecogniserBusy(read_retry_delay(response.headers))
        case status if 300 <= status < 500:
            return RecogniserRefused(status)
        case _:
            return RecogniserFailed()


def _read_text(body: bytes) -> str:
    try:
        return msgspec.json.decode(body, type=_Transcript).text.strip()
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise RecogniserFailed from None
