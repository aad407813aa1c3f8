"""A process that uses the embedded server: `actor.py DATA_DIR [UID]`.

Prints the DSN when it is up, and stops when stdin ends. Not a test; the tests start and kill it.
"""

import os
import sys
from pathlib import Path

from yarrow.db.embedded.server import EmbeddedPostgres


def main() -> None:
    if len(sys.argv) > 2:
        # After the imports: the interpreter may lie where this user cannot go.
        uid = int(sys.argv[2])
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    with EmbeddedPostgres(Path(sys.argv[1])) as server:
        print(server.start(), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
