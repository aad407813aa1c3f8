"""The pages that are clients: each has an address, a module and a stylesheet of its own."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AppPage:
    """One page. Its views have addresses below its own, which its module reads."""

    name: str
    address: str
    shares_styles_of: tuple[str, ...] = ()
    """Pages whose parts this one shows as well."""

    @property
    def module(self) -> str:
        return f"pages/{self.name}/main.js"

    @property
    def stylesheets(self) -> list[str]:
        return [f"pages/{name}/style.css" for name in (*self.shares_styles_of, self.name)]

    @property
    def title_key(self) -> str:
        return f"nav.{self.name}"


HOME = AppPage("home", "/", shares_styles_of=("liuyao",))
APP_PAGES = (
    AppPage("liuyao", "/liuyao"),
    AppPage("chat", "/chat"),
    AppPage("data", "/data"),
    AppPage("stories", "/stories", shares_styles_of=("chat",)),
    AppPage("account", "/account"),
    AppPage("ops", "/ops", shares_styles_of=("chat",)),
)
"""The pages of the header, in its order."""
