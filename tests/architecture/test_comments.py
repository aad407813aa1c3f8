"""Comments say why, and are few enough to be read."""

import re

from tests.architecture.source import Module, modules

DENSITY_MAX = 0.06
FILE_DENSITY_MAX = 0.12
SHORT_FILE = 60
"""In a short file one comment is already a lot."""

BANNER = re.compile(r"#\s*[-=*#~─━]{3,}")
TODO = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b(?!.*#\d+)")


def test_comments_are_few() -> None:
    said = sum(len(module.comments) for module in modules())

    assert said / sum(module.lines for module in modules()) <= DENSITY_MAX


def test_no_file_is_full_of_comments() -> None:
    full = {m.path: density(m) for m in modules() if density(m) > FILE_DENSITY_MAX}

    assert full == {}


def test_there_are_no_banners_and_no_loose_ends() -> None:
    bad = [
        f"{module.path}: {text}"
        for module in modules()
        for text in module.comments
        if BANNER.match(text) or TODO.search(text)
    ]

    assert bad == []


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        module.path
        for module in modules()
        if module.text.strip() and not module.text.lstrip().startswith('"""')
    ]

    assert silent == []


def density(module: Module) -> float:
    return len(module.comments) / max(module.lines, SHORT_FILE)
