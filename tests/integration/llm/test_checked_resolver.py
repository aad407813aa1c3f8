"""Host names of client models, resolved to addresses on loopback."""

import socket
from collections.abc import AsyncIterator

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from yarrow.kit.endpoint import Endpoint
from yarrow.kit.http_client import open_session
from yarrow.llm.allowed_addresses import AllowedAddresses
from yarrow.llm.checked_resolver import CheckedResolver
from yarrow.llm.errors import ModelAddressDenied
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole
from yarrow.llm.openai import OpenAIChat
from yarrow.llm.openai_models import fetch_models
from yarrow.llm.scripted_server import ScriptedServer, serve_scripted

HOST = "models.example.com"
QUESTION = ChatRequest((ChatMessage(ChatRole.USER, "hi"),))


class FixedResolver(AbstractResolver):
    """Every host has these addresses, the first list for the first question and so on."""

    def __init__(self, *answers: list[str]) -> None:
        self.questions = 0
        self._answers = answers

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        addresses = self._answers[min(self.questions, len(self._answers) - 1)]
        self.questions += 1
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        pass


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with serve_scripted() as running:
        yield running


async def ask(server: ScriptedServer, pattern: str, resolver: FixedResolver) -> int:
    """How many chunks the model behind the host name sends."""
    checked = CheckedResolver(AllowedAddresses([pattern]), inner=resolver)
    async with open_session(keep_alive_s=1, resolver=checked) as session:
        model = OpenAIChat(Endpoint(f"http://{HOST}:{server.port}/v1", "m"), session)
        return len([chunk async for chunk in model.stream(QUESTION)])


@pytest.mark.parametrize("pattern", ["http://*.example.com:*/*", "*"])
async def test_a_name_that_leads_to_loopback_is_not_dialled(
    server: ScriptedServer, pattern: str
) -> None:
    with pytest.raises(ModelAddressDenied):
        await ask(server, pattern, FixedResolver(["127.0.0.1"]))

    assert server.stats.requests == 0


async def test_the_models_of_a_denied_address_are_not_listed(server: ScriptedServer) -> None:
    checked = CheckedResolver(AllowedAddresses(["*"]), inner=FixedResolver(["127.0.0.1"]))
    endpoint = Endpoint(f"http://{HOST}:{server.port}/v1", "m")

    async with open_session(keep_alive_s=1, resolver=checked) as session:
        with pytest.raises(ModelAddressDenied):
            await fetch_models(endpoint, session)


async def test_a_host_that_is_written_out_may_be_on_loopback(server: ScriptedServer) -> None:
    assert await ask(server, f"http://{HOST}:*/*", FixedResolver(["127.0.0.1"])) > 0


async def test_the_other_ports_of_a_host_that_is_written_out_are_not(
    server: ScriptedServer,
) -> None:
    checked = CheckedResolver(
        AllowedAddresses([f"http://{HOST}:1/*", "*"]), inner=FixedResolver(["127.0.0.1"])
    )

    assert await checked.resolve(HOST, 1)
    with pytest.raises(OSError, match="public"):
        await checked.resolve(HOST, server.port)


async def test_the_address_that_was_checked_is_the_one_that_is_dialled(
    server: ScriptedServer,
) -> None:
    """A name with a public address for the check, and loopback for a second question."""
    resolver = FixedResolver(["203.0.113.1", "8.8.8.8"], ["127.0.0.1"])
    checked = CheckedResolver(AllowedAddresses(["*"]), inner=resolver)

    addresses = [result["host"] for result in await checked.resolve(HOST, server.port)]

    assert addresses == ["8.8.8.8"]
    assert resolver.questions == 1
