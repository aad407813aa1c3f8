"""Plain code: reckons with frames and arrays, and leaves nothing behind in its process.

Most programs for a chart are plain. They may run where others of the same workspace ran before,
which is ten times as fast as a process of their own. This is no lock, the jail is: it only tells
code that works on frames from code that also reaches into libraries, files or the interpreter.
What is not known to be plain is not plain.
"""

import ast
import builtins
import re
from collections.abc import Mapping
from types import ModuleType
from typing import TypeGuard

import numpy as np
import pandas as pd

MAX_LENGTH = 20_000
READ_TABLE = "__read_table__"
PUT = "__put__"
FILTER = "__filter__"

LABELS = frozenset({"columns", "index", "name", "names"})
"""What of a frame plain code may set: `frame.columns = …` becomes a call of `PUT`."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NODES = (
    *(ast.Module, ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.Pass),
    *(ast.For, ast.While, ast.If, ast.Break, ast.Continue, ast.Assert, ast.Raise),
    *(ast.Try, ast.ExceptHandler, ast.FunctionDef, ast.Return, ast.Lambda, ast.arguments, ast.arg),
    *(ast.Import, ast.ImportFrom, ast.alias, ast.Call, ast.keyword, ast.Starred, ast.NamedExpr),
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare, ast.Attribute, ast.Subscript),
    *(ast.Slice, ast.Name, ast.Constant, ast.JoinedStr, ast.FormattedValue),
    *(ast.List, ast.Tuple, ast.Dict, ast.Set, ast.comprehension),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    *(ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
)

_BUILTINS = _words(
    "abs all any bool dict divmod enumerate filter float format frozenset int "
    "isinstance iter len list map max min next pow print range repr reversed round set "
    "slice sorted str sum tuple zip True False None Exception ValueError KeyError "
    "TypeError IndexError ZeroDivisionError AttributeError ArithmeticError LookupError "
    "RuntimeError"
)

_FRAMES_STATE = _words(
    "describe_option eval get_option option_context options reset_option "
    "set_eng_float_format set_option show_versions test ExcelFile ExcelWriter HDFStore "
    "to_pickle"
)
_ARRAYS_STATE = _words(
    "errstate fromfile fromregex genfromtxt get_include info load loadtxt memmap "
    "printoptions save savetxt savez savez_compressed set_printoptions setbufsize "
    "seterr seterrcall show_config show_runtime test "
    "chararray ndarray recarray"
)
"""The last three make an array of any memory, and of objects at any address."""
_CHANCE_STATE = frozenset({"get_bit_generator", "set_bit_generator", "test"})


def _names_of(module: ModuleType, *, but: frozenset[str] = frozenset()) -> frozenset[str]:
    """What of a module plain code may use: no other modules, nothing that can be changed."""
    changeable = (ModuleType, dict, list, set)
    return frozenset(
        name
        for name, value in vars(module).items()
        if not (name.startswith("_") or name in but or isinstance(value, changeable))
    )


_MODULES: Mapping[str, frozenset[str]] = {
    "pandas": frozenset(
        name
        for name in _names_of(pd, but=_FRAMES_STATE)
        if name == "read_parquet" or not name.startswith("read_")
    ),
    "numpy": _names_of(np, but=_ARRAYS_STATE) | {"random", "linalg"},
    "numpy.random": _names_of(np.random, but=_CHANCE_STATE),
    "numpy.linalg": _names_of(np.linalg, but=frozenset({"test"})),
    "math": _words(
        "ceil comb copysign cos degrees dist e exp fabs factorial floor fmod fsum gcd "
        "hypot inf isclose isfinite isinf isnan isqrt lcm log log10 log1p log2 nan perm "
        "pi pow prod radians remainder sin sqrt tan tau trunc"
    ),
    "datetime": frozenset({"date", "datetime", "time", "timedelta", "timezone", "UTC"}),
    "re": _words("compile escape findall finditer fullmatch match search split sub"),
    "collections": frozenset({"Counter", "OrderedDict", "defaultdict"}),
    "itertools": _words(
        "accumulate chain combinations groupby islice pairwise permutations product "
        "repeat zip_longest"
    ),
    "functools": frozenset({"partial", "reduce"}),
    "statistics": _words("fmean mean median mode pstdev pvariance quantiles stdev"),
    "decimal": frozenset({"Decimal", "ROUND_HALF_EVEN", "ROUND_HALF_UP"}),
}

_GIVEN = {"pd": "pandas", "np": "numpy"}
"""Names that are there before the code has imported anything."""
_ELSEWHERE_GIVEN = frozenset({"duckdb"})
"""Those that only a process of its own has."""

_INSIDE = ("_", "ag_", "co_", "cr_", "f_", "func_", "gi_", "tb_")
"""How the names begin by which one gets from values to the interpreter."""
_LEAVING = _words("capsule cffi ctypes mro resize setflags")
"""Ways to memory that is not one's own; `resize` frees what views still look at."""
_DRAWING = _words("boxplot hist plot style")
"""A frame's style has templates, which run code; a drawing imports what its text names."""
_RUNNING = _words("dump eval query tofile") | _DRAWING
_FILTER = re.compile(r"[\w\s<>=!&|'\"+*/%,\[\]-]*")
"""Of `query`: comparisons of columns. It can also call methods, and read variables by `@`."""
_MADE = _words(
    "to_datetime to_dict to_frame to_list to_numeric to_numpy to_offset to_period "
    "to_records to_series to_string to_timedelta to_timestamp to_julian_date "
    "to_pydatetime to_pytimedelta to_flat_index"
)
"""What begins with `to_` and does not write files, or only into scratch that is never read."""


