"""The report of a preset file: fields that are ignored or not supported."""

from msgspec import Struct, field

MAX_WARNINGS = 100

TrackId = int | str


class PresetWarning(Struct, frozen=True):
    """One thing that the author of a preset should know."""

    code: str
    text: str


class PresetReport(Struct, frozen=True):
    """The track used, ignored fields, and fields with unsupported values."""

    selected_track: TrackId | None = None
    ignored_tracks: tuple[TrackId, ...] = ()
    unsupported_fields: tuple[str, ...] = ()
    ignored_fields: tuple[str, ...] = ()
    unresolved_markers: tuple[str, ...] = ()
    warnings: tuple[PresetWarning, ...] = ()


class PresetFindings(Struct):
    """Collects the report during parsing; each finding once, in order."""

    _unsupported: dict[str, None] = field(default_factory=dict)
    _ignored: dict[str, None] = field(default_factory=dict)
    _unresolved: dict[str, None] = field(default_factory=dict)
    _warnings: dict[PresetWarning, None] = field(default_factory=dict)

    def add_unsupported(self, path: str) -> None:
        self._unsupported[path] = None

    def add_ignored(self, path: str) -> None:
        self._ignored[path] = None

    def add_unresolved(self, identifier: str) -> None:
        self._unresolved[identifier] = None

    def warn(self, code: str, text: str) -> None:
        """Add a warning, up to `MAX_WARNINGS`."""
        if len(self._warnings) < MAX_WARNINGS:
            self._warnings[PresetWarning(code, text)] = None

    def build_report(self, selected: TrackId | None, ignored: tuple[TrackId, ...]) -> PresetReport:
        return PresetReport(
            selected_track=selected,
            ignored_tracks=ignored,
            unsupported_fields=tuple(self._unsupported),
            ignored_fields=tuple(self._ignored),
            unresolved_markers=tuple(self._unresolved),
            warnings=tuple(self._warnings),
        )
