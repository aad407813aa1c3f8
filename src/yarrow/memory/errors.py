"""Errors of memory."""

from yarrow.errors import Conflict, NotFound, TooManyRequests, Unavailable


class MemoryNotFound(NotFound):
    """The account has no such memory, or it belongs to a replaced turn."""

    def __init__(self, memory: str) -> None:
        super().__init__(f"no memory {memory}")
        self.memory = memory


class MemoryEdgeNotFound(NotFound):
    """The account has no such edge."""

    def __init__(self, edge: str) -> None:
        super().__init__(f"no memory edge {edge}")
        self.edge = edge


class MemoryJobNotFound(NotFound):
    """The account has no such job."""

    def __init__(self, job: str) -> None:
        super().__init__(f"no memory job {job}")
        self.job = job


class MemoryFull(Conflict):
    """The account has the maximum number of memories."""

    def __init__(self, *, limit: int) -> None:
        super().__init__(f"an account has at most {limit} memories; delete some first")
        self.limit = limit


class MemoryJobState(Conflict):
    """The job is not in a state that allows the change."""

    def __init__(self, status: str, action: str) -> None:
        super().__init__(f"a job that is {status} cannot be {action}")
        self.status, self.action = status, action


class MemoryBusy(TooManyRequests):
    """The account asks for more memory jobs than it may."""

    def __init__(self, rule: str, *, retry_after_s: float) -> None:
        super().__init__(f"{rule}; try again later", retry_after_s=retry_after_s)


class MemoryTurnedOff(Unavailable):
    """`YARROW_MEMORY` is off."""

    def __init__(self) -> None:
        super().__init__("memory is turned off on this server")
