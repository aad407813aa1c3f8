"""The start page: what Yarrow is, what is configured, and a first session with curl."""

from collections.abc import Sequence

from markupsafe import Markup

from yarrow.web.configuration import ConfigurationFact
from yarrow.web.first_session import SessionStep
from yarrow.web.layout import render_page


def render_start_page(
    facts: Sequence[ConfigurationFact], steps: Sequence[SessionStep], *, pages: frozenset[str]
) -> Markup:
    """Render the page. A fact links its docs page only if that page is in `pages`."""
    return render_page("start.html", title="Yarrow", facts=facts, steps=steps, pages=pages)
