"""Errors of tools and of repeating their effects."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from yarrow.errors import Conflict
from yarrow.journal.events import FailureReason
from yarrow.runs.errors import AgentRefused

if TYPE_CHECKING:
    from yarrow.stories.session_state_rules import StateMutation
    from yarrow.stories.tools.replay_rules import ToolExecution


class ToolCatalogConflict(Conflict):
    """Two providers have a tool of the same name."""

    def __init__(self, name: str, *, providers: Sequence[str]) -> None:
        listed = " and ".join(providers)
        super().__init__(f"the tool {name} is there twice, from {listed}; rename or remove one")
        self.name, self.providers = name, tuple(providers)


class ReplayRefused(Conflict):
    """Answering again would repeat recorded effects."""

    rule = "recorded effects of the floor need confirmation"

    def __init__(
        self, executions: Sequence["ToolExecution"], mutations: Sequence["StateMutation"]
    ) -> None:
        super().__init__(self.rule)
        self.executions, self.mutations = tuple(executions), tuple(mutations)


class ToolReplayUnconfirmed(ReplayRefused):
    """Tool calls of the turn have to be confirmed."""

    rule = "tool calls of the floor need confirmation: send their ids in confirmed_execution_ids"


class StateReplayUnconfirmed(ReplayRefused):
    """State writes of the turn have to be confirmed."""

    rule = (
        "session state writes of the floor need confirmation: send their ids in "
        "confirmed_session_state_mutation_ids"
    )


class ReplayUnconfirmed(ReplayRefused):
    """Tool calls and state writes of the turn have to be confirmed."""

    rule = (
        "tool calls and session state writes of the floor need confirmation: send their ids in "
        "confirmed_execution_ids and confirmed_session_state_mutation_ids"
    )


class ToolReplayBlocked(ReplayRefused):
    """A tool call of the turn cannot be repeated, confirmed or not."""

    rule = "a tool call of the floor is irreversible or uncertain and cannot be repeated"


class StateReplayBlocked(ReplayRefused):
    """A state write of the turn cannot be repeated, confirmed or not."""

    rule = "a session state write of the floor cannot be repeated"


class ReplyNotRepeatable(AgentRefused):
    """The verifier rejected a reply whose tool calls are not safe to repeat."""

    def __init__(self) -> None:
        super().__init__(
            FailureReason.REPLAY_BLOCKED, "the rejected reply called tools that cannot be repeated"
        )


class ReplacedTurnChanged(AgentRefused):
    """The turn to replace has another reply than the one that was confirmed."""

    def __init__(self) -> None:
        super().__init__(
            FailureReason.TARGET_CHANGED, "the turn got another reply while this one waited"
        )
