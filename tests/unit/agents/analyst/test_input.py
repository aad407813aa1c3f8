"""What a turn is asked, and what it need not repeat."""

from datetime import UTC, datetime
from uuid import uuid4

from yarrow.agents.analyst.input import AnalystInput, ClientMessage, read_input, to_options
from yarrow.ids import MessageId, SessionId
from yarrow.runs.model import RunInput
from yarrow.sessions.model import Message, MessageDetails, Role

FIRST = AnalystInput(
    workspace="w",
    tables=("sales",),
    coding_rules="Round.",
    max_iterations=10,
    images=("data:image/png;base64,x",),
    client_messages=(ClientMessage("user", "Hello"),),
)


def asked(given: AnalystInput) -> Message:
    return Message(
        id=MessageId(uuid4()),
        session_id=SessionId(uuid4()),
        seq=1,
        role=Role.USER,
        content="?",
        tool_name=None,
        details=MessageDetails(options=to_options(given)),
        created_at=datetime.now(UTC),
    )


def test_options_come_back_as_they_were() -> None:
    assert read_input(RunInput("?", options=to_options(FIRST))) == FIRST


def test_a_turn_that_goes_on_remembers_all_but_pictures() -> None:
    given = RunInput("A", options=to_options(AnalystInput(workspace="w")))

    again = read_input(given, [asked(FIRST)])

    assert (again.tables, again.coding_rules, again.max_iterations) == (("sales",), "Round.", 10)
    assert again.client_messages == FIRST.client_messages
    assert again.images == ()


def test_what_a_turn_says_counts_more_than_what_was_said() -> None:
    given = RunInput("A", options=to_options(AnalystInput(workspace="w", tables=("costs",))))

    assert read_input(given, [asked(FIRST)]).tables == ("costs",)
