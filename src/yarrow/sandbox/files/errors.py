"""Why a file cannot be read, in words for its owner."""


class FileUnreadable(Exception):
    """The file is broken, empty, too large, or of an unsupported kind."""
