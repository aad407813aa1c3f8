"""HTML by Jinja2: autoescape on, undefined names are errors.

Jinja2 takes 6 MB and 50 ms to import, so it is loaded with the first page and not at start-up.
"""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from jinja2 import Environment


class Templates:
    """The templates of one folder. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def render(self, name: str, **values: object) -> Markup:
        """Render a template. Strings are escaped, `Markup` values are inserted as they are."""
        return Markup(self._environment.get_template(name).render(values))  # noqa: S704 - escaped

    @cached_property
    def _environment(self) -> "Environment":
        from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

        return Environment(
            loader=FileSystemLoader(self._folder),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
