"""The tree of all error classes, as it is drawn in `docs/protocols/error-codes.md`."""

import importlib
from collections.abc import Iterator
from functools import cache

from tests.architecture.pages import CODES
from tests.architecture.source import modules

from yarrow.errors import YarrowError

_FENCE = "```text\nYarrowError"


@cache
def error_classes() -> tuple[type[YarrowError], ...]:
    """Every error class of the package, parents before children."""
    for module in modules():
        if module.name == "errors":
            importlib.import_module(f"yarrow.{module.path.removesuffix('.py').replace('/', '.')}")
    return tuple(subclasses(YarrowError))


def subclasses(kind: type[YarrowError]) -> Iterator[type[YarrowError]]:
    """The classes of the package below one; those that a test defines do not count."""
    for child in sorted(kind.__subclasses__(), key=lambda child: child.__name__):
        if child.__module__.startswith("yarrow."):
            yield child
            yield from subclasses(child)


def draw_tree() -> str:
    """The tree with the module and the meaning of each class."""
    error_classes()
    drawn = [("YarrowError", YarrowError), *_branches(YarrowError, "")]
    width = max(len(branch) for branch, _ in drawn)
    return "\n".join(f"{branch:<{width}}  {_meaning(kind)}" for branch, kind in drawn)


def written_tree() -> str:
    """The tree as the page has it."""
    return _split()[1]


def write_tree() -> None:
    """Bring the page up to date."""
    before, _, after = _split()
    CODES.write_text(f"{before}{draw_tree()}{after}", "utf-8")


def _branches(kind: type[YarrowError], lead: str) -> Iterator[tuple[str, type[YarrowError]]]:
    children = [child for child in subclasses(kind) if child.__bases__[0] is kind]
    for child in children:
        last = child is children[-1]
        yield f"{lead}{'└─' if last else '├─'} {child.__name__}", child
        yield from _branches(child, f"{lead}{'   ' if last else '│  '}")


def _meaning(kind: type[YarrowError]) -> str:
    module = kind.__module__.removeprefix("yarrow.").removesuffix("errors").strip(".")
    first_line = (kind.__doc__ or "").strip().split("\n")[0]
    return f"{module}: {first_line}" if module else first_line


def _split() -> tuple[str, str, str]:
    text = CODES.read_text("utf-8")
    start = text.index(_FENCE) + len(_FENCE) - len("YarrowError")
    end = text.index("\n```", start)
    return text[:start], text[start:end], text[end:]
