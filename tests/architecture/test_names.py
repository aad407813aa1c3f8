"""No drawers for orphans, no nouns that stand in for a missing verb."""

import re
import tomllib

from tests.architecture.source import PACKAGE, ROOT, modules

DRAWERS = frozenset(
    {
        *("util", "utils", "helper", "helpers", "common", "misc", "base"),
        *("manager", "managers", "handler", "handlers"),
        *("service", "services", "processor", "processors"),
    }
)


def words_of(name: str) -> set[str]:
    """The words of a snake_case or CamelCase name, in lower case."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)}


def test_modules_are_named_after_what_they_hold() -> None:
    parts = {part for m in modules() for part in m.path.removesuffix(".py").split("/")}

    assert [part for part in sorted(parts) if words_of(part) & DRAWERS] == []


def test_classes_are_named_after_what_they_are() -> None:
    bad = [
        f"{module.at(node)} {node.name}"
        for module in modules()
        for node in module.classes()
        if words_of(node.name) & DRAWERS
    ]

    assert bad == []


def test_every_package_has_its_place_in_the_import_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layered = set(re.findall(r"yarrow\.(\w+)", " ".join(contracts["contracts"][0]["layers"])))
    real = {
        path.stem
        for path in PACKAGE.iterdir()
        if not path.name.startswith("_") and (path.is_dir() or path.suffix == ".py")
    }

    assert real - layered == set()


def test_every_protocol_is_independent_of_the_others() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    independent = set(contracts["contracts"][1]["modules"])
    folders = [p.parent.name for p in (PACKAGE / "protocols").glob("*/__init__.py")]

    assert {f"yarrow.protocols.{name}" for name in folders} == independent


def test_the_contracts_are_part_of_make_check() -> None:
    recipe = (ROOT / "Makefile").read_text().split("\ncheck:")[1].split("\n\n")[0]

    assert "lint-imports" in recipe
