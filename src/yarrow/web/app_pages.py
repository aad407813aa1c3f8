"""The pages that are clients: each has an address, a module and a stylesheet of its own."""

from msgspec import Struct

_FRAME = ("style/tokens", "style/frame", "style/components")


class AppPage(Struct, frozen=True):
    """One page. Its views have addresses below its own, which its module reads."""

    name: str
    address: str
    sheets: tuple[str, ...] = ("style",)
    """The stylesheets in its folder, in their order."""
    shares: tuple[str, ...] = ()
    """Stylesheets of parts that other pages show as well; they come first."""
    shows_boards: bool = False

    @property
    def module(self) -> str:
        return f"pages/{self.name}/main.js"

    @property
    def stylesheets(self) -> tuple[str, ...]:
        own = (f"pages/{self.name}/{sheet}" for sheet in self.sheets)
        return (*_FRAME, *self.shares, *own)

    @property
    def title_key(self) -> str:
        return f"nav.{self.name}"


_LIUYAO = ("style", "compose", "board", "reading", "narrow", "extras")
_ANSWERS = ("style/markdown", "style/cards")
_TALK = (*_ANSWERS, "pages/chat/style")

_BOARDS = tuple(f"pages/liuyao/{sheet}" for sheet in _LIUYAO)
HOME = AppPage("home", "/", shares=_BOARDS, shows_boards=True)
APP_PAGES = (
    AppPage("liuyao", "/liuyao", sheets=_LIUYAO, shows_boards=True),
    AppPage("chat", "/chat", shares=_ANSWERS),
    AppPage("data", "/data", shares=("style/markdown",)),
    AppPage("stories", "/stories", ("style", "story", "panel", "library"), shares=_TALK),
    AppPage("account", "/account"),
    AppPage("ops", "/ops", shares=_TALK),
)
"""The pages of the header, in its order."""

STYLESHEETS = {
    "frame": _FRAME,
    "docs": (*_FRAME, "style/docs"),
    **{page.name: page.stylesheets for page in (HOME, *APP_PAGES)},
}
"""The parts of each stylesheet that a page links: one request instead of one for each part."""
