"""The values of a timeline: turns with all their pages, and the branches they lie on."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import msgspec

from yarrow.ids import AccountId, BranchId, MessageId, SessionId, TurnId
from yarrow.sessions.model import NO_DETAILS, MessageDetails, Role, TurnStatus, Visibility


class PageKind(StrEnum):
    """Which side of an exchange a page is on."""

    INPUT = "input"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Page:
    """One message of a turn, shown or waiting to be chosen."""

    id: MessageId
    turn_id: TurnId
    slot: MessageId
    """What it is an alternate of: the first page of its place, maybe itself."""
    number: int
    active: bool
    seq: int
    role: Role
    content: str
    visibility: Visibility
    details: MessageDetails
    tokens: tuple[int, int]
    created_at: datetime

    @property
    def kind(self) -> PageKind:
        return PageKind.INPUT if self.role is Role.USER else PageKind.OUTPUT

    @property
    def hidden(self) -> bool:
        """Left out of prompts."""
        return Visibility.MODEL not in self.visibility

    @property
    def from_card(self) -> bool:
        """A greeting: the card's words, in which macros mean something."""
        return self.details.greeting


@dataclass(frozen=True, slots=True)
class Floor:
    """A turn as a timeline shows it."""

    id: TurnId
    session_id: SessionId
    branch: str
    seq: int
    status: TurnStatus
    parent_id: TurnId | None
    superseded_by: TurnId | None
    created_at: datetime
    updated_at: datetime
    pages: tuple[Page, ...]

    @property
    def number(self) -> int:
        """Floors count from nought, turns from one."""
        return self.seq - 1


class Utterance(msgspec.Struct, frozen=True, gc=False):
    """A message as a prompt needs it. A struct: a history has thousands, made anew each time.

    Its ids are text: a prompt only tells them, and thousands of them take a while to be written.
    """

    role: Role
    content: str
    turn_id: str
    floor_no: int
    message_id: str
    hidden: bool
    said_at: float
    """Seconds since 1970: making a time of each would take longer than all the rest."""
    from_card: bool
    """A greeting: macros in it mean something."""
    page_no: int
    """Which of its alternates it is, from nought."""
    page_count: int


@dataclass(frozen=True, slots=True)
class Branch:
    """One line of turns. One without turns of its own is not materialised yet."""

    id: BranchId
    name: str
    parent: str | None
    forked_after: TurnId | None
    forked_after_seq: int | None
    own_turns: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class TurnPlace:
    """Where a turn lies, and whose it is."""

    id: TurnId
    account_id: AccountId
    session_id: SessionId
    branch_id: BranchId
    branch: str
    seq: int
    status: TurnStatus


@dataclass(frozen=True, slots=True)
class NewSlot:
    """One utterance to store, with its alternates; `shown` says which of them is active."""

    role: Role
    texts: tuple[str, ...]
    shown: int = 0
    visibility: Visibility = Visibility.BOTH
    details: MessageDetails = NO_DETAILS
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NewFloor:
    """An answered turn to store as it is, without a run."""

    id: TurnId
    seq: int
    slots: tuple[NewSlot, ...]


@dataclass(frozen=True, slots=True)
class NewBranch:
    """A branch to fork."""

    id: BranchId
    name: str
    parent_id: BranchId
    after: TurnId
    after_seq: int
