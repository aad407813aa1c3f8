"""Bind the output variable of a program, if the model forgot to assign it."""

import ast

_LIBRARIES = frozenset({"pd", "np", "duckdb", "plt", "alt", "math", "json", "re"})


def bind_output(code: str, output_variable: str) -> str:
    """The program; if it does not assign the variable, its last assigned name is bound to it.

    A program that cannot be parsed stays as it is: running it gives the better error.
    """
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
    names = [name for statement in body for name in _assigned_names(statement)]
    if not names or output_variable in names or not output_variable.isidentifier():
        return code
    likely = [name for name in names if not name.startswith("_") and name not in _LIBRARIES]
    return f"{code}\n{output_variable} = {(likely or names)[-1]}\n"


def _assigned_names(statement: ast.stmt) -> list[str]:
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
