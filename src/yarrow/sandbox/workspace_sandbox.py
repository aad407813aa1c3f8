"""The sandbox for one workspace: plain work goes to its rooms, all else the ordinary way.

A room is quick, and gives only what went well; whatever it leaves undone is done again in a
process of its own, so that a caller cannot tell the two apart but by the clock.
"""

from collections.abc import Mapping
from pathlib import Path

from yarrow.sandbox.client import Trade
from yarrow.sandbox.errors import QueryFailed
from yarrow.sandbox.job_spec import keep_order, select_order
from yarrow.sandbox.model import Frame, Limits, PythonResult, Seen, TableResult
from yarrow.sandbox.protocol import ROOM_FOLDER, Answer, Ran, Rows
from yarrow.sandbox.python_session import TOO_LONG, order_of, said_by
from yarrow.sandbox.sandbox import TOO_LONG as QUERY_TOO_LONG
from yarrow.sandbox.sandbox import Sandbox
from yarrow.sandbox.warm_workers import Key, Wanted


class OwnedSandbox:
    """`owner` names a workspace of an account: nothing is shared between two of them."""

    def __init__(self, sandbox: Sandbox, owner: str) -> None:
        self._sandbox, self._owner = sandbox, owner

    async def run_python(
        self,
        code: str,
        tables: Mapping[str, Path],
        limits: Limits | None = None,
        *,
        output_variable: str | None = None,
    ) -> PythonResult:
        """One piece of Python; see `Sandbox.run_python`."""
        used = self._sandbox.within_settings(limits)
        wanted = Wanted(code, tables, lambda files: order_of(code, output_variable, used, files))
        try:
            match await self._in_room(Trade.PYTHON, wanted, used):
                case Ran() as ran, frame:
                    return said_by(ran, frame, used)
        except TimeoutError:
            return PythonResult("", TOO_LONG.format(seconds=used.seconds), alive=False)
        return await self._sandbox.run_python(code, tables, limits, output_variable=output_variable)

    async def run_sql(
        self, query: str, tables: Mapping[str, Path], limits: Limits | None = None
    ) -> TableResult:
        """One SELECT; see `Sandbox.run_sql`."""
        used = self._sandbox.within_settings(limits)
        wanted = Wanted(query, tables, lambda files: select_order(query, used, _placed(files)))
        match await self._query(wanted, used):
            case Rows(result), _:
                return result
        return await self._sandbox.run_sql(query, tables, limits)

    async def keep_sql(
        self, query: str, tables: Mapping[str, Path], limits: Limits | None = None
    ) -> tuple[Path, Seen]:
        """All rows of a SELECT as a file; see `Sandbox.keep_sql`."""
        used = self._sandbox.within_settings(limits)
        made = f"{ROOM_FOLDER}/made"
        wanted = Wanted(
            query, tables, lambda files: keep_order(query, used, _placed(files), parquet=made)
        )
        match await self._query(wanted, used):
            case _, Frame() as frame:
                return frame.path, frame
        return await self._sandbox.keep_sql(query, tables, limits)

    async def _query(self, wanted: Wanted, used: Limits) -> tuple[Answer, Frame | None] | None:
        try:
            return await self._in_room(Trade.SQL, wanted, used)
        except TimeoutError:
            raise QueryFailed(QUERY_TOO_LONG.format(seconds=used.seconds)) from None

    async def _in_room(
        self, trade: Trade, wanted: Wanted, used: Limits
    ) -> tuple[Answer, Frame | None] | None:
        zygote = await self._sandbox.room_for(trade)
        if zygote is None:
            return None
        key = Key(self._owner, zygote, used.memory_mb, used.seconds)
        return await self._sandbox.rooms.ask(key, wanted, limits=used)


def _placed(files: Mapping[str, str]) -> dict[str, str]:
    return {name: f"{ROOM_FOLDER}/{file}" for name, file in files.items()}
