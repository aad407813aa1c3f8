"""A served product for each test that wants one, and one for the tests of most folders."""

from tests.product_fixtures import model, served
from tests.protocols.fixtures import shared_model, shared_served

__all__ = ["model", "served", "shared_model", "shared_served"]
