"""The product's own source, parsed once for all rules."""

import ast
import gc
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "yarrow"
DOCS = ROOT / "docs"

Function = ast.FunctionDef | ast.AsyncFunctionDef
NodeT = TypeVar("NodeT", bound=ast.AST)

STRING_OR_COMMENT = re.compile(
    r'''"""(?:\\.|[^\\])*?"""|'{3}(?:\\.|[^\\])*?'{3}'''
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?P<comment>\#[^\n]*)""",
    re.DOTALL,
)
"""Elsewhere source has neither quotes nor #. Splitting all of it into tokens takes a second."""


class Module(Struct, frozen=True, dict=True):
    """One file of the package."""

    path: str
    """Relative to `src/yarrow`."""
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2].removesuffix(".py")

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    @cached_property
    def _nodes(self) -> Mapping[type[ast.AST], list[ast.AST]]:
        """All nodes but contexts, by kind: a walk for each rule takes most of the tests' time."""
        nodes: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        for node in walk(self.tree):
            nodes[type(node)].append(node)
        return nodes

    def select(self, kind: type[NodeT]) -> Sequence[NodeT]:
        """All nodes of one kind, from the outermost to the innermost."""
        return self._nodes.get(kind, ())  # type: ignore[return-value]

    def at(self, node: ast.AST) -> str:
        """Return the node's place, for a message one can click on."""
        return f"src/yarrow/{self.path}:{getattr(node, 'lineno', 1)}"

    def functions(self) -> Iterator[Function]:
        yield from self.select(ast.FunctionDef)
        yield from self.select(ast.AsyncFunctionDef)

    def classes(self) -> Iterator[ast.ClassDef]:
        yield from self.select(ast.ClassDef)

    def literals(self) -> Iterator[ast.Constant]:
        """String constants that are not docstrings."""
        docstrings = {
            id(node.value) for node in self.select(ast.Expr) if isinstance(node.value, ast.Constant)
        }
        for node in self.select(ast.Constant):
            if isinstance(node.value, str | bytes) and id(node) not in docstrings:
                yield node

    @cached_property
    def comments(self) -> tuple[str, ...]:
        """Comments for people; those for tools do not count."""
        if "#" not in self.text:
            return ()
        texts = [found["comment"] for found in STRING_OR_COMMENT.finditer(self.text)]
        return tuple(t for t in texts if t and not t.startswith(("# noqa", "# type:")))


@cache
def modules() -> tuple[Module, ...]:
    """Parse the package. The collector is off meanwhile: it would look at a million live nodes."""
    gc.disable()
    try:
        parsed = tuple(_parse(path) for path in sorted(PACKAGE.rglob("*.py")))
        for module in parsed:
            module._nodes  # noqa: B018 - cached before the freeze
        gc.freeze()
        return parsed
    finally:
        gc.enable()


def _parse(path: Path) -> Module:
    text = path.read_text("utf-8")
    return Module(path.relative_to(PACKAGE).as_posix(), text, ast.parse(text))


def walk(root: ast.AST) -> list[ast.AST]:
    """A node and all below it but contexts (`Load`, `Store`), which no rule is about."""
    nodes = [root]
    for node in nodes:
        for name in node._fields:
            match getattr(node, name, None):
                case ast.expr_context():
                    pass
                case ast.AST() as child:
                    nodes.append(child)
                case list() as children:
                    nodes += [child for child in children if isinstance(child, ast.AST)]
    return nodes


def function_around(module: Module, node: ast.AST) -> str:
    """The name of the innermost function that holds a node; empty at module level."""
    line = getattr(node, "lineno", 0)
    around = [f for f in module.functions() if f.lineno <= line <= (f.end_lineno or 0)]
    return max(around, key=lambda f: f.lineno).name if around else ""
