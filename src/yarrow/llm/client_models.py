"""Models that clients bring: the endpoint and key of a request, encrypted while its run waits.

Another process may execute the run, so the endpoint is stored with it, encrypted with a key of
the server, and nowhere else.
"""

import base64

import msgspec
from msgspec import Struct

from yarrow.errors import InvalidInput
from yarrow.kit.endpoint import Endpoint
from yarrow.kit.secrets_box import SecretsBox
from yarrow.llm.endpoint_model import EndpointModel, ModelConnections
from yarrow.llm.errors import ModelAddressDenied, ModelDenied
from yarrow.llm.model import ChatModel


class _ClientModel(Struct, frozen=True):
    base_url: str
    model: str
    api_key: str


class ClientModels:
    """Encrypts a client's endpoint, and opens it where the run is executed.

    Connections to all addresses are for a server with one local user only: any other client could
    reach the server's own network through it.
    """

    def __init__(
        self,
        secret: bytes,
        connections: ModelConnections,
        *,
        timeout_ms: int,
        answer_timeout_ms: int,
    ) -> None:
        self._box = SecretsBox(secret, purpose="models that clients bring")
        self._connections = connections
        self._timeout_ms, self._answer_timeout_ms = timeout_ms, answer_timeout_ms

    def encrypt(self, *, base_url: str, model: str, api_key: str) -> str:
        """Text to store with a run; `InvalidInput` if the address is not allowed."""
        self.require_allowed(base_url)
        plaintext = msgspec.json.encode(_ClientModel(base_url, model, api_key))
        return base64.b64encode(self._box.encrypt(plaintext)).decode()

    def open_model(self, encrypted: str) -> ChatModel:
        """The model of a run; one encrypted with another secret fails like a wrong key.

        The address is checked again: the process that accepted the run may have other settings.
        """
        plaintext = self._box.decrypt(base64.b64decode(encrypted))
        if plaintext is None:
            raise ModelDenied(401)
        model = msgspec.json.decode(plaintext, type=_ClientModel)
        return self.connect(base_url=model.base_url, model=model.model, api_key=model.api_key)

    def require_allowed(self, base_url: str) -> None:
        """Raise `InvalidInput` if clients may not bring this address."""
        allowed = self._connections.allowed
        if allowed is not None:
            allowed.require(base_url)

    def connect(self, *, base_url: str, model: str, api_key: str) -> ChatModel:
        """The model at an address; `ModelAddressDenied` if the address is not allowed."""
        try:
            self.require_allowed(base_url)
        except InvalidInput:
            raise ModelAddressDenied from None
        endpoint = Endpoint(base_url, model, api_key, self._timeout_ms, self._answer_timeout_ms)
        return EndpointModel(endpoint, self._connections)

    async def list_models(self, *, base_url: str, api_key: str) -> list[str]:
        """The names that `GET /models` of an endpoint lists; raises `ModelError`."""
        try:
            self.require_allowed(base_url)
        except InvalidInput:
            raise ModelAddressDenied from None
        endpoint = Endpoint(base_url, "", api_key, self._timeout_ms)
        client = await self._connections.open()
        return await client.list_models(endpoint)
