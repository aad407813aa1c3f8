"""A font with Chinese characters for pictures drawn on the server."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from vl_convert import register_font_directory

CARRIER = "zhplot"
"""A package whose wheel carries Noto Sans SC (SIL Open Font License). It is never imported."""
SYSTEM_FONTS = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path("/Library/Fonts"),
    Path("/System/Library/Fonts"),
    Path("C:/Windows/Fonts"),
    Path.home() / ".local/share/fonts",
)
KNOWN = {
    "NotoSansSC": "Noto Sans SC",
    "NotoSansCJK": "Noto Sans CJK SC",
    "SourceHanSans": "Source Han Sans SC",
    "wqy-microhei": "WenQuanYi Micro Hei",
    "wqy-zenhei": "WenQuanYi Zen Hei",
    "DroidSansFallback": "Droid Sans Fallback",
    "PingFang": "PingFang SC",
    "msyh": "Microsoft YaHei",
}
"""Beginnings of file names, and the family that such a file holds; the best first."""


@cache
def cjk_font() -> str | None:
    """The family that draws Chinese here: the one that came along, else one of the system."""
    carried = carried_fonts()
    if carried is not None:
        register_font_directory(str(carried))
        return KNOWN["NotoSansSC"]
    files = {path.name for folder in SYSTEM_FONTS for path in folder.rglob("*.tt[cf]")}
    files |= {path.name for folder in SYSTEM_FONTS for path in folder.rglob("*.otf")}
    return next(
        (family for start, family in KNOWN.items() if any(n.startswith(start) for n in files)),
        None,
    )


def carried_fonts() -> Path | None:
    """The folder of the font that was installed with us, if it was."""
    found = find_spec(CARRIER)
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "fonts"
    return folder if any(folder.glob("NotoSansSC*")) else None
