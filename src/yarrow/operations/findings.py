"""What a check of the server can find, in English; pages have the same words in their languages."""

from enum import StrEnum


class Finding(StrEnum):
    """The sentence of a check, with slots for its facts; its name is on the wire."""

    OTHER = "{text}"
    """An error, or what only a server that is not running finds."""
    VERSION = "{version}"
    NO_MISSPELT_SETTINGS = "no misspelt YARROW_ variables"
    UNKNOWN_SETTINGS = "not read, since they are no settings: {names}"
    DISK_LEFT = "{gigabytes} GB left for {folder}"
    EMBEDDED_DATABASE = "embedded, {version}, up to date"
    OUTSIDE_DATABASE = "outside, {version}, up to date"
    SCHEMA = "at {revision}, newest {newest}"
    WORKERS = "{alive} of {count} alive"
    ANSWERED = "{what}, answered in {seconds} s"
    NO_ANSWER = "{what}: no answer in time"
    NO_MODEL = "none: set YARROW_LLM_BASE_URL"
    RULES = "none: rules and tools answer"
    SMALL_MODEL = (
        "none: rules and tools answer, a small model plays characters; "
        "set YARROW_LLM_BASE_URL for a real one"
    )
    MORE_THAN_RULES = (
        "none: rules and tools answer, more by `{command}`; set YARROW_LLM_BASE_URL for a real one"
    )
    NO_SPEECH = "none: set YARROW_ASR_BASE_URL, or YARROW_ASR_MODEL_PATH to a Whisper model"
    OFFLINE_SPEECH = "offline, {model}"
    FOLDER = "attachments are kept in the data dir"
    NO_TABLES = "no tables and no charts: {command}"
    ISOLATED = "SQL and Python, in namespaces of their own"
    CONFINED = "SQL, files and pictures of charts, confined by Landlock; no Python: {reason}"
    NOT_CONFINED = "no tables, no pictures of charts, no Python: there is no Landlock, and {reason}"
    NO_ACCOUNTS = "off: one local account, loopback only, runs are free"
    OWN_ACCOUNTS = "jwt: own accounts"
    OUTSIDE_ACCOUNTS = "jwt: own accounts and an outside issuer"
    TELEMETRY = "OpenTelemetry is installed"
    NO_TELEMETRY = "{command} for traces"
