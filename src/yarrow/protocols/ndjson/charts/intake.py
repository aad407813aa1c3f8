"""From `refresh-derived-data` to the program that may be rerun."""

import ast
import keyword
import re

from yarrow.agents.analyst.chart.make_chart import bind_output
from yarrow.kit.signing import HmacSigner
from yarrow.protocols.ndjson.charts.wire import RefreshBody
from yarrow.tables.errors import ProgramRefused
from yarrow.tables.rerun import CodeRun

MAX_CODE_BYTES = 256 * 1024
MAX_TABLES = 50

_QUERY = re.compile(r"\s*(--[^\n]*\n\s*)*(select|with|from)\b", re.IGNORECASE)


def parse_program(body: RefreshBody, signer: HmacSigner) -> CodeRun:
    """Only programs that this server signed are run; raises `ProgramRefused`."""
    if len(body.code.encode("utf-8", "replace")) > MAX_CODE_BYTES:
        raise ProgramRefused(f"code may have at most {MAX_CODE_BYTES} bytes", field="code")
    if len(body.input_tables) > MAX_TABLES:
        raise ProgramRefused(f"at most {MAX_TABLES} input tables", field="input_tables")
    name = body.output_variable
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ProgramRefused("output_variable must be an identifier", field="output_variable")
    if not signer.verify(body.code, body.code_signature):
        raise ProgramRefused("code was not signed by this server", field="code_signature")
    is_query = _is_query(body.code)
    return CodeRun(
        code=body.code if is_query else bind_output(body.code, name),
        is_query=is_query,
        output_variable=name,
        tables={table.name: table.rows for table in body.input_tables},
    )


def _is_query(code: str) -> bool:
    """Whether it is SQL: it starts like a query and does not parse as Python."""
    if _QUERY.match(code) is None:
        return False
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return True
    return False
