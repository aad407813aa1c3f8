"""Bring the tables that mirror code up to date: `python -m tests.architecture.write_docs`.

Cells that only a person can write (what a code means, what to do) stay, and are left empty
for a new code; the tests then ask for them.
"""

from tests.architecture.docs_index import add_unlisted
from tests.architecture.error_tree import write_tree
from tests.architecture.expected_rows import problem_rows, run_error_rows, run_event_rows
from tests.architecture.pages import (
    PROBLEM_TABLE,
    RUN_ERROR_TABLE,
    RUN_EVENT_TABLE,
    SETTING_TABLE,
)
from tests.architecture.wire_words import setting_rows


def main() -> None:
    SETTING_TABLE.write(setting_rows())
    PROBLEM_TABLE.write(problem_rows())
    RUN_ERROR_TABLE.write(run_error_rows())
    RUN_EVENT_TABLE.write(run_event_rows())
    write_tree()
    add_unlisted()


if __name__ == "__main__":
    main()
