"""A served product for each test that wants one."""

from tests.product_fixtures import model, served

__all__ = ["model", "served"]
