"""A model that the client brings: its endpoint and key, sealed while the run waits.

Whoever executes a run has to know the endpoint, and that may be another process; so it is kept
with the run, encrypted with a key of the server's, and never in any other place.
"""

import base64
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

import aiohttp
import msgspec

from yarrow.errors import InvalidInput
from yarrow.kit.endpoint import Endpoint
from yarrow.kit.signing import derive_key
from yarrow.llm.errors import ModelDenied
from yarrow.llm.model import ChatModel
from yarrow.llm.openai import OpenAIChat, open_session

if TYPE_CHECKING:
    from yarrow.llm.seal import Seal


class _Sealed(msgspec.Struct, frozen=True):
    base_url: str
    model: str
    api_key: str


class BroughtModels:
    """Seals what a client brings, and opens it again where the run is executed.

    `allowed` are patterns of addresses; None allows all, which only a server for one local
    user may do: anybody else could use us to reach into our own network.
    """

    def __init__(self, secret: bytes, *, allowed: Sequence[str] | None, timeout_ms: int) -> None:
        self._key = derive_key(secret, "models that clients bring")
        self._allowed = allowed
        self._timeout_ms = timeout_ms
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Hang up on all endpoints."""
        if self._session is not None:
            await self._session.close()

    def seal(self, *, base_url: str, model: str, api_key: str) -> str:
        """Text to keep with a run; `InvalidInput` if the address is not allowed."""
        if self._allowed is not None and not any(
            fnmatchcase(base_url, pattern) for pattern in self._allowed
        ):
            raise InvalidInput(
                "model.api_base is not one that this server allows", field="model.api_base"
            )
        plain = msgspec.json.encode(_Sealed(base_url, model, api_key))
        return base64.b64encode(self._seal.close(plain)).decode()

    def open(self, sealed: str) -> ChatModel:
        """The model behind it; one sealed with another secret is refused like a wrong key."""
        plain = self._seal.open(base64.b64decode(sealed))
        if plain is None:
            raise ModelDenied(401)
        brought = msgspec.json.decode(plain, type=_Sealed)
        if self._session is None:
            self._session = open_session()
        endpoint = Endpoint(brought.base_url, brought.model, brought.api_key, self._timeout_ms)
        return OpenAIChat(endpoint, session=self._session)

    @cached_property
    def _seal(self) -> "Seal":
        """Loaded when a client brings a model: the cipher's library weighs 7 MB."""
        from yarrow.llm.seal import Seal  # noqa: PLC0415

        return Seal(self._key)
