"""Pure packages take time, randomness and files as arguments; routes leave SQL to verbs."""

from tests.architecture import ceilings
from tests.architecture.purity import (
    ALLOWED,
    PURE_PACKAGES,
    database_in_routes,
    impure_imports,
    stores_in_routes,
)
from tests.architecture.source import PACKAGE


def test_pure_packages_import_nothing_impure() -> None:
    imports = impure_imports()

    assert imports.keys() - ALLOWED.keys() == set(), (
        "pass the value in (a clock, a seeded Random, bytes), or move the code out of the pure "
        f"package; an exception needs a reason in ALLOWED: {imports}"
    )
    assert ALLOWED.keys() - imports.keys() == set(), "remove exceptions that nothing needs"


def test_pure_packages_exist() -> None:
    assert [name for name in PURE_PACKAGES if not (PACKAGE / name).is_dir()] == []


def test_routes_use_no_stores_and_open_no_connections() -> None:
    used = stores_in_routes()

    assert len(used) <= ceilings.STORES_IN_ROUTES, (
        "a route parses, calls one verb and encodes; the verb opens the connection and calls the "
        f"store: {used}"
    )


def test_routes_do_not_import_the_database() -> None:
    used = database_in_routes()

    assert len(used) <= ceilings.DATABASE_IN_ROUTES, (
        f"take what the verbs need (an engine, a story library) as one argument: {used}"
    )
