"""What a branch may be called."""

from yarrow.errors import InvalidInput

BRANCH_CHARS = 128


def require_branch_name(name: str) -> None:
    """Raise unless the name can be part of a URL path."""
    if not 1 <= len(name) <= BRANCH_CHARS or "/" in name or not name.isprintable():
        rule = f"branch_id must have 1 to {BRANCH_CHARS} printable characters and no slash"
        raise InvalidInput(rule, field="branch_id")
    if name != name.strip():
        raise InvalidInput("branch_id must not begin or end with a space", field="branch_id")
