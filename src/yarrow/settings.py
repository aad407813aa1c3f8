"""All settings, typed. Nothing else reads the environment."""

import os
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from uuid import UUID

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class AuthMode(StrEnum):
    """Authentication: one local user on loopback, or accounts with verified tokens."""

    OFF = "off"
    JWT = "jwt"


class QueueMode(StrEnum):
    """What happens to a turn whose branch is busy."""

    REJECT = "reject"
    QUEUE = "queue"


class MemoryMode(StrEnum):
    """When a story's turn stores its memories."""

    OFF = "off"
    SYNC = "sync"
    """With the reply."""
    ASYNC = "async"
    """By a job after the reply."""


class DateOrder(StrEnum):
    """The order of day and month in dates that could be read either way."""

    DMY = "dmy"
    MDY = "mdy"


class Settings(BaseSettings):
    """The product's settings, from environment variables with the prefix `YARROW_`."""

    model_config = SettingsConfigDict(env_prefix="YARROW_", extra="ignore", frozen=True)

    auth: AuthMode = Field(
        AuthMode.OFF,
        description="`off`: one local account, loopback only, free. `jwt`: accounts and points.",
    )
    data_dir: Path = Field(
        Path(".yarrow"), description="Folder of the embedded database and local files."
    )
    database_url: SecretStr | None = Field(
        None, description="DSN of an external PostgreSQL. Unset: the embedded one in the data dir."
    )
    database_pool_size: int = Field(
        6, ge=4, le=200, description="Connections one process may hold."
    )
    jwt_secret: SecretStr | None = Field(
        None,
        description="HS256 secret of our tokens, and of an external issuer that shares it. "
        "Unset: generated once and stored in the data dir.",
    )
    secrets_key: SecretStr | None = Field(
        None,
        description="Encrypts stored credentials, such as keys of model profiles; at least 32 "
        "bytes, the same in all processes. Unset: generated once and stored in the data dir.",
    )
    jwt_ttl_s: int = Field(
        86_400, ge=60, description="How long a token that we issue is valid, in seconds."
    )
    jwt_audience: str | None = Field(None, description="Required `aud` of a token, if set.")
    jwt_issuer: str | None = Field(
        None, description="Required `iss` of an external issuer's token, if set."
    )
    jwks_url: str | None = Field(
        None, description="Keys (JWKS) of an external issuer (RS256, ES256, EdDSA)."
    )
    llm_base_url: str | None = Field(
        None,
        description="OpenAI-compatible endpoint, up to `/v1`. Unset: rules and the offline model.",
    )
    llm_api_key: SecretStr | None = Field(None, description="Bearer key for the model endpoint.")
    llm_model: str = Field("default", description="Model name sent to the endpoint.")
    llm_timeout_ms: int = Field(
        60_000, ge=100, description="Longest wait for the next byte of a model's answer."
    )
    llm_answer_timeout_ms: int = Field(
        150_000,
        ge=100,
        description="Time for a whole answer of a model. Each 8 bytes of text add a second, so "
        "that a slow model may finish and one that sends a byte a second does not hold its run.",
    )
    llm_allowed_bases: tuple[str, ...] = Field(
        (),
        description="Addresses of models that clients may bring, as a JSON list of patterns such "
        'as `["https://api.openai.com/*"]`; `*` stays inside host, port or path. Loopback and '
        "private addresses only if the host is written out. Empty: any with `YARROW_AUTH=off`, "
        "none otherwise.",
    )
    llm_input_price: float = Field(
        0.0, ge=0, description="Cost of a million input tokens, for the cost columns."
    )
    llm_output_price: float = Field(
        0.0, ge=0, description="Cost of a million output tokens, for the cost columns."
    )
    offline_model: bool = Field(
        default=True,
        description="Answer by rules and with the small built-in model when no endpoint is set.",
    )
    storyteller_price: int = Field(
        0, ge=0, description="Points that a turn of a story costs; failed turns cost nothing."
    )
    generation_queue: QueueMode = Field(
        QueueMode.REJECT,
        description="What happens to a turn whose branch is busy: `reject` or `queue`.",
    )
    generation_queue_timeout_ms: int = Field(
        30_000, ge=1, description="How long a turn waits for its branch with `queue`."
    )
    commit_timeout_ms: int = Field(
        20_000,
        ge=100,
        description="How long the reply of a story's turn waits for a database that is away; then "
        "the turn fails with `commit_busy`.",
    )
    session_state: bool = Field(
        default=True, description="Let clients keep session state beside their stories."
    )
    memory: MemoryMode = Field(
        MemoryMode.SYNC,
        description="Memory of stories: `off`, `sync` (stored with the reply) or `async` (by a job "
        "after it).",
    )
    asr_base_url: str | None = Field(
        None,
        description="OpenAI-compatible endpoint for speech, up to `/v1`. Unset: the offline "
        "recogniser, if there is one.",
    )
    asr_api_key: SecretStr | None = Field(
        None, description="Bearer key for the speech endpoint. Unset: none is sent."
    )
    asr_model: str = Field("whisper-1", description="Model name sent to the speech endpoint.")
    asr_model_path: Path | None = Field(
        None,
        description="Folder of a Whisper model in CTranslate2's format, for the offline "
        "recogniser. Needs the `speech` extra.",
    )
    asr_timeout_ms: int = Field(
        60_000, ge=100, description="Longest time the transcription of one recording may take."
    )
    storage_url: SecretStr | None = Field(
        None,
        description="Where attachments and tables are stored, for several servers: "
        "`file:///folder` or `s3://key:secret@bucket/prefix?endpoint=…&region=…`. "
        "Unset: folders in the data dir.",
    )
    public_base_url: str | None = Field(
        None,
        pattern=r"^https?://[^/?#\s]+(/[^?#\s]*)?$",
        description="The address of this server for clients, in signed URLs. "
        "Unset: that of the request.",
    )
    attachment_url_ttl_s: int = Field(
        3600, ge=1, le=604_800, description="How long a signed URL is valid, in seconds."
    )
    attachment_keep_h: float = Field(
        24.0, gt=0, description="Hours after which an upload that no message uses is deleted."
    )
    deleted_keep_days: int = Field(
        30,
        ge=1,
        description="Days after which the content of a deleted session is removed: messages, "
        "prompts, memories, variables and pictures.",
    )
    journal_keep_days: int = Field(
        30,
        ge=1,
        description="Days for which every event of a run is kept. Older runs replay their start, "
        "stored messages and end. Ended memory jobs are deleted after the same time.",
    )
    table_max_mb: int = Field(
        500, ge=1, description="Largest file that may become a table, in MiB."
    )
    scratch_max_mb: int = Field(
        200, ge=1, description="Scratch files of one workspace together, in MiB."
    )
    table_max_rows: int = Field(
        10_000_000, ge=1, description="Rows of a file that are imported; the rest is dropped."
    )
    table_import_timeout_s: float = Field(
        300.0,
        gt=0,
        description="Processor time in seconds that a file may take to become a table, or a table "
        "to be exported; ten times as long by the clock, at least a minute.",
    )
    table_cache_mb: int = Field(
        10_240,
        ge=1,
        description="Size in MiB of the local copies of tables that are stored in "
        "`YARROW_STORAGE_URL`; those used least recently are removed beyond it.",
    )
    table_date_order: DateOrder = Field(
        DateOrder.DMY,
        description="How `01/02/2024` in a file is read if no value of its column decides it: "
        "`mdy` (2 January) or `dmy` (1 February).",
    )
    table_display_rows: int = Field(
        10_000,
        ge=1,
        le=100_000,
        description="Rows of a table that go to the client; of a larger one those of its chart.",
    )
    source_allowed_hosts: tuple[str, ...] = Field(
        (),
        description="Hosts of data sources that accounts may connect to, as a JSON list of "
        'patterns such as `["postgresql://*.example.com:5432"]`; `*` stays inside host or port. '
        "Loopback and private addresses only if the host is written out. Empty: any with "
        "`YARROW_AUTH=off`, none otherwise.",
    )
    source_folders: tuple[Path, ...] = Field(
        (),
        description="Folders whose files may be data sources, as a JSON list. Empty: any with "
        "`YARROW_AUTH=off`, none otherwise.",
    )
    source_timeout_s: float = Field(
        120.0, gt=0, le=3600, description="Longest time a query at a data source may take."
    )
    source_max_rows: int = Field(
        5_000_000,
        ge=1,
        description="Rows of one query at a data source; a larger result is cut, and says so.",
    )
    source_queries: int = Field(
        4, ge=1, le=64, description="Requests to data sources that run at the same time."
    )
    source_queries_per_account: int = Field(
        2, ge=1, le=64, description="Of these, requests of one account."
    )
    sources_per_account: int = Field(
        50, ge=1, description="Data sources that one account may have."
    )
    sandbox_jobs: int = Field(
        4, ge=1, le=256, description="Queries and Python programs that run at the same time."
    )
    sandbox_warm_workers: int = Field(
        16,
        ge=0,
        le=1024,
        description="Idle processes that wait for the next query of their workspace; 0: none.",
    )
    sandbox_memory_mb: int = Field(
        1024, ge=128, description="Memory of one query or Python program, in MiB."
    )
    sandbox_timeout_s: float = Field(
        25.0,
        gt=0,
        le=30,
        description="Processor time in seconds of a query or a Python program; ten times as long "
        "by the clock, at least a minute.",
    )
    worker_slots: int = Field(
        256, ge=1, description="Runs that one process executes at the same time."
    )
    runs_per_account: int = Field(
        1000,
        ge=1,
        description="Unfinished runs of one account; more are refused with 429. Runs that a server "
        "executes itself count there, queued ones in the whole cluster.",
    )
    uploads_per_minute: int = Field(
        600, ge=1, description="Forms with files that one account may send to one server a minute."
    )
    signups_per_hour: int = Field(
        100,
        ge=1,
        description="Accounts that one address may create on one server an hour; loopback may "
        "create any number.",
    )
    operators: tuple[UUID, ...] = Field(
        (),
        description="Accounts that may use the operations page and its routes, a JSON list of "
        "their ids, the `id` of `GET /api/v1/profile`. Without accounts the local user may.",
    )
    trusted_proxies: tuple[str, ...] = Field(
        (),
        description="Addresses or networks of reverse proxies, as a JSON list such as "
        '`["10.0.0.0/8"]`. Their `X-Forwarded-For` names the client, for the limits of logins and '
        "signups, and `X-Forwarded-Proto` the scheme. Empty: these headers are ignored.",
    )
    drain_s: float = Field(
        10.0,
        ge=0,
        description="How long running runs may finish on SIGTERM, before they are released.",
    )
    heartbeat_s: float = Field(
        15.0,
        gt=0,
        description="Silence after which a stream sends a comment, so that proxies keep it open.",
    )
    cors_origins: tuple[str, ...] = Field(
        (), description='Origins whose pages may call the API, as a JSON list; `["*"]` for all.'
    )
    log_level: str = Field("INFO", description="`DEBUG`, `INFO`, `WARNING` or `ERROR`.")
    log_format: str = Field(
        "auto",
        pattern="^(auto|json|console)$",
        description="`json`, `console`, or `auto`: console on a terminal.",
    )
    otlp_endpoint: str | None = Field(
        None, description="OTLP/HTTP traces endpoint. Needs the `telemetry` extra."
    )


LIKENESS = 0.8
"""How alike a variable must be to a setting's name to be taken for a misspelling of it."""


def find_unknown_variables() -> dict[str, str | None]:
    """Variables in the environment that are no settings, with the name of one that looks alike."""
    prefix = str(Settings.model_config.get("env_prefix"))
    known = [prefix + name.upper() for name in Settings.model_fields]
    environment = os.environ  # noqa: TID251
    unknown = [name for name in environment if name.startswith(prefix) and name not in known]
    return {name: next(iter(get_close_matches(name, known, 1, LIKENESS)), None) for name in unknown}
