"""The fork servers of a sandbox, and whether their jobs can be isolated on this machine."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

from yarrow.isolation.seccomp import is_supported
from yarrow.sandbox.client import ForkServerClient, JobDied
from yarrow.sandbox.errors import (
    PythonUnavailable,
    SandboxError,
    SandboxMissing,
    SandboxUnconfined,
)
from yarrow.sandbox.job_spec import make_job_spec, make_sql_request
from yarrow.sandbox.messages import JobKind, QueryRows
from yarrow.sandbox.model import JobLimits

IsolationProbe: TypeAlias = Callable[[ForkServerClient], Awaitable[str | None]]

_PROBE_LIMITS = JobLimits(seconds=60.0, clock_seconds=600.0, memory_mb=512, rows=1)
_NO_NAMESPACES = re.compile(r"\bunshare\b|user ids cannot be mapped")


async def probe_isolation(client: ForkServerClient) -> str | None:
    """Run one query in a jailed job; return the reason, for the operator, why that fails."""
    if not is_supported():
        return "isolation is built for x86-64 and AArch64"
    request = make_sql_request("SELECT 1", _PROBE_LIMITS)
    try:
        response = await client.run(make_job_spec({}, _PROBE_LIMITS), request)
    except (SandboxError, JobDied, TimeoutError):
        await client.close()
        return explain_failure(client.failure)
    return None if isinstance(response, QueryRows) else explain_failure("")


def explain_failure(last_line: str) -> str:
    """Why jobs cannot be isolated, from the last error of a fork server."""
    if _NO_NAMESPACES.search(last_line):
        return "user namespaces are not available here; see docs/explanation/sandbox.md"
    return last_line or "a job could not lock itself up"


def are_packages_installed() -> bool:
    """Whether the packages that read tables are installed, those of the extra `analyst`."""
    return find_spec("duckdb") is not None


class ForkServers:
    """One fork server for SQL and one for Python; each starts with its first job.

    Where there are no namespaces, SQL is confined by Landlock and Python does not run at all.
    """

    def __init__(
        self,
        folder: Path,
        *,
        probe: IsolationProbe,
        has_landlock: Callable[[], bool],
        has_packages: Callable[[], bool],
        max_parts: int,
    ) -> None:
        self._has_landlock, self._has_packages = has_landlock, has_packages
        self._jailed = {
            kind: ForkServerClient(kind, folder, jailed=True, max_parts=max_parts)
            for kind in JobKind
        }
        self._plain_sql = ForkServerClient(JobKind.SQL, folder, jailed=False, max_parts=max_parts)
        self._probe = probe
        self._probing = asyncio.Lock()
        self._probed: list[str | None] = []

    @property
    def pids(self) -> Mapping[JobKind, int]:
        """Process ids of the fork servers that run now."""
        running = {kind: client.pid for kind, client in self._jailed.items()}
        running[JobKind.SQL] = running[JobKind.SQL] or self._plain_sql.pid
        return {kind: pid for kind, pid in running.items() if pid is not None}

    async def why_not_isolated(self) -> str | None:
        """The result of the probe, which runs once."""
        async with self._probing:
            if not self._probed:
                self._probed.append(await self._probe(self._jailed[JobKind.SQL]))
        return self._probed[0]

    async def why_no_tables(self) -> SandboxError | None:
        """Why this machine reads no tables; None if it does."""
        try:
            await self.for_sql()
        except (SandboxMissing, SandboxUnconfined) as reason:
            return reason
        return None

    async def isolated(self, kind: JobKind) -> ForkServerClient:
        """A fork server whose jobs are jailed, or `PythonUnavailable`."""
        if (reason := await self.why_not_isolated()) is not None:
            raise PythonUnavailable(reason)
        return self._jailed[kind]

    async def for_sql(self) -> ForkServerClient:
        """Jailed if possible; otherwise Landlock leaves jobs their own files, and DuckDB's own
        lock, the limits and the filter apply. `SandboxUnconfined` without Landlock."""
        if not self._has_packages():
            raise SandboxMissing
        if await self.why_not_isolated() is None:
            return self._jailed[JobKind.SQL]
        if not self._has_landlock():
            raise SandboxUnconfined
        return self._plain_sql

    async def close(self) -> None:
        for client in (*self._jailed.values(), self._plain_sql):
            await client.close()
