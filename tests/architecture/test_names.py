"""Names say what they name: unique nouns, imperative verbs, no wire words inside.

`python -m scripts.names` prints every offender, by package.
"""

import re
import tomllib

import pytest
from tests.architecture import ceilings
from tests.architecture.names import (
    OTHER_MEANINGS,
    camel_words,
    doubled_classes,
    is_participle,
    named_functions,
    wire_words,
)
from tests.architecture.source import PACKAGE, ROOT, modules

DRAWERS = frozenset(
    {
        *("util", "utils", "helper", "helpers", "common", "misc", "base"),
        *("manager", "managers", "handler", "handlers"),
        *("service", "services", "processor", "processors"),
    }
)


def test_modules_are_named_after_what_they_hold() -> None:
    parts = {part for m in modules() for part in m.path.removesuffix(".py").split("/")}

    assert [part for part in sorted(parts) if DRAWERS & set(camel_words(part))] == []


def test_rules_are_named_after_what_they_decide() -> None:
    assert [module.path for module in modules() if module.name == "rules"] == []


def test_classes_are_named_after_what_they_are() -> None:
    bad = [
        f"{module.at(node)} {node.name}"
        for module in modules()
        for node in module.classes()
        if DRAWERS & set(camel_words(node.name))
    ]

    assert bad == []


def test_class_names_are_unique_in_the_package() -> None:
    doubled = doubled_classes()

    assert len(doubled) <= ceilings.DOUBLED_CLASS_NAMES, (
        f"{len(doubled)} class names are used twice; give each two words that tell them apart "
        f"(ChartColumn, SandboxColumn): {doubled}"
    )


def test_functions_are_not_named_by_a_participle() -> None:
    functions = named_functions()
    participles = [str(function) for function in functions if function.is_participle]

    share = 100 * len(participles) / len(functions)
    assert share <= ceilings.PARTICIPLE_FUNCTIONS_PERCENT, (
        f"{share:.1f} % of functions begin with a past participle, which names data; begin with an "
        f"imperative verb (make_chart instead of charted): {participles}"
    )


def test_functions_do_not_end_in_a_preposition() -> None:
    functions = named_functions()
    dangling = [str(function) for function in functions if function.ends_in_preposition]

    share = 100 * len(dangling) / len(functions)
    assert share <= ceilings.PREPOSITION_FUNCTIONS_PERCENT, (
        f"{share:.1f} % of functions end in a preposition; name the object or the result "
        f"(first_heading instead of title_of): {dangling}"
    )


def test_wire_words_stay_at_the_edge() -> None:
    used = wire_words()

    assert len(used) <= ceilings.WIRE_WORDS_INSIDE, (
        "a protocol's word is translated in its intake and encode modules; inside use the nouns of "
        f"ARCHITECTURE.md (floor: turn, page: message version, threadId: session): {used}"
    )


@pytest.mark.parametrize("folder", OTHER_MEANINGS)
def test_exceptions_for_wire_words_name_something_that_exists(folder: str) -> None:
    assert any(module.path.startswith(folder) for module in modules())


@pytest.mark.parametrize("word", ["told", "kept", "charted", "hidden", "written", "unsent"])
def test_participles_are_recognised(word: str) -> None:
    assert is_participle(word)


@pytest.mark.parametrize("word", ["need", "feed", "seed", "open", "listen", "read", "set", "run"])
def test_imperatives_that_look_like_participles_are_allowed(word: str) -> None:
    assert not is_participle(word)


def test_every_package_has_its_place_in_the_import_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layered = set(re.findall(r"yarrow\.(\w+)", " ".join(contracts["contracts"][0]["layers"])))
    real = {
        path.stem
        for path in PACKAGE.iterdir()
        if not path.name.startswith("_") and (any(path.glob("*.py")) or path.suffix == ".py")
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
