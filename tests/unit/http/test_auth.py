"""Bearer tokens, and the account behind them."""

from uuid import UUID

import pytest
from fastapi import FastAPI
from tests.unit.http.asgi import call

from yarrow.errors import Unauthenticated
from yarrow.http.auth import CurrentAccount, parse_bearer
from yarrow.ids import AccountId


@pytest.mark.parametrize(
    ("header", "token"),
    [(None, None), ("", None), ("Bearer abc", "abc"), ("bearer  abc ", "abc")],
)
def test_token_is_taken_from_the_header(header: str | None, token: str | None) -> None:
    assert parse_bearer(header) == token


@pytest.mark.parametrize("header", ["Basic abc", "Bearer", "Bearer ", "Bearer " + "x" * 8193])
def test_other_header_is_refused(header: str) -> None:
    with pytest.raises(Unauthenticated):
        parse_bearer(header)


async def test_route_gets_the_account_behind_the_token() -> None:
    app = FastAPI()

    async def identify(token: str | None) -> AccountId:
        return AccountId(UUID(token))

    app.state.identify = identify

    @app.get("/me")
    async def me(account_id: CurrentAccount) -> str:
        return str(account_id)

    answer = await call(app, "/me", headers={"authorization": f"Bearer {UUID(int=9)}"})

    assert answer.json == str(UUID(int=9))
    schemes = app.openapi()["components"]["securitySchemes"]
    assert schemes == {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}}
