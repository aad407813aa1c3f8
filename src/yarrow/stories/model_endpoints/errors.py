"""Errors of model endpoints and slots."""

from yarrow.errors import Conflict, Unavailable


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


class EndpointKeyUnreadable(Unavailable):
    """The endpoint's key was encrypted with another secret than the server's."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"the key of the model profile {name} was encrypted with another YARROW_SECRETS_KEY; "
            "store the key again"
        )
        self.name = name


class EndpointKeyDamaged(Unavailable):
    """What is stored as the endpoint's key is no encrypted secret."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the key of the model profile {name} is damaged; store the key again")
        self.name = name
