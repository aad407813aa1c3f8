"""The tables that `summarise_table` reads, in a sandbox for all tests of this folder."""

from tests.integration.tables.conftest import sandbox, tables

__all__ = ["sandbox", "tables"]
