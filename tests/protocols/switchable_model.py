"""A scripted model for many tests of one product: each brings a script of its own."""

from collections.abc import AsyncGenerator, Iterable

from yarrow.kit.limiter import current_owner
from yarrow.llm.errors import ModelError
from yarrow.llm.model import ChatRequest, Chunk
from yarrow.llm.scripted import Fail, ScriptedModel, Turn


class SwitchableModel(ScriptedModel):
    """Every `script` brings a new model with empty counts; streams that are open keep theirs."""

    def __init__(self) -> None:
        super().__init__()
        self._playing = ScriptedModel()
        self._earlier_accounts: set[str] = set()

    def leave_accounts(self, ids: Iterable[str]) -> None:
        """Echo what runs of these accounts ask from now on: a late one takes no test's script."""
        self._earlier_accounts.update(ids)

    def script(self, *script: Turn) -> ScriptedModel:
        """Let this script be the answers to what is asked from now on."""
        self._playing = ScriptedModel(*script)
        return self._playing

    def stream(self, request: ChatRequest) -> AsyncGenerator[Chunk, None]:
        is_late = str(current_owner()) in self._earlier_accounts
        return (ScriptedModel() if is_late else self._playing).stream(request)


def fail_at_once(error: ModelError) -> Fail:
    """A failure that may be retried without waiting, as if the endpoint had said so."""
    error.retry_after_s = 0.0
    return Fail(error)
