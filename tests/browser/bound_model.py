"""A model whose turns are bound to messages: no other request can take them.

A page that was closed may still send its message, and a run may be executed again. With one script
for whatever is asked next, such a request takes the answer that the next test waits for.
"""

from typing import NoReturn

from tests.serving import Served

from yarrow.llm.model import ChatRequest, ChatRole
from yarrow.llm.scripted import Say, ScriptedModel, Turn, echo


class BoundModel(ScriptedModel):
    """Plays the turns of a message for requests that end with it, and echoes what has none."""

    def __init__(self) -> None:
        super().__init__(otherwise=self._choose_turn)
        self._turns: dict[str, list[Turn]] = {}
        self._asked: set[str] = set()
        self._earlier: set[str] = set()
        self._surplus: list[str] = []

    def answer(self, message: str, *turns: Turn) -> None:
        """Add turns for this message, which no earlier test may have sent or bound."""
        assert message not in self._earlier, f"an earlier test of the file sent {message!r}, too"
        self._turns.setdefault(message, []).extend(turns)

    def play(self, *turns: Turn) -> NoReturn:
        raise AssertionError("bind the turns to their message: answer(message, *turns)")

    def forget_turns(self) -> list[str]:
        """End the test; return what was wrong with its turns."""
        unplayed = [f"not asked: {message}" for message, turns in self._turns.items() if turns]
        wrong = unplayed + [f"asked too often: {message}" for message in self._surplus]
        self._earlier |= self._asked | self._turns.keys()
        self._turns, self._asked, self._surplus = {}, set(), []
        return wrong

    def _choose_turn(self, request: ChatRequest) -> Turn:
        messages = [each.text for each in request.messages if each.role is ChatRole.USER]
        message = messages[-1] if messages else ""
        self._asked.add(message)
        turns = self._turns.get(message)
        if turns is None:
            return echo(request)
        if not turns:
            self._surplus.append(message)
            return [Say(f"No turn is left for: {message}")]
        return turns.pop(0)


class Site(Served):
    """A running product whose model plays bound turns."""

    model: BoundModel
