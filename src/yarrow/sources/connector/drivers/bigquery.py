"""BigQuery by google-cloud-bigquery. Not tested against the service.

The password of the source is the JSON key of a service account. A query is a job that the service
limits by time and that is cancelled by its id; jobs of SELECTs only read.
"""

import json
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pyarrow as pa

from yarrow.sources.connector.driver import (
    BatchStream,
    DriverError,
    DriverMissing,
    LoginDenied,
    QueryTimedOut,
    SourceUnreachable,
)
from yarrow.sources.connector.messages import ConnectorLimits
from yarrow.sources.model import SourceAddress, SourceColumn, SourceTable

FETCHED_ROWS = 20_000
TOKEN_URI = "https://oauth2.googleapis.com/token"  # noqa: S105
NO_KEY = "the password must be the JSON key of a service account"
_KEY_FIELDS = ("type", "project_id", "private_key_id", "private_key", "client_email", "client_id")


def open_source(address: SourceAddress, limits: ConnectorLimits) -> "BigQueryDriver":
    try:
        bigquery = import_module("google.cloud.bigquery")
        accounts = import_module("google.oauth2.service_account")
    except ModuleNotFoundError as missing:
        raise DriverMissing("bigquery") from missing
    project, _, dataset = address.database.partition("/")
    try:
        key = accounts.Credentials.from_service_account_info(read_account_key(address.password))
        client = bigquery.Client(project=project, credentials=key)
    except (ValueError, KeyError) as error:
        raise LoginDenied(NO_KEY) from error
    default = f"{project}.{dataset}" if dataset else None
    config = bigquery.QueryJobConfig(
        job_timeout_ms=int(limits.seconds * 1000), default_dataset=default
    )
    return BigQueryDriver(client, config, dataset)


def read_account_key(text: str) -> dict[str, str]:
    """The identity of a key, with Google's token address; `ValueError` if it is not an object.

    Addresses in the key (`token_uri`, `universe_domain`, ...) are dropped: the client library would
    send requests to whatever host an account writes there.
    """
    key = json.loads(text)
    if not isinstance(key, dict):
        raise ValueError(NO_KEY)  # noqa: TRY004
    fields = {name: value for name in _KEY_FIELDS if isinstance(value := key.get(name), str)}
    return {**fields, "token_uri": TOKEN_URI}


class BigQueryDriver:
    dialect = "bigquery"

    def __init__(self, client: Any, config: Any, dataset: str) -> None:  # noqa: ANN401
        self._client, self._config, self._dataset = client, config, dataset
        self._job: Any = None

    def read_version(self) -> str:
        self._call_service(lambda: list(self._client.list_datasets(max_results=1)))
        return "BigQuery"

    def list_tables(self, limit: int) -> Iterator[SourceTable]:
        datasets = [self._dataset] if self._dataset else self._call_service(self._list_datasets)
        left = limit
        for dataset in datasets:
            for item in self._call_service(lambda name=dataset: self._client.list_tables(name)):
                if left == 0:
                    return
                left -= 1
                table = self._call_service(
                    lambda found=item: self._client.get_table(found.reference)
                )
                columns = [
                    SourceColumn(field.name, field.field_type, field.description or "")
                    for field in table.schema
                ]
                comment, rows = table.description or "", table.num_rows
                is_view = table.table_type != "TABLE"
                yield SourceTable(dataset, table.table_id, columns, comment, rows, is_view)

    def query(self, sql: str) -> BatchStream:
        self._job = self._call_service(lambda: self._client.query(sql, job_config=self._config))
        rows = self._call_service(lambda: self._job.result(page_size=FETCHED_ROWS))
        batches = rows.to_arrow_iterable()
        first = self._call_service(lambda: next(iter(batches), None))
        schema = first.schema if first is not None else pa.schema([])
        names = [field.name for field in rows.schema]
        if first is None:
            schema = pa.schema([(name, pa.string()) for name in names])
        return BatchStream(names, schema, self._iterate_batches(first, batches))

    def cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def close(self) -> None:
        self._client.close()

    def _list_datasets(self) -> list[str]:
        return [item.dataset_id for item in self._client.list_datasets()]

    def _iterate_batches(self, first: pa.RecordBatch | None, rest: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401
        if first is not None:
            yield first
        while (batch := self._call_service(lambda: next(rest, None))) is not None:
            yield batch

    def _call_service(self, request: Any) -> Any:  # noqa: ANN401
        errors = import_module("google.api_core.exceptions")
        refused = import_module("google.auth.exceptions")
        try:
            return request()
        except (errors.Unauthorized, errors.Forbidden, refused.RefreshError) as error:
            raise LoginDenied(str(error)) from error
        except errors.GoogleAPICallError as error:
            message = str(getattr(error, "message", error))
            late = "timeout" in message.lower() or "timed out" in message.lower()
            raise (QueryTimedOut if late else DriverError)(message) from error
        except (OSError, refused.TransportError) as error:
            raise SourceUnreachable(type(error).__name__) from error
