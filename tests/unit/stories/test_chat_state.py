"""States of replies in a chat file are bounded: the newest are kept."""

from yarrow.stories.chat_state import STATES_BYTES, PresentState, save_states
from yarrow.stories.turn_state import TurnState


def test_the_oldest_states_are_left_out_of_a_large_file() -> None:
    text = "x" * (STATES_BYTES // 3)
    states = [TurnState(f"reply {number}", {"note": text}) for number in range(5)]

    saved = save_states(states, PresentState(), last=frozenset())

    assert set(saved.states) == {"reply 3", "reply 4"}
    assert (saved.left_out, saved.present) == (3, {"states_left_out": 3})


def test_the_state_that_an_import_gives_the_last_reply_is_not_written() -> None:
    states = [TurnState("first", {"n": 1}), TurnState("last", {"n": 1})]

    saved = save_states(states, PresentState({"n": 1}), last=frozenset({"last"}))

    assert (set(saved.states), saved.present, saved.left_out) == ({"first"}, {}, 0)
