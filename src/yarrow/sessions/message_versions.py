"""The order of messages that have several versions."""

from collections.abc import Iterable
from itertools import chain

from yarrow.ids import MessageId
from yarrow.sessions.model import MessageVersion


def order_versions(versions: Iterable[MessageVersion]) -> tuple[MessageVersion, ...]:
    """Put the versions of a message together, at the place of its first one."""
    slots: dict[MessageId, list[MessageVersion]] = {}
    for version in versions:
        slots.setdefault(version.slot_id, []).append(version)
    return tuple(chain.from_iterable(slots.values()))
