"""The allow-list: programs that compute with frames and arrays and leave no state behind.

Not a security boundary, the jail is. It separates programs that work on frames from those that
also reach into libraries, files or the interpreter. Everything that is not listed is refused.
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
SET_LABEL = "__set_label__"
FILTER_ROWS = "__filter_rows__"

LABELS = frozenset({"columns", "index", "name", "names"})
"""Attributes that may be assigned: `frame.columns = …` becomes a call of `SET_LABEL`."""


def _split(text: str) -> frozenset[str]:
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

_BUILTINS = _split(
    "abs all any bool dict divmod enumerate filter float format frozenset int "
    "isinstance iter len list map max min next pow print range repr reversed round set "
    "slice sorted str sum tuple zip True False None Exception ValueError KeyError "
    "TypeError IndexError ZeroDivisionError AttributeError ArithmeticError LookupError "
    "RuntimeError"
)

_PANDAS_STATE = _split(
    "describe_option eval get_option option_context options reset_option "
    "set_eng_float_format set_option show_versions test ExcelFile ExcelWriter HDFStore "
    "to_pickle"
)
_NUMPY_STATE = _split(
    "errstate fromfile fromregex genfromtxt get_include info load loadtxt memmap "
    "printoptions save savetxt savez savez_compressed set_printoptions setbufsize "
    "seterr seterrcall show_config show_runtime test "
    "chararray ndarray recarray"
)
"""The last three create arrays over arbitrary memory, and of objects at any address."""
_RANDOM_STATE = frozenset({"get_bit_generator", "set_bit_generator", "test"})


def _public_names(module: ModuleType, *, without: frozenset[str]) -> frozenset[str]:
    """Names of a module except modules and mutable values."""
    mutable = (ModuleType, dict, list, set)
    return frozenset(
        name
        for name, value in vars(module).items()
        if not (name.startswith("_") or name in without or isinstance(value, mutable))
    )


_MODULES: Mapping[str, frozenset[str]] = {
    "pandas": frozenset(
        name
        for name in _public_names(pd, without=_PANDAS_STATE)
        if name == "read_parquet" or not name.startswith("read_")
    ),
    "numpy": _public_names(np, without=_NUMPY_STATE) | {"random", "linalg"},
    "numpy.random": _public_names(np.random, without=_RANDOM_STATE),
    "numpy.linalg": _public_names(np.linalg, without=frozenset({"test"})),
    "math": _split(
        "ceil comb copysign cos degrees dist e exp fabs factorial floor fmod fsum gcd "
        "hypot inf isclose isfinite isinf isnan isqrt lcm log log10 log1p log2 nan perm "
        "pi pow prod radians remainder sin sqrt tan tau trunc"
    ),
    "datetime": frozenset({"date", "datetime", "time", "timedelta", "timezone", "UTC"}),
    "re": _split("compile escape findall finditer fullmatch match search split sub"),
    "collections": frozenset({"Counter", "OrderedDict", "defaultdict"}),
    "itertools": _split(
        "accumulate chain combinations groupby islice pairwise permutations product "
        "repeat zip_longest"
    ),
    "functools": frozenset({"partial", "reduce"}),
    "statistics": _split("fmean mean median mode pstdev pvariance quantiles stdev"),
    "decimal": frozenset({"Decimal", "ROUND_HALF_EVEN", "ROUND_HALF_UP"}),
}

_PREDEFINED = {"pd": "pandas", "np": "numpy"}
"""Names that exist without an import."""
_FRESH_ONLY = frozenset({"duckdb"})
"""Predefined in a fresh process only."""

_INTERNAL_PREFIXES = ("_", "ag_", "co_", "cr_", "f_", "func_", "gi_", "tb_")
"""Attributes that lead from values to the interpreter."""
_MEMORY = _split("capsule cffi ctypes mro resize setflags")
"""Attributes that give access to foreign memory; `resize` frees what views still refer to."""
_PLOTTING = _split("boxplot hist plot style")
"""`style` has templates, which run code; plotting imports the backend that a string names."""
_RUNNING = _split("dump eval query tofile") | _PLOTTING
_CONDITION = re.compile(r"[\w\s<>=!&|'\"+*/%,\[\]-]*")
"""For `query`: comparisons of columns, without calls and without `@` variables."""
_CONVERSIONS = _split(
    "to_datetime to_dict to_frame to_list to_numeric to_numpy to_offset to_period "
    "to_records to_series to_string to_timedelta to_timestamp to_julian_date "
    "to_pydatetime to_pytimedelta to_flat_index"
)
"""Methods that begin with `to_` and write no file, or only scratch that is never read."""


class _Refused(Exception):
    """The program uses something that is not on the list."""


def parse_allowed(code: str) -> ast.Module | None:
    """The program's tree; None if it is not allowed.

    Reading a table, assigning a label and `query` are replaced by calls of `READ_TABLE`,
    `SET_LABEL` and `FILTER_ROWS`.
    """
    if len(code) > MAX_LENGTH:
        return None
    try:
        tree: ast.Module = _AllowListCheck().visit(ast.parse(code))
    except (_Refused, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return ast.fix_missing_locations(tree)


def allowed_builtins() -> dict[str, object]:
    """The allowed builtins, and `__import__`, which import statements need."""
    return {name: getattr(builtins, name) for name in (*_BUILTINS, "__import__")}


class _AllowListCheck(ast.NodeTransformer):
    """Raises `_Refused` for what is not listed, and inserts the three replacement calls."""

    def __init__(self) -> None:
        self._modules = dict(_PREDEFINED)

    def visit_Module(self, node: ast.Module) -> ast.AST:
        """Collect imports first: a function may use a name that is imported after it."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Import):
                self._bind(inner)
        return self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, _NODES):
            raise _Refused
        return super().generic_visit(node)

    def _bind(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name not in _MODULES or ("." in alias.name and alias.asname is None):
                raise _Refused
            self._modules[_check_name(alias.asname or alias.name)] = alias.name

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        allowed = _MODULES.get(node.module or "", frozenset())
        for alias in node.names:
            is_special = alias.name == "read_parquet" or f"{node.module}.{alias.name}" in _MODULES
            if node.level or is_special or alias.name not in allowed:
                raise _Refused
            _check_name(alias.asname or alias.name)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        is_known = hasattr(builtins, node.id) and node.id not in _BUILTINS
        if is_known or node.id in _FRESH_ONLY or _check_name(node.id) in self._modules:
            raise _Refused
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if not isinstance(node.ctx, ast.Load):
            raise _Refused
        if (
            has_side_effects(node.attr)
            or node.attr in _MEMORY
            or node.attr.startswith(_INTERNAL_PREFIXES)
        ):
            raise _Refused
        if self._module(node) is not None:  # `np.random` by itself: a value that is a module
            raise _Refused
        if (module := self._module(node.value)) is not None:
            if node.attr == "read_parquet" or node.attr not in _MODULES[module]:
                raise _Refused
            return node
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(ast.Attribute(frame, "query"), [ast.Constant(str(condition))], []):
                if _CONDITION.fullmatch(condition) is None or "__" in condition:
                    raise _Refused
                args = [self.visit(frame), *node.args]
                call = ast.Call(ast.Name(FILTER_ROWS, ast.Load()), args, [])
                return ast.copy_location(call, node)
        if self._reads_table(node.func):
            node.func = ast.copy_location(ast.Name(READ_TABLE, ast.Load()), node.func)
            node.args = [self.visit(each) for each in node.args]
            node.keywords = [self.visit(each) for each in node.keywords]
            return node
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node.targets:
            case [ast.Attribute(value=frame, attr=label)] if label in LABELS:
                args = [self.visit(node.value), self.visit(frame), ast.Constant(label)]
                call = ast.Call(ast.Name(SET_LABEL, ast.Load()), args, [])
                return ast.copy_location(ast.Expr(call), node)
            case _:
                return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.decorator_list:
            raise _Refused
        _check_name(node.name)
        return self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        """A bare `except` would catch `NeedsFreshProcess`."""
        if node.type is None:
            raise _Refused
        _check_name(node.name or "")
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        _check_name(node.arg)
        return self.generic_visit(node)

    def _module(self, node: ast.expr) -> str | None:
        """The module that an expression refers to: `np`, or `np.random`."""
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


def _check_name(name: str) -> str:
    """The name, unless it could be one of the replacement calls."""
    if name.startswith("__"):
        raise _Refused
    return name


def has_side_effects(name: str) -> bool:
    """Whether a method of this name writes a file, plots, or runs code from a string.

    Frames also accept names as strings, `frame.agg("to_csv")`, so a worker patches these methods.
    """
    return name in _RUNNING or (name.startswith("to_") and name not in _CONVERSIONS)


def is_internal_name(text: str) -> bool:
    """Whether a string argument of a frame's method names something that is not allowed.

    pandas also finds NumPy's functions by name, and `load` unpickles from any object with `read`.
    """
    return text.startswith("_") or text in _NUMPY_STATE
