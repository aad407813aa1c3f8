"""Errors of model endpoints and slots."""

from yarrow.errors import Conflict


class EndpointNotFound(Conflict):
    """The account has no such endpoint."""

    def __init__(self, endpoint: str) -> None:
        super().__init__(f"no model profile {endpoint}; list the profiles again")
        self.endpoint = endpoint


class EndpointDisabled(Conflict):
    """The endpoint is disabled, so no model can be asked with it."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the model profile {name} is disabled; enable it or bind another one")
        self.name = name


class RequiredSlotDisabled(Conflict):
    """A turn needs the slot, and it is disabled."""

    def __init__(self, slot: str) -> None:
        super().__init__(f"the slot {slot} is disabled; enable it in /llm-instances/{slot}")
        self.slot = slot
