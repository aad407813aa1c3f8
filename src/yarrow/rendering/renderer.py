"""Render charts in child processes.

vl-convert holds the GIL for the whole rendering, so in a thread it would still stop every stream
of the server; and a spec that a model wrote may never end. A child that takes too long is killed.
An owner has at most one child at a time, and one place in the queue for them.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from yarrow.kit.json import JsonObject, encode_json
from yarrow.kit.limiter import Limiter
from yarrow.rendering.errors import ChartUndrawable
from yarrow.rendering.limits import require_within_limits
from yarrow.rendering.messages import ImageFormat, RenderIsolation, RenderRequest
from yarrow.rendering.process import RenderProcess

TIMEOUT_S = 10.0
WAIT_S = 60.0
PROCESSES = 2
BUSY = "too many charts are being drawn; try again later"


class Renderer:
    """Renders specs in processes that start with the first charts and stay for the next."""

    def __init__(
        self, *, timeout_s: float = TIMEOUT_S, isolation: RenderIsolation = RenderIsolation.FULL
    ) -> None:
        self._timeout_s = timeout_s
        self._processes = tuple(RenderProcess(isolation) for _ in range(PROCESSES))
        self._idle = list(self._processes)
        self._limiter = Limiter(
            PROCESSES, per_owner=1, timeout_s=WAIT_S, busy=partial(ChartUndrawable, BUSY)
        )

    async def svg(self, spec: JsonObject, *, owner: str) -> str:
        """Raises `ChartUndrawable` if the spec cannot be rendered, or not in time."""
        return (await self._render_chart(ImageFormat.SVG, spec, scale=1.0, owner=owner)).decode()

    async def png(self, spec: JsonObject, *, owner: str, scale: float = 1.0) -> bytes:
        """Raises like `svg`."""
        return await self._render_chart(ImageFormat.PNG, spec, scale=scale, owner=owner)

    async def close(self) -> None:
        """Kill the processes."""
        for process in self._processes:
            await process.close()

    async def _render_chart(
        self, image_format: ImageFormat, spec: JsonObject, *, scale: float, owner: str
    ) -> bytes:
        body = await asyncio.to_thread(_encode_spec, spec, scale)
        request = RenderRequest(image_format, scale)
        async with self._idle_process(owner) as process:
            return await process.render(request, body, timeout_s=self._timeout_s)

    @asynccontextmanager
    async def _idle_process(self, owner: str) -> AsyncIterator[RenderProcess]:
        async with self._limiter.slot(owner):
            process = self._idle.pop()
            try:
                yield process
            finally:
                self._idle.append(process)


def _encode_spec(spec: JsonObject, scale: float) -> bytes:
    body = encode_json(spec)
    require_within_limits(spec, size=len(body), scale=scale)
    return body
