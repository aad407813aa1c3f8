"""Variables of stories: where one lies, and reading and writing it there."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from yarrow.db import Database, Tx
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, MessageId, SessionId, TurnId
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.sessions.errors import BranchNotFound, MessageNotFound, TurnNotFound
from yarrow.sessions.store import MAIN_BRANCH
from yarrow.sessions.timeline import branch_store as branches
from yarrow.sessions.timeline import store as timeline
from yarrow.stories.rules import require_open
from yarrow.stories.timeline import own_story
from yarrow.variables import store
from yarrow.variables.errors import VariableNotFound
from yarrow.variables.model import EVERYWHERE, Place, Resolved, Scope, Variable
from yarrow.variables.rules import (
    require_distinct,
    require_key,
    require_room,
    require_value,
    resolve,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A place as a client names it. `thing` is the page, floor, branch or session itself."""

    scope: Scope
    session_id: SessionId | None = None
    branch: str | None = None
    thing: UUID | None = None


@dataclass(frozen=True, slots=True)
class Located:
    """A place that was found, and the name of its branch."""

    place: Place
    branch: str | None


@dataclass(frozen=True, slots=True)
class Written:
    """A variable that was stored, and whether it is new."""

    variable: Variable
    located: Located
    created: bool


@dataclass(frozen=True, slots=True)
class View:
    """From where variables are seen."""

    session_id: SessionId | None = None
    branch: str | None = None
    turn_id: TurnId | None = None
    message_id: MessageId | None = None


async def put_variables(
    database: Database, account_id: AccountId, items: Sequence[tuple[Wanted, str, JsonValue]]
) -> tuple[Written, ...]:
    """Store all of the values, or none."""
    for _, key, value in items:
        require_key(key)
        require_value(value)
    async with database.transaction() as tx:
        located = await _locate_all(tx, account_id, [wanted for wanted, _, _ in items])
        named = [(located[wanted].place, key) for wanted, key, _ in items]
        require_distinct(named)
        stored = await _write(tx, account_id, items, located)
    return tuple(Written(*_stored_first(stored, located[wanted], key)) for wanted, key, _ in items)


async def _write(
    tx: Tx,
    account_id: AccountId,
    items: Sequence[tuple[Wanted, str, JsonValue]],
    located: dict[Wanted, Located],
) -> dict[tuple[Place, str], tuple[Variable, bool]]:
    """Place by place, always in the same order: two batches must not wait for each other."""
    by_place: dict[Place, JsonObject] = {}
    for wanted, key, value in items:
        by_place.setdefault(located[wanted].place, {})[key] = value
    stored: dict[tuple[Place, str], tuple[Variable, bool]] = {}
    for place in sorted(by_place, key=lambda p: (p.scope, p.scope_id)):
        await store.lock_place(tx, account_id, place)
        written = await store.write(tx, account_id, place, by_place[place])
        require_room(place, await store.count(tx, account_id, place))
        stored |= {(place, key): found for key, found in written.items()}
    return stored


def _stored_first(
    stored: dict[tuple[Place, str], tuple[Variable, bool]], located: Located, key: str
) -> tuple[Variable, Located, bool]:
    variable, created = stored[located.place, key]
    return variable, located, created


async def read_variables(
    database: Database, account_id: AccountId, wanted: Wanted
) -> tuple[Located, tuple[Variable, ...]]:
    """All variables of one place."""
    async with database.connection() as tx:
        located = await _locate(tx, account_id, wanted)
        return located, await store.read_places(tx, account_id, [located.place])


async def delete_variable(
    database: Database, account_id: AccountId, wanted: Wanted, *, key: str
) -> Located:
    async with database.transaction() as tx:
        located = (await _locate_all(tx, account_id, [wanted]))[wanted]
        if not await store.delete(tx, account_id, located.place, key=key):
            raise VariableNotFound(key)
    return located


async def resolve_variables(
    database: Database, account_id: AccountId, view: View
) -> tuple[Resolved, ...]:
    """Of each key the value that counts when seen from there."""
    async with database.connection() as tx:
        places = await _seen_places(tx, account_id, view)
        return resolve(await store.read_places(tx, account_id, places))


