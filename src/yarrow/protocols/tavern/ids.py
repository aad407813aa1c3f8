"""Ids in paths, queries and bodies: any text is allowed, one that is no UUID names nothing."""

from uuid import UUID

from yarrow.assets.errors import AssetNotFound
from yarrow.ids import AssetId, MessageId, SessionId, TurnId, VersionId
from yarrow.sessions.errors import MessageNotFound, SessionNotFound, TurnNotFound
from yarrow.stories.errors import SourceTurnNotFound


def session_id(given: str) -> SessionId:
    if (found := uuid_of(given)) is None:
        raise SessionNotFound(given)
    return SessionId(found)


def turn_id(given: str) -> TurnId:
    if (found := uuid_of(given)) is None:
        raise TurnNotFound(given)
    return TurnId(found)


def source_floor_id(given: str) -> TurnId:
    if (found := uuid_of(given)) is None:
        raise SourceTurnNotFound(given)
    return TurnId(found)


def message_id(given: str) -> MessageId:
    if (found := uuid_of(given)) is None:
        raise MessageNotFound(given)
    return MessageId(found)


def asset_id(given: str) -> AssetId:
    if (found := uuid_of(given)) is None:
        raise AssetNotFound(f"asset {given}")
    return AssetId(found)


def version_id(given: str) -> VersionId:
    if (found := uuid_of(given)) is None:
        raise AssetNotFound(f"version {given}")
    return VersionId(found)


def uuid_of(given: str) -> UUID | None:
    """The id if it is one of ours; None for any other text."""
    try:
        return UUID(given)
    except ValueError:
        return None
