"""The error map and the OpenAPI page tell the truth."""

import aiohttp
import pytest

from yarrow.errors import YarrowError
from yarrow.protocols.account.errors import FAULTS


def every_error(kind: type[YarrowError] = YarrowError) -> list[type[YarrowError]]:
    return [error for child in kind.__subclasses__() for error in (child, *every_error(child))]


@pytest.mark.parametrize("kind", every_error())
def test_every_error_has_a_fault(kind: type[YarrowError]) -> None:
    assert any(ancestor in FAULTS for ancestor in kind.__mro__)


async def test_openapi_names_bodies_and_problems(client: aiohttp.ClientSession) -> None:
    async with client.get("/openapi.json") as answer:
        paths = (await answer.json())["paths"]

    signup = paths["/api/v1/auth/signup"]["post"]
    body = signup["requestBody"]["content"]["application/json"]["schema"]
    assert set(body["required"]) == {"email", "password"}
    assert body["additionalProperties"] is False
    assert set(signup["responses"]) == {"201", "409", "413", "422", "503"}
    ledger = paths["/api/v1/points/ledger"]["get"]
    assert ledger["security"] == [{"bearer": []}]
    problem = ledger["responses"]["401"]["content"]["application/problem+json"]["schema"]
    assert "code" in problem["required"]
