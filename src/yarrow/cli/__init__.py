"""The command line. Each command is a module, imported when it is run."""

import sys
from importlib import import_module


def main() -> None:
    """Run the command line; a batch of castings without click, which takes longer to import."""
    if sys.argv[1:3] == ["derive", "--batch"]:
        code: int | None = import_module(f"{__name__}.plain_batch").run_plain_batch(sys.argv[3:])
        if code is not None:
            sys.exit(code)
    import_module(f"{__name__}.commands").run_command_line()
