"""Parse addresses of sources: strict, so that no option reaches a driver unless it is listed."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from msgspec import Struct

from yarrow.errors import InvalidInput
from yarrow.sources.model import FILE_KINDS, SourceAddress, SourceKind

MAX_ADDRESS_CHARS = 2000
NAME_RULE = "a source's name has 1 to 64 letters, digits, dots, hyphens and underscores"

_NAME = re.compile(r"\w[\w.-]{0,63}")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?\.?|[0-9A-Fa-f:.]+")
_SNOWFLAKE_ACCOUNT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


class _Form(Struct, frozen=True):
    """How addresses of a kind are written."""

    example: str
    port: int = 0
    options: Mapping[str, str] | None = None
    """Allowed options, and the pattern of their values."""


_YES_NO = "true|false"
_TLS = "disable|allow|prefer|require|verify-ca|verify-full"
_FORMS: Mapping[SourceKind, _Form] = {
    SourceKind.POSTGRESQL: _Form(
        "postgresql://user:password@host:5432/database", 5432, {"sslmode": _TLS}
    ),
    SourceKind.MYSQL: _Form("mysql://user:password@host:3306/database", 3306, {"tls": _YES_NO}),
    SourceKind.CLICKHOUSE: _Form(
        "clickhouse://user:password@host:8443/database?tls=true", 8123, {"tls": _YES_NO}
    ),
    SourceKind.SQLITE: _Form("sqlite:///folder/file.db"),
    SourceKind.DUCKDB: _Form("duckdb:///folder/file.duckdb"),
    SourceKind.FOLDER: _Form("file:///folder"),
    SourceKind.S3: _Form(
        "s3://key:secret@bucket/prefix?region=eu-west-1",
        443,
        {"region": r"[a-z0-9-]{1,40}", "endpoint": r"https?://[^/?#@\s]+/?"},
    ),
    SourceKind.BIGQUERY: _Form("bigquery://project/dataset", 443),
    SourceKind.SNOWFLAKE: _Form(
        "snowflake://user:password@account/database/schema?warehouse=name",
        443,
        {"warehouse": r"[\w$]{1,255}", "role": r"[\w$]{1,255}"},
    ),
}


def require_source_name(name: str) -> str:
    """The name without spaces around it; `InvalidInput` if it cannot be one."""
    if not _NAME.fullmatch(name.strip()):
        raise InvalidInput(NAME_RULE, field="name")
    return name.strip()


def parse_source_address(url: str, password: str | None = None) -> SourceAddress:
    """Parse an address; `password` replaces the one in it. Raises `InvalidInput`.

    Messages never repeat the address: it may hold a password.
    """
    kind = _parse_kind(url)
    try:
        parts = urlsplit(url.strip())
        port = parts.port or _FORMS[kind].port
        host = parts.hostname or ""
    except ValueError:
        raise _make_address_error(kind) from None
    options = _parse_options(kind, parts.query)
    if parts.fragment or any(ord(character) < 32 for character in url):
        raise _make_address_error(kind)
    database = _parse_path(kind, host, unquote(parts.path))
    user, secret = unquote(parts.username or ""), unquote(parts.password or "")
    if kind in FILE_KINDS:
        return SourceAddress(kind, f"{kind.value}://{quote(database)}", database=database)
    if not _HOST.fullmatch(host) and kind is not SourceKind.SNOWFLAKE:
        raise _make_address_error(kind)
    secret = password if password is not None else secret
    return _place_host(SourceAddress(kind, "", host, port, database, user, secret, options))


def _parse_kind(url: str) -> SourceKind:
    scheme = url.strip().partition("://")[0].lower()
    scheme = {"postgres": "postgresql", "mariadb": "mysql"}.get(scheme, scheme)
    if len(url) > MAX_ADDRESS_CHARS or scheme not in {kind.value for kind in SourceKind}:
        known = ", ".join(f"{kind.value}://" for kind in SourceKind)
        raise InvalidInput(f"url must begin with one of {known}", field="url")
    return SourceKind(scheme)


def _parse_options(kind: SourceKind, query: str) -> dict[str, str]:
    allowed = _FORMS[kind].options or {}
    options = dict(parse_qsl(query, keep_blank_values=True))
    for name, value in options.items():
        if name not in allowed:
            known = ", ".join(allowed) or "none"
            raise InvalidInput(f"url: unknown option; {kind.value} has {known}", field="url")
        if not re.fullmatch(allowed[name], value):
            raise InvalidInput(f"url: option {name} has a value that is not allowed", field="url")
    return options


def _parse_path(kind: SourceKind, host: str, path: str) -> str:
    if kind in FILE_KINDS:
        if host or not path.startswith("/") or "\0" in path or ".." in PurePosixPath(path).parts:
            raise _make_address_error(kind)
        return str(PurePosixPath(path))
    path = path.strip("/")
    if kind is SourceKind.S3:
        return f"{host}/{path}" if path else host
    if not path and kind is not SourceKind.BIGQUERY:
        raise _make_address_error(kind)
    return path


def _place_host(address: SourceAddress) -> SourceAddress:
    """The host that is connected to: of a cloud service it follows from the address."""
    host, port, text = address.host, address.port, f"{address.host}:{address.port}"
    match address.kind:
        case SourceKind.S3:
            host, port = _parse_endpoint(address.options)
            text = ""
        case SourceKind.BIGQUERY:
            host, text = "bigquery.googleapis.com", address.host
        case SourceKind.SNOWFLAKE:
            if not _SNOWFLAKE_ACCOUNT.fullmatch(address.host):
                raise _make_address_error(address.kind)
            host, text = f"{address.host}.snowflakecomputing.com", address.host
        case _:
            pass
    place = "/".join(part for part in (text, quote(address.database)) if part)
    database = address.database
    if address.kind is SourceKind.BIGQUERY:
        database = f"{address.host}/{database}" if database else address.host
    return SourceAddress(
        address.kind,
        f"{address.kind.value}://{place}",
        host,
        port,
        database,
        address.user,
        address.password,
        address.options,
    )


def _parse_endpoint(options: Mapping[str, str]) -> tuple[str, int]:
    aws = f"https://s3.{options.get('region', 'us-east-1')}.amazonaws.com"
    try:
        endpoint = urlsplit(options.get("endpoint") or aws)
        host, port = endpoint.hostname or "", endpoint.port
    except ValueError:
        raise _make_address_error(SourceKind.S3) from None
    if not _HOST.fullmatch(host):
        raise _make_address_error(SourceKind.S3)
    return host, port or (80 if endpoint.scheme == "http" else 443)


def _make_address_error(kind: SourceKind) -> InvalidInput:
    return InvalidInput(f"url must look like {_FORMS[kind].example}", field="url")
