"""The present configuration as facts for a visitor: never a key, a DSN or an address."""

from msgspec import Struct
from pydantic import BaseModel

from yarrow.llm.model import ChatModel
from yarrow.llm.open_model import NoModel
from yarrow.llm.rule_based.model import RuleModel
from yarrow.settings import AuthMode, Settings
from yarrow.speech.offline import OfflineRecogniser
from yarrow.speech.recogniser import NoRecogniser, Recogniser


class ConfigurationFact(Struct, frozen=True):
    """One fact. Its words are `config.<name>` and `config.<name>.<state>` in the table of words."""

    name: str
    state: str
    page: str
    """The docs page about it."""
    command: str = ""
    """What changes it, as typed into a shell."""
    value: str = ""
    """A name that is shown as it is instead of the words of the state."""


class ClientLimits(BaseModel, frozen=True):
    """What a request may have at most, for clients that say so before they send it."""

    message_characters: int
    """Of a message to the assistant; code points, as everywhere here."""
    message_pictures: int
    picture_bytes: int
    question_characters: int
    """Of a question that is cast for."""
    title_characters: int
    table_bytes: int
    """Of a file that becomes a table."""
    story_file_bytes: int
    """Of a card, worldbook, preset or chat that is imported."""


class ClientConfiguration(Struct, frozen=True):
    """What clients can read about this process."""

    facts: list[ConfigurationFact]
    limits: ClientLimits
    run_points: int
    """What a successful run of the diviner or the assistant costs."""


def describe_configuration(
    settings: Settings, model: ChatModel, *, recogniser: Recogniser, working: bool
) -> list[ConfigurationFact]:
    """List the facts of this process. Only the local user is shown the data folder."""
    facts = [
        _describe_auth(settings.auth),
        _describe_model(model),
        _describe_speech(recogniser),
        _describe_database(settings),
        _describe_worker(working=working),
    ]
    if settings.auth is AuthMode.OFF:
        folder = str(settings.data_dir.resolve())
        command = "DATA_DIR=… make serve"
        facts.append(ConfigurationFact("data", "local", "howto/settings", command, folder))
    return facts


def _describe_auth(mode: AuthMode) -> ConfigurationFact:
    match mode:
        case AuthMode.OFF:
            return ConfigurationFact("auth", "off", "howto/accounts", "YARROW_AUTH=jwt make serve")
        case AuthMode.JWT:
            return ConfigurationFact("auth", "on", "howto/accounts", "YARROW_AUTH=off make serve")


def _describe_database(settings: Settings) -> ConfigurationFact:
    command = "YARROW_DATABASE_URL=… make serve"
    if settings.database_url is None:
        page = "explanation/embedded-postgres"
        return ConfigurationFact("database", "embedded", page, command)
    return ConfigurationFact("database", "outside", "howto/settings", command)


def _describe_model(model: ChatModel) -> ConfigurationFact:
    command = "YARROW_LLM_BASE_URL=… YARROW_LLM_API_KEY=… YARROW_LLM_MODEL=… make serve"
    match model:
        case RuleModel(small_model=None):
            return ConfigurationFact("model", "rules", "howto/models", command)
        case RuleModel():
            return ConfigurationFact("model", "offline", "howto/models", command)
        case NoModel():
            return ConfigurationFact("model", "none", "howto/models", command)
        case _:
            return ConfigurationFact("model", "endpoint", "howto/models", command, model.name)


def _describe_speech(recogniser: Recogniser) -> ConfigurationFact:
    command = "YARROW_ASR_BASE_URL=… make serve"
    match recogniser:
        case OfflineRecogniser():
            return ConfigurationFact("speech", "offline", "howto/speech", command)
        case NoRecogniser():
            return ConfigurationFact("speech", "none", "howto/speech", command)
        case _:
            return ConfigurationFact("speech", "endpoint", "howto/speech", command, recogniser.name)


def _describe_worker(*, working: bool) -> ConfigurationFact:
    if working:
        return ConfigurationFact(
            "worker", "on", "howto/settings", ".venv/bin/yarrow serve --no-worker"
        )
    return ConfigurationFact("worker", "off", "howto/settings", ".venv/bin/yarrow worker")
