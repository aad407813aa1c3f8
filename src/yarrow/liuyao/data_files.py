"""The tables and texts that ship in `data/`."""

from typing import Protocol, cast


class _Loader(Protocol):
    def get_data(self, path: str) -> bytes:
        """The content of a file of the package."""


def read_data(name: str) -> str:
    """The text of a file, from the package's own loader.

    `importlib.resources` and `pkgutil` would take longer to import than the file to read.
    """
    folder = __file__.removesuffix("data_files.py") + "data/"
    return cast("_Loader", __spec__.loader).get_data(folder + name).decode("utf-8")
