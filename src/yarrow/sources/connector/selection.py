"""Build the SELECT of a load plan: filters and groups are computed at the source."""

from collections.abc import Callable, Mapping
from typing import Final

from sqlglot import exp

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.sources.connector.check_sql import SqlRefused

_ESCAPE = "!"
_COMPARISONS: Final[Mapping[str, type[exp.Binary]]] = {
    "EQ": exp.EQ,
    "NEQ": exp.NEQ,
    "GT": exp.GT,
    "GTE": exp.GTE,
    "LT": exp.LT,
    "LTE": exp.LTE,
}
_AGGREGATES: Final[Mapping[str, Callable[[exp.Expr], exp.Expr]]] = {
    "sum": lambda column: exp.Sum(this=column),
    "avg": lambda column: exp.Avg(this=column),
    "min": lambda column: exp.Min(this=column),
    "max": lambda column: exp.Max(this=column),
    "count": lambda column: exp.Count(this=column),
    "count_distinct": lambda column: exp.Count(this=exp.Distinct(expressions=[column])),
}
AGGREGATES: Final = tuple(_AGGREGATES)


def build_select(selection: JsonObject) -> exp.Query:
    """`table` (its parts), `columns`, `filters`, `group_by`, `aggregates`, `order_by`."""
    parts = [exp.to_identifier(str(part), quoted=True) for part in _list(selection, "table")]
    names = ("this", "db", "catalog")
    table = exp.Table(**dict(zip(names, reversed(parts), strict=False)))
    groups = [_column(name) for name in _list(selection, "group_by")]
    values = [_aggregate(item) for item in _list(selection, "aggregates")]
    columns = [_column(name) for name in _list(selection, "columns")]
    chosen = [*groups, *values] if groups or values else columns
    query = exp.select(*(chosen or [exp.Star()])).from_(table)
    for item in _list(selection, "filters"):
        query = query.where(_condition(item))
    if groups:
        query = query.group_by(*[group.copy() for group in groups])
    for item in _list(selection, "order_by"):
        query = query.order_by(_order(item))
    return query


def _list(selection: JsonObject, name: str) -> list[JsonValue]:
    value = selection.get(name)
    return value if isinstance(value, list) else []


def _column(name: JsonValue) -> exp.Column:
    return exp.Column(this=exp.to_identifier(str(name), quoted=True))


def _aggregate(item: JsonValue) -> exp.Expr:
    if not isinstance(item, dict) or item.get("function") not in _AGGREGATES:
        raise SqlRefused(f"an aggregate has a function of {', '.join(AGGREGATES)}, and a column")
    function, name = str(item["function"]), item.get("column")
    if name is None and function != "count":
        raise SqlRefused(f"{function} needs a column")
    argument = exp.Star() if name is None else _column(name)
    alias = item.get("alias") or (function if name is None else f"{function}_{name}")
    return exp.alias_(_AGGREGATES[function](argument), str(alias), quoted=True)


def _order(item: JsonValue) -> exp.Expr:
    if isinstance(item, dict):
        return exp.Ordered(this=_column(item.get("column")), desc=item.get("descending") is True)
    return exp.Ordered(this=_column(item), desc=False)


def _condition(item: JsonValue) -> exp.Expr:
    if not isinstance(item, dict):
        raise SqlRefused("a filter has column, operator and value")
    column, operator, value = _column(item.get("column")), item.get("operator"), item.get("value")
    if isinstance(operator, str) and operator in _COMPARISONS:
        return _COMPARISONS[operator](this=column, expression=_literal(value))
    match operator:
        case "IN" | "NOT_IN":
            values = value if isinstance(value, list) else [value]
            inside = exp.In(this=column, expressions=[_literal(each) for each in values])
            return inside if operator == "IN" else exp.Not(this=inside)
        case "LIKE" | "ILIKE":
            return _contains(column, str(value))
        case "IS_NULL":
            return exp.Is(this=column, expression=exp.Null())
        case "IS_NOT_NULL":
            return exp.Not(this=exp.Is(this=column, expression=exp.Null()))
        case "BETWEEN" if isinstance(value, list) and len(value) == 2:
            return exp.Between(this=column, low=_literal(value[0]), high=_literal(value[1]))
        case _:
            raise SqlRefused("a filter's operator or value is not known")


def _contains(column: exp.Column, text: str) -> exp.Expr:
    for mark in (_ESCAPE, "%", "_"):
        text = text.replace(mark, f"{_ESCAPE}{mark}")
    lower = exp.Lower(this=exp.cast(column, exp.DataType.Type.TEXT))
    like = exp.Like(this=lower, expression=exp.Literal.string(f"%{text.lower()}%"))
    return exp.Escape(this=like, expression=exp.Literal.string(_ESCAPE))


def _literal(value: JsonValue) -> exp.Expr:
    match value:
        case None:
            return exp.Null()
        case bool():
            return exp.Boolean(this=value)
        case int() | float():
            return exp.Literal.number(repr(value))
        case str():
            return exp.Literal.string(value)
        case _:
            raise SqlRefused("a filter's value is a text, a number, true, false or null")
