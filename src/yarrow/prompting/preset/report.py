"""What of a preset's file is not followed, said field by field."""

from dataclasses import dataclass, field

MAX_WARNINGS = 100

TrackId = int | str


@dataclass(frozen=True, slots=True)
class PresetWarning:
    """One thing the author of a preset should know."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class PresetReport:
    """Which track is used, and which fields have no effect or a value we cannot follow."""

    selected_track: TrackId | None = None
    ignored_tracks: tuple[TrackId, ...] = ()
    unsupported_fields: tuple[str, ...] = ()
    ignored_fields: tuple[str, ...] = ()
    unresolved_markers: tuple[str, ...] = ()
    warnings: tuple[PresetWarning, ...] = ()


@dataclass(slots=True)
class PresetFindings:
    """A report while a file is being read; each thing is noted once, in the order of finding."""

    _unsupported: dict[str, None] = field(default_factory=dict)
    _ignored: dict[str, None] = field(default_factory=dict)
    _unresolved: dict[str, None] = field(default_factory=dict)
    _warnings: dict[PresetWarning, None] = field(default_factory=dict)

    def unsupported(self, path: str) -> None:
        self._unsupported[path] = None

    def ignored(self, path: str) -> None:
        self._ignored[path] = None

    def unresolved(self, identifier: str) -> None:
        self._unresolved[identifier] = None

    def warn(self, code: str, text: str) -> None:
        """Note a warning; beyond `MAX_WARNINGS` they would hide each other."""
        if len(self._warnings) < MAX_WARNINGS:
            self._warnings[PresetWarning(code, text)] = None

    def report(self, selected: TrackId | None, ignored: tuple[TrackId, ...]) -> PresetReport:
        return PresetReport(
            selected_track=selected,
            ignored_tracks=ignored,
            unsupported_fields=tuple(self._unsupported),
            ignored_fields=tuple(self._ignored),
            unresolved_markers=tuple(self._unresolved),
            warnings=tuple(self._warnings),
        )