async def _seen_places(tx: Tx, account_id: AccountId, view: View) -> list[Place]:
    """From the widest scope to the narrowest one that is named. A page implies its floor."""
    places = [EVERYWHERE]
    session_id, branch, turn_id = view.session_id, view.branch, view.turn_id
    if view.message_id is not None:
        found = await _page_place(tx, account_id, view.message_id, session_id)
        places.append(found[0])
        turn_id = turn_id or found[1]
    if turn_id is not None:
        place, session_id, of_turn = await _turn_place(tx, account_id, turn_id, session_id)
        places.append(place)
        branch = branch or of_turn
    if session_id is not None:
        wanted = [
            Wanted(Scope.CHAT, session_id),
            Wanted(Scope.BRANCH, session_id, branch or MAIN_BRANCH),
        ]
        places += [(await _locate(tx, account_id, each)).place for each in wanted]
    return places


async def _locate_all(
    tx: Tx, account_id: AccountId, wanted: Sequence[Wanted]
) -> dict[Wanted, Located]:
    """Places that may be written to: those of archived stories are refused."""
    located = {each: await _locate(tx, account_id, each) for each in dict.fromkeys(wanted)}
    for session_id in {found.place.session_id for found in located.values()} - {None}:
        assert session_id is not None
        require_open(await own_story(tx, account_id, session_id))
    return located


async def _locate(tx: Tx, account_id: AccountId, wanted: Wanted) -> Located:
    match wanted.scope:
        case Scope.GLOBAL:
            return Located(EVERYWHERE, None)
        case Scope.CHAT:
            session_id = wanted.session_id or SessionId(_named(wanted))
            await own_story(tx, account_id, session_id)
            return Located(Place(Scope.CHAT, str(session_id), session_id), None)
        case Scope.BRANCH:
            return await _locate_branch(tx, account_id, wanted)
        case Scope.FLOOR:
            turn_id = TurnId(_named(wanted))
            place, _, branch = await _turn_place(tx, account_id, turn_id, wanted.session_id)
            return Located(place, branch)
        case Scope.PAGE:
            message_id = MessageId(_named(wanted))
            place, _ = await _page_place(tx, account_id, message_id, wanted.session_id)
            return Located(place, None)


def _named(wanted: Wanted) -> UUID:
    if wanted.thing is None:
        raise InvalidInput(f"scope {wanted.scope} needs scope_id", field="scope_id")
    return wanted.thing


async def _locate_branch(tx: Tx, account_id: AccountId, wanted: Wanted) -> Located:
    if wanted.session_id is None:
        raise InvalidInput("scope branch needs session_id", field="session_id")
    await own_story(tx, account_id, wanted.session_id)
    name = wanted.branch or MAIN_BRANCH
    found = next(iter(await branches.read_branches(tx, wanted.session_id, name)), None)
    if found is None:
        raise BranchNotFound(name)
    return Located(Place(Scope.BRANCH, str(found.id), wanted.session_id), name)


async def _turn_place(
    tx: Tx, account_id: AccountId, turn_id: TurnId, session_id: SessionId | None
) -> tuple[Place, SessionId, str]:
    turn = await timeline.find_turn(tx, turn_id)
    foreign = turn is None or turn.account_id != account_id
    if turn is None or foreign or session_id not in {None, turn.session_id}:
        raise TurnNotFound(str(turn_id))
    return Place(Scope.FLOOR, str(turn_id), turn.session_id), turn.session_id, turn.branch


async def _page_place(
    tx: Tx, account_id: AccountId, message_id: MessageId, session_id: SessionId | None
) -> tuple[Place, TurnId]:
    found = next(iter(await timeline.find_pages(tx, [message_id])), None)
    foreign = found is None or found.place.account_id != account_id
    if found is None or foreign or session_id not in {None, found.place.session_id}:
        raise MessageNotFound(str(message_id))
    place = Place(Scope.PAGE, str(message_id), found.place.session_id)
    return place, found.page.turn_id
