"""Errors of divination runs."""

from yarrow.errors import InvalidInput


class RuntimeModeInvalid(InvalidInput):
    """A divination run has no `runtime_mode`, or one that is neither `chat` nor `follow_up`."""

    def __init__(self) -> None:
        super().__init__("forwardedProps.runtime_mode must be chat or follow_up")
