"""Parsing of ids. Any text is allowed: one that is no UUID is an id that does not exist."""

from uuid import UUID

from yarrow.assets.errors import AssetNotFound
from yarrow.ids import AssetId, MessageId, SessionId, TurnId, VersionId
from yarrow.sessions.errors import MessageNotFound, SessionNotFound, TurnNotFound
from yarrow.stories.errors import SourceTurnNotFound


def parse_session_id(text: str) -> SessionId:
    if (uuid := parse_uuid(text)) is None:
        raise SessionNotFound(text)
    return SessionId(uuid)


def parse_turn_id(text: str) -> TurnId:
    if (uuid := parse_uuid(text)) is None:
        raise TurnNotFound(text)
    return TurnId(uuid)


def parse_source_floor_id(text: str) -> TurnId:
    if (uuid := parse_uuid(text)) is None:
        raise SourceTurnNotFound(text)
    return TurnId(uuid)


def parse_message_id(text: str) -> MessageId:
    if (uuid := parse_uuid(text)) is None:
        raise MessageNotFound(text)
    return MessageId(uuid)


def parse_asset_id(text: str) -> AssetId:
    if (uuid := parse_uuid(text)) is None:
        raise AssetNotFound(f"asset {text}")
    return AssetId(uuid)


def parse_version_id(text: str) -> VersionId:
    if (uuid := parse_uuid(text)) is None:
        raise AssetNotFound(f"version {text}")
    return VersionId(uuid)


def parse_uuid(text: str) -> UUID | None:
    """The UUID; None for any other text."""
    try:
        return UUID(text)
    except ValueError:
        return None