class _NotPlain(Exception):
    """Something that is not known to be harmless."""


def read_plain(code: str) -> ast.Module | None:
    """The code, if it is plain: tables are read by `READ_TABLE`, labels are set by `PUT`, and
    rows are chosen by `FILTER`."""
    if len(code) > MAX_LENGTH:
        return None
    try:
        tree: ast.Module = _Reader().visit(ast.parse(code))
    except (_NotPlain, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return ast.fix_missing_locations(tree)


def plain_builtins() -> dict[str, object]:
    """The builtins that plain code may name, and the one that its imports need."""
    return {name: getattr(builtins, name) for name in (*_BUILTINS, "__import__")}


class _Reader(ast.NodeTransformer):
    """Walks a tree, refuses what is not plain, and puts our functions in for two of its ways."""

    def __init__(self) -> None:
        self._modules = dict(_GIVEN)

    def visit_Module(self, node: ast.Module) -> ast.AST:
        """Imports first: a function may name what is imported after it."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Import):
                self._bind(inner)
        return self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, _NODES):
            raise _NotPlain
        return super().generic_visit(node)

    def _bind(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name not in _MODULES or ("." in alias.name and alias.asname is None):
                raise _NotPlain
            self._modules[_own(alias.asname or alias.name)] = alias.name

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        allowed = _MODULES.get(node.module or "", frozenset())
        for alias in node.names:
            is_way = alias.name == "read_parquet" or f"{node.module}.{alias.name}" in _MODULES
            if node.level or is_way or alias.name not in allowed:
                raise _NotPlain
            _own(alias.asname or alias.name)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        is_known = hasattr(builtins, node.id) and node.id not in _BUILTINS
        if is_known or node.id in _ELSEWHERE_GIVEN or _own(node.id) in self._modules:
            raise _NotPlain
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if not isinstance(node.ctx, ast.Load):
            raise _NotPlain
        if acts(node.attr) or node.attr in _LEAVING or node.attr.startswith(_INSIDE):
            raise _NotPlain
        if self._module(node) is not None:  # `np.random` by itself: a value that is a module
            raise _NotPlain
        if (module := self._module(node.value)) is not None:
            if node.attr == "read_parquet" or node.attr not in _MODULES[module]:
                raise _NotPlain
            return node
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(ast.Attribute(frame, "query"), [ast.Constant(str(wanted))], []):
                if _FILTER.fullmatch(wanted) is None or "__" in wanted:
                    raise _NotPlain
                given = [self.visit(frame), *node.args]
                return ast.copy_location(ast.Call(ast.Name(FILTER, ast.Load()), given, []), node)
        if self._reads_table(node.func):
            node.func = ast.copy_location(ast.Name(READ_TABLE, ast.Load()), node.func)
            node.args = [self.visit(each) for each in node.args]
            node.keywords = [self.visit(each) for each in node.keywords]
            return node
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node.targets:
            case [ast.Attribute(value=frame, attr=label)] if label in LABELS:
                put = ast.Name(PUT, ast.Load())
                given = [self.visit(node.value), self.visit(frame), ast.Constant(label)]
                return ast.copy_location(ast.Expr(ast.Call(put, given, [])), node)
            case _:
                return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.decorator_list:
            raise _NotPlain
        _own(node.name)
        return self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        """A bare one would catch the end of the process."""
        if node.type is None:
            raise _NotPlain
        _own(node.name or "")
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        _own(node.arg)
        return self.generic_visit(node)

    def _module(self, node: ast.expr) -> str | None:
        """The module that an expression names: `np`, or `np.random`."""
        match node:
            case ast.Name(name):
                return self._modules.get(name)
            case ast.Attribute(value, attr) if (outer := self._module(value)) is not None:
                inner = f"{outer}.{attr}"
                return inner if inner in _MODULES else None
            case _:
                return None

    def _reads_table(self, func: ast.expr) -> TypeGuard[ast.Attribute]:
        return (
            isinstance(func, ast.Attribute)
            and func.attr == "read_parquet"
            and self._module(func.value) == "pandas"
        )


def _own(name: str) -> str:
    """A name that the code may have; ours are not among them."""
    if name.startswith("__"):
        raise _NotPlain
    return name


def acts(name: str) -> bool:
    """Whether a method of this name writes a file, draws, or runs code in a text.

    Frames also take names as text, `frame.agg("to_csv")`, so a room has to close these as well.
    """
    return name in _RUNNING or (name.startswith("to_") and name not in _MADE)


def is_inner(text: str) -> bool:
    """Whether a text given to a frame names what plain code may not: it finds NumPy's functions
    by their names too, and `load` unpickles what anything that has a `read` gives it."""
    return text.startswith("_") or text in _ARRAYS_STATE
