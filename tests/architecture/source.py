"""The product's own source, parsed once for all rules."""

import ast
import gc
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "yarrow"
DOCS = ROOT / "docs"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
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
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree: walking it again for each rule takes most of the tests' time."""
        return tuple(ast.walk(self.tree))

    def at(self, node: ast.AST) -> str:
        """Return the node's place, for a message one can click on."""
        return f"src/yarrow/{self.path}:{getattr(node, 'lineno', 1)}"

    def functions(self) -> Iterator[Function]:
        for node in self.nodes:
            if isinstance(node, Function):
                yield node

    def classes(self) -> Iterator[ast.ClassDef]:
        for node in self.nodes:
            if isinstance(node, ast.ClassDef):
                yield node

    def literals(self) -> Iterator[ast.Constant]:
        """String constants that are not docstrings."""
        docstrings = {
            id(node.value)
            for node in self.nodes
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for node in self.nodes:
            match node:
                case ast.Constant(value=str() | bytes()) if id(node) not in docstrings:
                    yield node

    @cached_property
    def comments(self) -> tuple[str, ...]:
        """Comments for people; those for tools do not count."""
        if "#" not in self.text:
            return ()
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        texts = [token.string for token in tokens if token.type == tokenize.COMMENT]
        return tuple(text for text in texts if not text.startswith(("# noqa", "# type:")))


@cache
def modules() -> tuple[Module, ...]:
    """Parse the package. The collector is off meanwhile: it would look at a million live nodes."""
    gc.disable()
    try:
        parsed = tuple(_parse(path) for path in sorted(PACKAGE.rglob("*.py")))
        for module in parsed:
            module.nodes  # noqa: B018 - cached before the freeze
        gc.freeze()
        return parsed
    finally:
        gc.enable()


def _parse(path: Path) -> Module:
    text = path.read_text("utf-8")
    return Module(path.relative_to(PACKAGE).as_posix(), text, ast.parse(text))


def function_around(module: Module, node: ast.AST) -> str:
    """The name of the innermost function that holds a node; empty at module level."""
    line = getattr(node, "lineno", 0)
    around = [f for f in module.functions() if f.lineno <= line <= (f.end_lineno or 0)]
    return max(around, key=lambda f: f.lineno).name if around else ""
