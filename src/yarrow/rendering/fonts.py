"""Find a font with Chinese characters for charts rendered on the server."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from vl_convert import register_font_directory

FONT_PACKAGE = "zhplot"
"""A package whose wheel contains Noto Sans SC (SIL Open Font License). It is never imported."""
SYSTEM_FONTS = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path("/Library/Fonts"),
    Path("/System/Library/Fonts"),
    Path("C:/Windows/Fonts"),
    Path.home() / ".local/share/fonts",
)
FONT_FAMILIES = {
    "NotoSansSC": "Noto Sans SC",
    "NotoSansCJK": "Noto Sans CJK SC",
    "SourceHanSans": "Source Han Sans SC",
    "wqy-microhei": "WenQuanYi Micro Hei",
    "wqy-zenhei": "WenQuanYi Zen Hei",
    "DroidSansFallback": "Droid Sans Fallback",
    "PingFang": "PingFang SC",
    "msyh": "Microsoft YaHei",
}
"""Prefixes of file names, and the font family in such a file; the best first."""


@cache
def find_cjk_font() -> str | None:
    """A font family with Chinese characters: the bundled one, else one of the system."""
    bundled = find_bundled_fonts()
    if bundled is not None:
        register_font_directory(str(bundled))
        return FONT_FAMILIES["NotoSansSC"]
    files = {path.name for folder in SYSTEM_FONTS for path in folder.rglob("*.tt[cf]")}
    files |= {path.name for folder in SYSTEM_FONTS for path in folder.rglob("*.otf")}
    families = (
        family
        for prefix, family in FONT_FAMILIES.items()
        if any(file.startswith(prefix) for file in files)
    )
    return next(families, None)


def find_bundled_fonts() -> Path | None:
    """The folder of the bundled font, if its package is installed."""
    spec = find_spec(FONT_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "fonts"
    return folder if any(folder.glob("NotoSansSC*")) else None
