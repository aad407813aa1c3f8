"""The error map and the OpenAPI page tell the truth."""

import aiohttp


async def test_openapi_names_bodies_and_problems(client: aiohttp.ClientSession) -> None:
    async with client.get("/openapi.json") as answer:
        paths = (await answer.json())["paths"]

    signup = paths["/api/v1/auth/signup"]["post"]
    body = signup["requestBody"]["content"]["application/json"]["schema"]
    assert set(body["required"]) == {"email", "password"}
    assert body["additionalProperties"] is False
    assert set(signup["responses"]) == {"201", "409", "413", "422", "429", "503"}
    settings = paths["/api/v1/profile"]["patch"]["requestBody"]["content"]["application/json"][
        "schema"
    ]["properties"]["settings"]
    keys = {"ai_language", "timezone", "day_boundary", "script", "gender"}
    assert set(settings["properties"]) == keys
    assert settings["additionalProperties"] is False
    ledger = paths["/api/v1/points/ledger"]["get"]
    assert ledger["security"] == [{"bearer": []}]
    problem = ledger["responses"]["401"]["content"]["application/problem+json"]["schema"]
    assert "code" in problem["required"]
