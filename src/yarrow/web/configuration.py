"""The present configuration in words for a visitor: never a key, a DSN or an address."""

from dataclasses import dataclass

from yarrow.llm.model import ChatModel
from yarrow.llm.open import NoModel
from yarrow.llm.rules.model import RuleModel
from yarrow.settings import AuthMode, Settings
from yarrow.speech.offline import OfflineRecogniser
from yarrow.speech.recogniser import NoRecogniser, Recogniser


@dataclass(frozen=True, slots=True)
class ConfigurationFact:
    """One line of the start page."""

    label: str
    value: str
    note: str
    page: str
    """The docs page about it."""


def describe_configuration(
    settings: Settings, model: ChatModel, *, recogniser: Recogniser, working: bool
) -> list[ConfigurationFact]:
    """List the facts of this process. Only the local user is shown the data folder."""
    facts = [
        _auth(settings.auth),
        _database(settings),
        _model(model),
        _speech(recogniser),
        _worker(working=working),
    ]
    if settings.auth is AuthMode.OFF:
        folder = str(settings.data_dir.resolve())
        facts.append(
            ConfigurationFact(
                "Data folder", folder, "Shown only while accounts are off.", "howto/settings"
            )
        )
    return facts


def _auth(mode: AuthMode) -> ConfigurationFact:
    match mode:
        case AuthMode.OFF:
            note = "One local account on this machine; runs are free."
            return ConfigurationFact("Accounts", "off", note, "howto/accounts")
        case AuthMode.JWT:
            note = "Callers sign up or bring a token; runs cost points."
            return ConfigurationFact("Accounts", "on", note, "howto/accounts")


def _database(settings: Settings) -> ConfigurationFact:
    if settings.database_url is None:
        note = "PostgreSQL that this process starts and stops."
        return ConfigurationFact("Database", "embedded", note, "explanation/embedded-postgres")
    return ConfigurationFact("Database", "outside", "PostgreSQL that you run.", "howto/settings")


def _model(model: ChatModel) -> ConfigurationFact:
    match model:
        case RuleModel(small_model=None):
            note = "The assistant answers what its tools can do; free of charge."
            return ConfigurationFact("Model", "none, rules only", note, "howto/models")
        case RuleModel():
            note = "Rules call the tools, a small model makes small talk; free of charge."
            return ConfigurationFact("Model", "none, offline answers", note, "howto/models")
        case NoModel():
            return ConfigurationFact(
                "Model", "none", "Runs fail until one is configured.", "howto/models"
            )
        case _:
            note = "Answers through the endpoint you configured."
            return ConfigurationFact("Model", model.name, note, "howto/models")


def _speech(recogniser: Recogniser) -> ConfigurationFact:
    match recogniser:
        case OfflineRecogniser():
            note = "Recordings are transcribed on this machine."
            return ConfigurationFact("Speech", "offline recogniser", note, "howto/speech")
        case NoRecogniser():
            note = "Recordings are refused until a recogniser is configured."
            return ConfigurationFact("Speech", "none", note, "howto/speech")
        case _:
            note = "Recordings go to the endpoint you configured."
            return ConfigurationFact("Speech", recogniser.name, note, "howto/speech")


def _worker(*, working: bool) -> ConfigurationFact:
    if working:
        return ConfigurationFact("Worker", "on", "This process executes runs.", "howto/settings")
    note = "Runs wait until a `yarrow worker` takes them."
    return ConfigurationFact("Worker", "off", note, "howto/settings")
