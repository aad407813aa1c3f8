"""A served product for each test that wants one, and an account for each test."""

import pytest
from tests.new_account import new_account
from tests.product_fixtures import model, served

from yarrow.db import Database
from yarrow.ids import AccountId

__all__ = ["model", "served"]


@pytest.fixture
async def account_id(database: Database) -> AccountId:
    return await new_account(database)
