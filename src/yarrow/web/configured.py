"""What is configured right now, in words a visitor may read: never a key, a DSN or an address."""

from dataclasses import dataclass

from yarrow.llm.choose import NoModel
from yarrow.llm.model import ChatModel
from yarrow.llm.offline import OfflineModel
from yarrow.settings import AuthMode, Settings
from yarrow.speech.offline import OfflineRecogniser
from yarrow.speech.recogniser import NoRecogniser, Recogniser


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of the start page."""

    label: str
    value: str
    note: str
    page: str
    """The docs page that tells more."""


def configured(
    settings: Settings, model: ChatModel, *, recogniser: Recogniser, working: bool
) -> list[Fact]:
    """The facts of this process. Where the data lies is told to the local user only."""
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
            Fact("Data folder", folder, "Shown only while accounts are off.", "howto/settings")
        )
    return facts


def _auth(mode: AuthMode) -> Fact:
    match mode:
        case AuthMode.OFF:
            note = "One local account on this machine; runs are free."
            return Fact("Accounts", "off", note, "howto/accounts")
        case AuthMode.JWT:
            note = "Callers sign up or bring a token; runs cost points."
            return Fact("Accounts", "on", note, "howto/accounts")


def _database(settings: Settings) -> Fact:
    if settings.database_url is None:
        note = "PostgreSQL that this process starts and stops."
        return Fact("Database", "embedded", note, "explanation/embedded-postgres")
    return Fact("Database", "outside", "PostgreSQL that you run.", "howto/settings")


def _model(model: ChatModel) -> Fact:
    match model:
        case OfflineModel():
            note = "English only, for trying things out."
            return Fact("Model", "offline model", note, "howto/models")
        case NoModel():
            return Fact("Model", "none", "Runs fail until one is configured.", "howto/models")
        case _:
            note = "Answers through the endpoint you configured."
            return Fact("Model", model.name, note, "howto/models")


def _speech(recogniser: Recogniser) -> Fact:
    match recogniser:
        case OfflineRecogniser():
            note = "Recordings are transcribed on this machine."
            return Fact("Speech", "offline recogniser", note, "howto/speech")
        case NoRecogniser():
            note = "Recordings are refused until a recogniser is configured."
            return Fact("Speech", "none", note, "howto/speech")
        case _:
            note = "Recordings go to the endpoint you configured."
            return Fact("Speech", recogniser.name, note, "howto/speech")


def _worker(*, working: bool) -> Fact:
    if working:
        return Fact("Worker", "on", "This process executes runs.", "howto/settings")
    note = "Runs wait until a `yarrow worker` takes them."
    return Fact("Worker", "off", note, "howto/settings")
