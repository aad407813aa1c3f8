"""Build the SELECT of a load plan: filters and groups are computed at the source."""

from collections.abc import Callable, Mapping
from typing import Final

from sqlglot import exp

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.sources.connector.check_sql import SqlRefused

_ESCAPE = "!"
_NULL_COMPARED = "a filter compares with null only by EQ, NEQ, IN, NOT_IN, IS_NULL and IS_NOT_NULL"
_SEARCHED = "a filter's LIKE and ILIKE have a text or a number"
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


def build_select(selection: JsonObject, dialect: str) -> exp.Query:
    """`table` (its parts), `columns`, `filters`, `group_by`, `aggregates`, `order_by`."""
    parts = [exp.to_identifier(str(part), quoted=True) for part in _read_list(selection, "table")]
    names = ("this", "db", "catalog")
    table = exp.Table(**dict(zip(names, reversed(parts), strict=False)))
    groups = [_build_column(name) for name in _read_list(selection, "group_by")]
    values = [_build_aggregate(item) for item in _read_list(selection, "aggregates")]
    columns = [_build_column(name) for name in _read_list(selection, "columns")]
    chosen = [*groups, *values] if groups or values else columns
    query = exp.select(*(chosen or [exp.Star()])).from_(table)
    for item in _read_list(selection, "filters"):
        query = query.where(_build_condition(item, dialect))
    if groups:
        query = query.group_by(*[group.copy() for group in groups])
    for item in _read_list(selection, "order_by"):
        query = query.order_by(_build_order(item))
    return query


def _read_list(selection: JsonObject, name: str) -> list[JsonValue]:
    value = selection.get(name)
    return value if isinstance(value, list) else []


def _build_column(name: JsonValue) -> exp.Column:
    return exp.Column(this=exp.to_identifier(str(name), quoted=True))


def _build_aggregate(item: JsonValue) -> exp.Expr:
    if not isinstance(item, dict) or item.get("function") not in _AGGREGATES:
        raise SqlRefused(f"an aggregate has a function of {', '.join(AGGREGATES)}, and a column")
    function, name = str(item["function"]), item.get("column")
    if name is None and function != "count":
        raise SqlRefused(f"{function} needs a column")
    argument = exp.Star() if name is None else _build_column(name)
    alias = item.get("alias") or (function if name is None else f"{function}_{name}")
    return exp.alias_(_AGGREGATES[function](argument), str(alias), quoted=True)


def _build_order(item: JsonValue) -> exp.Expr:
    if isinstance(item, dict):
        return exp.Ordered(
            this=_build_column(item.get("column")), desc=item.get("descending") is True
        )
    return exp.Ordered(this=_build_column(item), desc=False)


def _build_condition(item: JsonValue, dialect: str) -> exp.Expr:
    if not isinstance(item, dict):
        raise SqlRefused("a filter has column, operator and value")
    column, operator, value = (
        _build_column(item.get("column")),
        item.get("operator"),
        item.get("value"),
    )
    if value is None and operator in ("EQ", "NEQ"):
        operator = "IS_NULL" if operator == "EQ" else "IS_NOT_NULL"
    if isinstance(operator, str) and operator in _COMPARISONS:
        return _COMPARISONS[operator](this=column, expression=_build_literal(value))
    match operator:
        case "IN" | "NOT_IN":
            inside = _build_is_one_of(column, value if isinstance(value, list) else [value])
            return inside if operator == "IN" else exp.not_(inside)
        case "LIKE" | "ILIKE":
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                raise SqlRefused(_SEARCHED)
            return _build_search(column, str(value), dialect)
        case "IS_NULL":
            return _build_is_null(column)
        case "IS_NOT_NULL":
            return exp.not_(_build_is_null(column))
        case "BETWEEN" if isinstance(value, list) and len(value) == 2:
            return exp.Between(
                this=column, low=_build_literal(value[0]), high=_build_literal(value[1])
            )
        case _:
            raise SqlRefused("a filter's operator or value is not known")


def _build_is_null(column: exp.Column) -> exp.Expr:
    return exp.Is(this=column.copy(), expression=exp.Null())


def _build_is_one_of(column: exp.Column, values: list[JsonValue]) -> exp.Expr:
    """Without NULL in the list, which equals nothing and makes NOT IN empty."""
    literals = [_build_literal(value) for value in values if value is not None]
    tests: list[exp.Expr] = [exp.In(this=column, expressions=literals)] if literals else []
    if None in values:
        tests.append(_build_is_null(column))
    nothing = exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(0))
    return exp.or_(*tests) if tests else nothing


def _build_search(column: exp.Column, text: str, dialect: str) -> exp.Expr:
    """ClickHouse before 26.6 and BigQuery have no ESCAPE; ClickHouse's lower() is for ASCII."""
    searched, zero = exp.cast(column, exp.DataType.Type.TEXT), exp.Literal.number(0)
    if dialect == "clickhouse":
        arguments = [searched, exp.Literal.string(text)]
        position = exp.Anonymous(this="positionCaseInsensitiveUTF8", expressions=arguments)
        return exp.GT(this=position, expression=zero)
    lower = exp.Lower(this=searched)
    if dialect == "bigquery":
        arguments = [lower, exp.Literal.string(text.lower())]
        return exp.GT(this=exp.Anonymous(this="STRPOS", expressions=arguments), expression=zero)
    for mark in (_ESCAPE, "%", "_"):
        text = text.replace(mark, f"{_ESCAPE}{mark}")
    like = exp.Like(this=lower, expression=exp.Literal.string(f"%{text.lower()}%"))
    return exp.Escape(this=like, expression=exp.Literal.string(_ESCAPE))


def _build_literal(value: JsonValue) -> exp.Expr:
    match value:
        case None:
            raise SqlRefused(_NULL_COMPARED)
        case bool():
            return exp.Boolean(this=value)
        case int() | float():
            return exp.Literal.number(repr(value))
        case str():
            return exp.Literal.string(value)
        case _:
            raise SqlRefused("a filter's value is a text, a number, true or false")
