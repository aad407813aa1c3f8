"""Print what the names tests measure, and every offender.

Usage: `python -m scripts.names [PACKAGE…]`, for example `python -m scripts.names runs agents`.
"""

import sys
from collections.abc import Mapping, Sequence

from tests.architecture import ceilings
from tests.architecture.any_uses import any_uses
from tests.architecture.names import doubled_classes, named_functions, wire_words
from tests.architecture.purity import database_in_routes, stores_in_routes
from tests.architecture.source import modules


def main() -> None:
    functions = named_functions()
    participles = [str(function) for function in functions if function.is_participle]
    dangling = [str(function) for function in functions if function.ends_in_preposition]
    lines = sum(module.lines for module in modules())
    hundred = len(functions) / 100
    figures = {
        "doubled class names": (len(doubled_classes()), ceilings.DOUBLED_CLASS_NAMES),
        "participle functions, %": (
            len(participles) / hundred,
            ceilings.PARTICIPLE_FUNCTIONS_PERCENT,
        ),
        "preposition functions, %": (
            len(dangling) / hundred,
            ceilings.PREPOSITION_FUNCTIONS_PERCENT,
        ),
        "wire words inside": (len(wire_words()), ceilings.WIRE_WORDS_INSIDE),
        "stores in routes": (len(stores_in_routes()), ceilings.STORES_IN_ROUTES),
        "database in routes": (len(database_in_routes()), ceilings.DATABASE_IN_ROUTES),
        "Any per 1,000 lines": (len(any_uses()) / lines * 1000, ceilings.ANY_PER_1000_LINES),
    }
    offenders = {
        "doubled class names": [f"{p} {n}" for n, at in doubled_classes().items() for p in at],
        "participle functions": participles,
        "preposition functions": dangling,
        "wire words inside": wire_words(),
        "stores in routes": stores_in_routes(),
        "database in routes": database_in_routes(),
        "Any and its aliases": any_uses(),
    }
    print_figures(figures)
    print_offenders(offenders, sys.argv[1:])


def print_figures(figures: Mapping[str, tuple[float, float]]) -> None:
    for name, (figure, ceiling) in figures.items():
        verdict = "too many" if figure > ceiling else "lower the ceiling" * (figure < ceiling)
        print(f"{name:26} {figure:7.1f}   ceiling {ceiling:6.1f}   {verdict}")


def print_offenders(offenders: Mapping[str, Sequence[str]], packages: Sequence[str]) -> None:
    """Print offenders of these packages; without any, all but the many uses of `Any`."""
    prefixes = tuple(f"src/yarrow/{name.strip('/')}" for name in packages)
    for rule, lines in offenders.items():
        shown = [line for line in sorted(lines) if line.startswith(prefixes or "src/")]
        if not packages and rule.startswith("Any"):
            continue
        print(f"\n{rule}: {len(shown)}")
        print("\n".join(f"  {line}" for line in shown))


if __name__ == "__main__":
    main()
