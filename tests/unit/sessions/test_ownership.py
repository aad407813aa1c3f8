"""Who gets a session."""

from uuid import uuid4

import pytest

from yarrow.errors import Forbidden
from yarrow.ids import AccountId, SessionId
from yarrow.sessions.errors import SessionNotFound
from yarrow.sessions.model import Ownership
from yarrow.sessions.ownership import require_owner

ME, OTHER = AccountId(uuid4()), AccountId(uuid4())
SESSION = SessionId(uuid4())


def test_only_the_owner_gets_a_session() -> None:
    require_owner(SESSION, Ownership(ME, deleted=False), caller=ME)
    with pytest.raises(Forbidden):
        require_owner(SESSION, Ownership(OTHER, deleted=False), caller=ME)


@pytest.mark.parametrize("ownership", [Ownership(None, False), Ownership(ME, True)])
def test_a_missing_or_deleted_session_is_not_found(ownership: Ownership) -> None:
    with pytest.raises(SessionNotFound):
        require_owner(SESSION, ownership, caller=ME)
