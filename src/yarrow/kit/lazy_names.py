"""Packages whose names are imported from their modules when they are first asked for (PEP 562)."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from sys import modules


def import_names_lazily(
    package: str, names: Mapping[str, Sequence[str]]
) -> Callable[[str], object]:
    """The `__getattr__` of a package, by the names that each of its modules defines."""
    module_of = {name: module for module, defined in names.items() for name in defined}

    def get_name(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"{package}.{module_of[name]}"), name)
        setattr(modules[package], name, value)
        return value

    return get_name
