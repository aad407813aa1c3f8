"""The root of them all."""


class YarrowError(Exception):
    """The root of all errors that the product raises on purpose."""
