"""The client for OpenAI-compatible transcription endpoints.

Failures are told apart by exception type and status, never by words, and what is raised has no
provider text, address or key in it, nor a chained exception that has.
"""

from io import BytesIO
from types import TracebackType
from typing import Self

import aiohttp
import msgspec

from yarrow.kit.endpoint import Endpoint, parse_retry_after
from yarrow.speech.errors import (
    RecogniserBusy,
    RecogniserError,
    RecogniserFailed,
    RecogniserRefused,
    RecogniserTimeout,
)

CONNECT_TIMEOUT_S = 10.0
MAX_ANSWER_BYTES = 1024 * 1024
"""An hour of speech is a tenth of this."""


class _Answer(msgspec.Struct):
    text: str


class OpenAIRecogniser:
    """A `Recogniser` behind `POST {base_url}/audio/transcriptions`; opens its session on first use.

    Connections are not kept: recordings are rare, and a connection that the other side has closed
    in the meantime would have to be told from one that failed.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._url = endpoint.base_url + "/audio/transcriptions"
        key = endpoint.api_key
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timeout = aiohttp.ClientTimeout(
            total=endpoint.timeout_ms / 1000, sock_connect=CONNECT_TIMEOUT_S
        )
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the session; requests that still go on end."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    @property
    def name(self) -> str:
        """The model's name, as sent to the endpoint."""
        return self._endpoint.model

    async def transcribe(self, wav: bytes, language: str | None) -> str:
        """Send the recording, and take the text of the answer."""
        try:
            return await self._ask(self._form(wav, language))
        except (aiohttp.ClientError, TimeoutError) as error:
            raise self._failure(error) from None

    async def _ask(self, form: aiohttp.FormData) -> str:
        if self._session is None:
            self._session = _open_session()
        async with self._session.post(
            self._url,
            data=form,
            headers=self._headers,
            timeout=self._timeout,
            allow_redirects=False,
        ) as response:
            if response.status != 200:
                raise _failure_of_status(response)
            return _read_text(await _read_whole(response))

    def _form(self, wav: bytes, language: str | None) -> aiohttp.FormData:
        form = aiohttp.FormData()
        form.add_field("model", self._endpoint.model)
        form.add_field("response_format", "json")
        form.add_field("temperature", "0")
        if language is not None:
            form.add_field("language", language)
        # aiohttp sends `bytes` in one go, however large, and warns; a file goes in pieces.
        form.add_field("file", BytesIO(wav), filename="audio.wav", content_type="audio/wav")
        return form

    def _failure(self, error: aiohttp.ClientError | TimeoutError) -> RecogniserError:
        match error:
            case aiohttp.ConnectionTimeoutError():
                return RecogniserFailed()
            case TimeoutError():
                return RecogniserTimeout(self._endpoint.timeout_ms)
            case _:
                return RecogniserFailed()


def _open_session() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, force_close=True),
        cookie_jar=aiohttp.DummyCookieJar(),
    )


def _failure_of_status(response: aiohttp.ClientResponse) -> RecogniserError:
    match response.status:
        case 429:
            return RecogniserBusy(parse_retry_after(response.headers))
        case status if 300 <= status < 500:
            return RecogniserRefused(status)
        case _:
            return RecogniserFailed()


async def _read_whole(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > MAX_ANSWER_BYTES:
            raise RecogniserFailed
    return bytes(body)


def _read_text(body: bytes) -> str:
    try:
        return msgspec.json.decode(body, type=_Answer).text.strip()
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise RecogniserFailed from None
