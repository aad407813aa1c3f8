"""What an operator reads where jobs cannot be locked up."""

import pytest

from yarrow.sandbox.fork_servers import explain_failure


@pytest.mark.parametrize(
    "failure",
    [
        "OSError: [Errno 28] unshare: No space left on device",
        "PermissionError: [Errno 1] unshare: Operation not permitted",
    ],
)
def test_a_machine_without_user_namespaces_is_said_to_be_one(failure: str) -> None:
    reason = explain_failure(failure)

    assert reason == "user namespaces are not available here; see docs/explanation/sandbox.md"


def test_another_failure_is_told_as_it_is() -> None:
    assert explain_failure("ImportError: no duckdb") == "ImportError: no duckdb"
