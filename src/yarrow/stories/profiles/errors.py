"""Errors of model profiles and slots."""

from yarrow.errors import Conflict


class ProfileNotFound(Conflict):
    """The account has no such profile."""

    def __init__(self, profile: str) -> None:
        super().__init__(f"no model profile {profile}; list the profiles again")
        self.profile = profile


class ProfileDisabled(Conflict):
    """The profile is disabled, so no model can be asked with it."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the model profile {name} is disabled; enable it or bind another one")
        self.name = name


class RequiredSlotDisabled(Conflict):
    """A turn needs the slot, and it is disabled."""

    def __init__(self, slot: str) -> None:
        super().__init__(f"the slot {slot} is disabled; enable it in /llm-instances/{slot}")
        self.slot = slot
