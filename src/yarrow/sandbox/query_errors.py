"""Word the errors of DuckDB for people who wrote, or asked for, a query.

They name what is wrong and what there is instead, without the engine's name, classes and types.
"""

import re
from collections.abc import Callable

_TYPES = {
    **dict.fromkeys(("VARCHAR", "STRING_LITERAL"), "text"),
    **dict.fromkeys(("DOUBLE", "FLOAT", "DECIMAL", "HUGEINT", "BIGINT", "INTEGER"), "a number"),
    **dict.fromkeys(("INT8", "INT16", "INT32", "INT64", "INT128", "UINT64"), "a number"),
    **dict.fromkeys(("SMALLINT", "TINYINT", "UBIGINT", "INTEGER_LITERAL"), "a number"),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "DATETIME"), "a date with time"),
    "DATE": "a date",
    "TIME": "a time of day",
    "INTERVAL": "a duration",
    "BOOLEAN": "true or false",
}
_TYPE = re.compile(rf"\b(?:{'|'.join(sorted(_TYPES, key=len, reverse=True))})\b(?:\(\d+, ?\d+\))?")
_DATE_FORM = "write dates as 'YYYY-MM-DD'"


def _list_present_names(names: str | None) -> str:
    return f"; there are: {names}" if names else ""


def _suggest_name(name: str | None) -> str:
    return f"; did you mean {name}?" if name else ""


def _explain_misapplied(call: str) -> str:
    name, _, arguments = call.partition("(")
    return f"{name} cannot be applied to {_replace_types(arguments.removesuffix(')'))}"


def _replace_types(text: str) -> str:
    return _TYPE.sub(lambda match: _TYPES[match.group().partition("(")[0]], text)


_Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]
_RULES: tuple[_Rule, ...] = (
    (
        re.compile(r"syntax error at or near (\".*?\")", re.DOTALL),
        lambda m: f"the query cannot be read at {m[1]}",
    ),
    (
        re.compile(r"syntax error at end of input"),
        lambda _: "the query ends too early",
    ),
    (
        re.compile(r"unterminated (?:quoted )?(?:string|identifier)", re.IGNORECASE),
        lambda _: "a quotation mark in the query is not closed",
    ),
    (
        re.compile(r"Table with name (.+?) does not exist!(?:\s+Did you mean (\"[^\"]+\"))?"),
        lambda m: f"there is no table {m[1]}{_suggest_name(m[2])}",
    ),
    (
        re.compile(
            r"(?:Scalar |Aggregate |Table )?Function with name (\S+) does not exist!"
            r"(?:\s+Did you mean (\"[^\"]+\"))?"
        ),
        lambda m: f"there is no function {m[1]}{_suggest_name(m[2])}",
    ),
    (
        re.compile(
            r"(?:Referenced column|Column|Table \"[^\"]+\" does not have a column named) "
            r"(\"[^\"]+\")(?: in \w+ list)?(?: not found[^\n]*)?"
            r"(?:\s+Candidate bindings: ([^\n]+))?"
        ),
        lambda m: f"there is no column {m[1]}{_list_present_names(m[2])}",
    ),
    (
        re.compile(r"Referenced table (\"[^\"]+\") not found!(?:\s+Candidate tables: ([^\n]+))?"),
        lambda m: f"the query names no table {m[1]}{_list_present_names(m[2])}",
    ),
    (
        re.compile(r"Ambiguous reference to column name (\"[^\"]+\") \(use: (.+?)\)"),
        lambda m: f"several tables have a column {m[1]}; write {m[2]}",
    ),
    (
        re.compile(r"column (\"[^\"]+\") must appear in the GROUP BY clause"),
        lambda m: (
            f"column {m[1]} is neither grouped nor aggregated; add it to GROUP BY, or take "
            f"its sum, mean, minimum or maximum"
        ),
    ),
    (
        re.compile(r"No function matches the given name and argument types '(.+?)'\."),
        lambda m: f"{_explain_misapplied(m[1])}; convert the values, or use another function",
    ),
    (
        re.compile(r"(?:WHERE|HAVING|GROUP BY) clause cannot contain aggregates"),
        lambda _: "a WHERE condition cannot use sums or counts; use HAVING",
    ),
    (
        re.compile(r"aggregate function calls cannot be nested"),
        lambda _: "a sum or count cannot be taken of another one; use a subquery",
    ),
    (
        re.compile(r"Set operations can only apply to expressions with the same number"),
        lambda _: "the queries of a UNION have different numbers of columns",
    ),
    (
        re.compile(r"Could not convert string ('.*?'|\".*?\") to '?(\w+)'?", re.DOTALL),
        lambda m: f"{m[1][:100]} is not {_replace_types(m[2])}",
    ),
    (
        re.compile(r"invalid (?:date|timestamp) field format: (\".*?\")", re.DOTALL),
        lambda m: f"{m[1][:100]} is not a date; {_DATE_FORM}",
    ),
    (
        re.compile(r"Could not parse string (\".*?\") according to format specifier (\"[^\"]*\")"),
        lambda m: f"{m[1][:100]} does not have the form {m[2]}",
    ),
    (
        re.compile(r"specifier (\"[^\"]*\") not recognized"),
        lambda m: f"there is no part of a date called {m[1]}",
    ),
    (
        re.compile(
            r"magic bytes|too small to be a Parquet file|TProtocol|decompression failure"
            r"|don't know what type|Out of buffer"
        ),
        lambda _: "the stored file of a table is damaged; upload or load the table again",
    ),
    (
        re.compile(r"Overflow in|out of range|exceeds? the maximum", re.IGNORECASE),
        lambda _: "a number of the result is too large",
    ),
    (
        re.compile(r"More than one row returned by a subquery"),
        lambda _: "a subquery that stands for one value returns several rows",
    ),
    (
        re.compile(r"Permission Error|disabled|not allowed|Cannot access"),
        lambda _: "a query reads the tables of the workspace and nothing else",
    ),
    (
        re.compile(r"INTERRUPT|execution time", re.IGNORECASE),
        lambda _: "the query took too long; aggregate, filter rows or take fewer columns",
    ),
)
"""Patterns in messages, the first that matches counts."""

_CLASS = re.compile(r"^(?:[\w.]*(?:Exception|Error): )?(?:[A-Z][\w/ ]*? Error: )?")
_REST = re.compile(r"\n\s*(?:LINE \d+:|Candidate functions:|Did you mean:|Use \"SET ).*", re.DOTALL)
_ENGINE = re.compile(r"\bDuckDB(?:'s)?\b", re.IGNORECASE)


def explain_query_error(message: str) -> str:
    """The message of an error of DuckDB in plain words; other messages lose their class only."""
    for pattern, describe in _RULES:
        if match := pattern.search(message):
            return describe(match)
    text = _REST.sub("", _CLASS.sub("", message)).strip().rstrip("!")
    return _ENGINE.sub("the database", _replace_types(text)) or "the query cannot be run"
