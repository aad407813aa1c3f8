"""`make fuzz`: send the served product generated requests, valid and not, from its own document.

    python -m tests.protocols.fuzz [--examples N] [--seed N]

`make test` sends a sample of the valid values at the limits of each schema and of odd ones, and
`make fuzz` all of them (test_odd_values.py); the requests of schemathesis take minutes and find
little per run: they are sent here, with a new seed each time.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.serving import serving

from yarrow.db.embedded.server import EmbeddedPostgres
from yarrow.db.migrate import upgrade_if_behind
from yarrow.llm.scripted import ScriptedModel

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance"
)
LOGOUT = "/api/v1/auth/logout"
"""Ends the token with which all the others are asked."""
SCHEMATHESIS = str(Path(sys.executable).with_name("schemathesis"))


def schemathesis_command(url: str, authorization: str, *options: str) -> list[str]:
    """Run schemathesis against the document that the server itself serves."""
    return [
        SCHEMATHESIS,
        "run",
        f"{url}/openapi.json",
        f"--header=Authorization: {authorization}",
        f"--checks={CHECKS}",
        "--workers=1",  # several threads trip over a bug in CPython 3.11's `ast.parse`
        "--request-timeout=5",
        *options,
    ]


async def fuzz(options: list[str]) -> int:
    """Serve the product with an account of many points; returns schemathesis's exit status."""
    with (
        tempfile.TemporaryDirectory(prefix="yarrow-fuzz-") as folder,
        EmbeddedPostgres(Path(folder)) as server,
    ):
        dsn = server.start()
        await upgrade_if_behind(dsn)
        data_dir = Path(folder) / "data"
        async with serving(dsn, model=ScriptedModel(), data_dir=data_dir) as served:
            caller = await served.account(points=1_000_000)
            command = schemathesis_command(served.url, caller.headers["Authorization"], *options)
            return (await asyncio.to_thread(subprocess.run, command)).returncode


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.protocols.fuzz")
    parser.add_argument("--examples", type=int, default=25, help="of each operation")
    parser.add_argument("--seed", type=int, help="of an earlier run, to repeat it")
    arguments = parser.parse_args()
    options = [f"--exclude-path={LOGOUT}", "--phases=coverage,fuzzing"]
    options.append(f"--max-examples={arguments.examples}")
    if arguments.seed is not None:
        options.append(f"--seed={arguments.seed}")
    return asyncio.run(fuzz(options))


if __name__ == "__main__":
    sys.exit(main())
