"""The tables and texts that ship in `data/`."""

from pkgutil import get_data


def read_data(name: str) -> str:
    """The text of a file; `importlib.resources` would take longer to import than to read it."""
    data = get_data("yarrow.liuyao", f"data/{name}")
    if data is None:
        raise FileNotFoundError(name)
    return data.decode("utf-8")
