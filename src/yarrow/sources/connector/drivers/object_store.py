"""Parquet, CSV and JSON files in an S3 bucket: DuckDB reads ranges of them through obstore."""

from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import duckdb
from obstore.exceptions import BaseError
from obstore.fsspec import FsspecStore

from yarrow.sources.connector.driver import LoginDenied, SourceUnreachable
from yarrow.sources.connector.drivers.duckdb_file import DuckDbDriver, build_config, lock_database
from yarrow.sources.connector.file_tables import FileTable, create_views, find_ending, name_tables
from yarrow.sources.connector.messages import ConnectorLimits
from yarrow.sources.connector.pinned_proxy import open_pinned_proxy
from yarrow.sources.model import SourceAddress

TIMEOUT = "20s"


def open_source(address: SourceAddress, limits: ConnectorLimits) -> DuckDbDriver:
    """The files below the prefix, each described by its header: one request for each."""
    bucket, _, prefix = address.database.partition("/")
    store = _open_store(address)
    root = f"{bucket}/{prefix}".rstrip("/")
    connection = duckdb.connect(config=build_config(limits))
    connection.register_filesystem(store)
    connection.execute("SET allowed_directories = [$root]", {"root": f"s3://{root}/"})
    try:
        tables = name_tables(_list_files(store, root, limits.tables + 1))
        unreadable = create_views(connection, tables)
    except (OSError, BaseError) as error:
        raise _translate_error(error) from error
    lock_database(connection)
    return DuckDbDriver(connection, limits, unreadable)


def _open_store(address: SourceAddress) -> FsspecStore:
    """A host name is resolved by a proxy of this process only, to the checked address."""
    endpoint = address.options.get("endpoint")
    config = {
        "access_key_id": address.user,
        "secret_access_key": address.password,
        "region": address.options.get("region", "us-east-1"),
        "virtual_hosted_style_request": "false",
    }
    options: dict[str, str | bool] = {"timeout": TIMEOUT, "connect_timeout": TIMEOUT}
    scheme = urlsplit(endpoint or "https://").scheme
    if scheme == "http":
        host = f"[{address.ip}]" if ":" in address.ip else address.ip
        config["endpoint"] = f"http://{host}:{address.port}"
        options["allow_http"] = True
    else:
        config["endpoint"] = f"https://{address.host}:{address.port}"
        port = open_pinned_proxy(address.host, address.ip, address.port)
        options["proxy_url"] = f"http://127.0.0.1:{port}"
    make_store: Any = FsspecStore  # its overloads want typed dictionaries
    store: FsspecStore = make_store(
        "s3", config=config, client_options=options, retry_config={"max_retries": 1}
    )
    return store


def _list_files(store: FsspecStore, root: str, limit: int) -> Iterator[FileTable]:
    paths = (str(path) for path in sorted(store.find(f"s3://{root}/")))
    for path in islice(filter(find_ending, paths), limit):
        plain = path.removeprefix("s3://")
        yield FileTable(plain.removeprefix(f"{root}/"), f"s3://{plain}")


def _translate_error(error: Exception) -> LoginDenied | SourceUnreachable:
    text = str(error)
    is_denied = any(word in text for word in ("403", "401", "AccessDenied", "InvalidAccessKeyId"))
    line = text.splitlines()[0] if text else type(error).__name__
    return LoginDenied(line) if is_denied else SourceUnreachable(line)
