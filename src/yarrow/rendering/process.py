"""A supervised child process that renders charts; started lazily, restarted after a kill."""

import logging
import os
import sys

from yarrow.kit.child_process import ChildFailed, ChildProcess
from yarrow.rendering.errors import ChartUndrawable
from yarrow.rendering.limits import TOO_LARGE
from yarrow.rendering.messages import (
    ChildExit,
    RenderIsolation,
    RenderRequest,
    RenderResult,
    RenderStatus,
)

MODULE = "yarrow.rendering.child"
START_TIMEOUT_S = 30.0
MAX_IMAGE_BYTES = 64 * 1024 * 1024
TOO_SLOW = "the chart takes too long to draw"

log = logging.getLogger("yarrow.rendering")


class RenderProcess:
    """Renders one chart at a time; its holder serialises the calls."""

    def __init__(self, isolation: RenderIsolation = RenderIsolation.FULL) -> None:
        self._isolation = isolation
        self._child = ChildProcess(
            (sys.executable, "-m", MODULE),
            env=_build_environment(),
            start_timeout_s=START_TIMEOUT_S,
        )

    @property
    def pid(self) -> int | None:
        return self._child.pid

    @property
    def isolation(self) -> RenderIsolation:
        """As requested; once a child was started, as the machine allows."""
        return self._isolation

    async def render(self, request: RenderRequest, spec: bytes, *, timeout_s: float) -> bytes:
        """Raises `ChartUndrawable` if the spec cannot be rendered, or not in time."""
        try:
            if self._child.pid is None:
                await self._start_child()
            result, image = await self._child.request(
                request,
                spec,
                response=RenderResult,
                timeout_s=timeout_s,
                max_body=MAX_IMAGE_BYTES,
            )
        except TimeoutError:
            raise ChartUndrawable(TOO_SLOW) from None
        except ChildFailed:
            raise ChartUndrawable from None
        match result.status:
            case RenderStatus.RENDERED:
                return image
            case RenderStatus.TOO_LARGE:
                raise ChartUndrawable(TOO_LARGE)
            case RenderStatus.INVALID_SPEC:
                raise ChartUndrawable

    async def close(self) -> None:
        await self._child.kill()

    async def _start_child(self) -> None:
        """Fall back to Landlock on a machine without namespaces; without it nothing is rendered."""
        try:
            await self._child.start(self._isolation)
        except ChildFailed as failed:
            is_full = self._isolation is RenderIsolation.FULL
            if failed.exit_code != ChildExit.NO_NAMESPACES or not is_full:
                raise
            log.warning("renderer.without_namespaces")
            self._isolation = RenderIsolation.LANDLOCK
            await self._child.start(self._isolation)


def _build_environment() -> dict[str, str]:
    """No setting of the server: only import path, locale, and home for the user's fonts."""
    return {
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "HOME": os.path.expanduser("~"),  # noqa: PTH111  # `Path.home` fails where there is none
    }
