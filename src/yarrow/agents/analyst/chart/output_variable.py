"""Which variable holds a program's table, when the model forgot to use the name it announced."""

import ast

_LIBRARIES = frozenset({"pd", "np", "duckdb", "plt", "alt", "math", "json", "re"})


def with_output(code: str, output_variable: str) -> str:
    """The program, with the announced name bound to the last table-like name if it is unbound.

    A program that cannot be parsed is left alone: running it gives the better error.
    """
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
    names = [name for statement in body for name in _bound(statement)]
    if not names or output_variable in names or not output_variable.isidentifier():
        return code
    likely = [name for name in names if not name.startswith("_") and name not in _LIBRARIES]
    return f"{code}\n{output_variable} = {(likely or names)[-1]}\n"


def _bound(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.Assign(targets=targets):
            return [name for target in targets for name in _names(target)]
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return _names(target)
        case _:
            return []


def _names(target: ast.expr) -> list[str]:
    match target:
        case ast.Name(id=name):
            return [name]
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [name for part in parts for name in _names(part)]
        case _:
            return []
