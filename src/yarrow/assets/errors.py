"""Errors of assets (presets, worldbooks, characters, ...) and their entries."""

from yarrow.assets.model import AssetRef
from yarrow.errors import Conflict, NotFound


class AssetNotFound(NotFound):
    """The account has no such asset, or the asset no such version."""

    def __init__(self, what: str) -> None:
        super().__init__(f"no {what}")
        self.what = what


class EntryNotFound(NotFound):
    """The preset or worldbook has no such entry."""

    def __init__(self, entry: str) -> None:
        super().__init__(f"no entry {entry}")
        self.entry = entry


class EntryTaken(Conflict):
    """The preset or worldbook already has an entry of this name."""

    def __init__(self, entry: str) -> None:
        super().__init__(f"there is an entry {entry} already; change that one")
        self.entry = entry


class VersionConflict(Conflict):
    """The asset was changed since the caller read it."""

    def __init__(self, *, expected: int, actual: int) -> None:
        super().__init__(f"version {expected} was expected, and {actual} is the newest; read it")
        self.expected, self.actual = expected, actual


def make_asset_not_found(ref: AssetRef) -> AssetNotFound:
    return AssetNotFound(f"{ref.kind} {ref.id}")


def make_version_not_found(ref: AssetRef, version: int) -> AssetNotFound:
    return AssetNotFound(f"version {version} of {ref.kind} {ref.id}")
