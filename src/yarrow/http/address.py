"""Check the path and the query of a request before any route reads values from them.

PostgreSQL stores no NUL and file systems no long name: used as a value, both would be errors of
the server.
"""

from urllib.parse import unquote_plus

from starlette.types import Scope

from yarrow.errors import InvalidInput

MAX_VALUE_CHARS = 2048
"""Of one part of the path and of one value of the query: names are much shorter."""
NUL_IN_ADDRESS = "the address must not contain the NUL character"
TOO_LONG = f"a part of the address has more than {MAX_VALUE_CHARS} characters"


def require_usable_address(scope: Scope) -> None:
    """Raise `InvalidInput` for a path or a query that no route can use."""
    path: str = scope["path"]
    if "\0" in path:
        raise InvalidInput(NUL_IN_ADDRESS)
    if len(path) > MAX_VALUE_CHARS and max(map(len, path.split("/"))) > MAX_VALUE_CHARS:
        raise InvalidInput(TOO_LONG)
    require_usable_query(scope)


def require_usable_query(scope: Scope) -> None:
    """Raise `InvalidInput` for a query that no route can use."""
    query: bytes = scope["query_string"]
    if b"%00" in query:
        raise InvalidInput(NUL_IN_ADDRESS)
    if len(query) > MAX_VALUE_CHARS and _longest_value(query) > MAX_VALUE_CHARS:
        raise InvalidInput(TOO_LONG)


def _longest_value(query: bytes) -> int:
    pairs = query.decode("latin-1").split("&")
    return max(len(unquote_plus(pair.partition("=")[2])) for pair in pairs)
