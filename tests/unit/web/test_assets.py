"""Static files: budgets in bytes, checksums of what is vendored, one version for all."""

import gzip
import hashlib
import posixpath
import re

import pytest

from yarrow.web.app_pages import APP_PAGES, HOME, AppPage
from yarrow.web.assets import (
    FOLDER,
    build_asset_response,
    compress_file,
    list_imports,
    make_stylesheet_path,
    read_files,
    read_version,
)

PAGES = (HOME, *APP_PAGES)
SCRIPT_MAX, STYLE_MAX, FONT_MAX = 60_000, 15_000, 120_000


def compressed(path: str) -> int:
    return len(compress_file(path))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_scripts_of_a_page_stay_small(page: AppPage) -> None:
    modules = {*list_imports(page.module, "kit/frame.js"), "kit/start.js"}

    assert "vendor/vega.js" not in modules
    assert sum(compressed(module) for module in modules) <= SCRIPT_MAX


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_styles_of_a_page_stay_small(page: AppPage) -> None:
    assert compressed(make_stylesheet_path(page.name)) <= STYLE_MAX


def test_a_joined_stylesheet_finds_the_font() -> None:
    joined = read_files()[make_stylesheet_path("frame")].content.decode()
    (target,) = re.findall(r'url\("(?!data:)([^"]+)"\)', joined)

    path = posixpath.normpath(
        posixpath.join(posixpath.dirname(make_stylesheet_path("frame")), target)
    )
    assert path in read_files()


def test_the_fonts_stay_small() -> None:
    fonts = [file for path, file in read_files().items() if path.endswith(".woff2")]

    assert 0 < sum(len(file.content) for file in fonts) <= FONT_MAX


def test_vendored_files_are_those_of_the_checksums() -> None:
    lines = (FOLDER / "vendor/checksums.txt").read_text().splitlines()
    listed = {name: digest for digest, name in (line.split() for line in lines)}

    assert {path.name for path in (FOLDER / "vendor").glob("*.js")} <= set(listed)
    assert listed == {
        name: hashlib.sha256((FOLDER / "vendor" / name).read_bytes()).hexdigest() for name in listed
    }
    assert "preact" in (FOLDER / "vendor/LICENCES.txt").read_text()


def test_every_import_is_a_file_that_is_served() -> None:
    for path in read_files():
        if path.endswith(".js"):
            assert set(list_imports(path)) <= set(read_files())


def test_a_file_is_sent_compressed_and_immutable() -> None:
    sent = build_asset_response(read_version(), "kit/api.js", accept_encoding="br, gzip")

    assert sent is not None
    assert gzip.decompress(bytes(sent.body)) == (FOLDER / "kit/api.js").read_bytes()
    assert "immutable" in sent.headers["cache-control"]


def test_another_version_has_no_files() -> None:
    assert build_asset_response("000000000000", "kit/api.js", accept_encoding="") is None


def test_no_script_writes_html() -> None:
    for path, file in read_files().items():
        if path.endswith(".js") and not path.startswith("vendor/"):
            assert not re.search(
                r"innerHTML|outerHTML|insertAdjacentHTML|eval\(", file.content.decode()
            )


def test_every_value_of_the_stylesheets_is_defined() -> None:
    sheets = "".join(path.read_text() for path in FOLDER.rglob("*.css"))

    used = set(re.findall(r"var\((--[a-z0-9-]+)\)", sheets))
    assert used - set(re.findall(r"(--[a-z0-9-]+):", sheets)) == set()
