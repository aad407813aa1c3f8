"""Why a file cannot be read, in words for the one who brought it."""


class Unreadable(Exception):
    """The file is broken, empty, too large, or of a kind we do not read."""
