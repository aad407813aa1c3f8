"""Messages between the renderer and its child processes; neither imports the other."""

from enum import IntEnum, StrEnum

from msgspec import Struct

READY = b"ready\n"


class RenderIsolation(StrEnum):
    """What keeps files from a child: namespaces, or Landlock where there are none."""

    FULL = "full"
    LANDLOCK = "landlock"


class ChildExit(IntEnum):
    """Exit code of a child that did not get ready."""

    NO_NAMESPACES = 71


class ImageFormat(StrEnum):
    SVG = "svg"
    PNG = "png"


class RenderRequest(Struct, frozen=True):
    """The spec follows as the frame's body."""

    format: ImageFormat
    scale: float


class RenderStatus(StrEnum):
    RENDERED = "rendered"
    INVALID_SPEC = "invalid spec"
    TOO_LARGE = "too large"


class RenderResult(Struct, frozen=True):
    """The image follows as the frame's body, if there is one."""

    status: RenderStatus
