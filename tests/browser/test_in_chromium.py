"""The pages in a real browser: nothing breaks, nothing leaves the machine, every link leads."""

from pathlib import Path

import pytest
from tests.browser.chromium import DARK, PHONE, WIDE, Chromium, Look
from tests.serving import Served

PAGES = {
    "start": "/",
    "docs": "/docs",
    "settings": "/docs/howto/settings",
    "codes": "/docs/protocols/error-codes",
    "reference": "/reference",
}
pytestmark = pytest.mark.timeout(900)
"""The first test may have to install the browser."""

PNG = b"\x89PNG"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("look", [WIDE, DARK, PHONE], ids=lambda look: look.name)
async def test_a_page_opens_cleanly(
    local: Served, browser: Chromium, tmp_path: Path, page: str, look: Look
) -> None:
    visit = await browser.visit(local.url + PAGES[page], look)

    (tmp_path / f"{page}-{look.name}.png").write_bytes(visit.screenshot)
    assert visit.screenshot.startswith(PNG)
    assert visit.complaints == []
    assert [url for url in visit.requested if not url.startswith(local.url)] == []
    assert visit.dead_anchors == []
    assert visit.too_wide <= 0


async def test_the_start_page_with_accounts_opens_cleanly(
    served: Served, browser: Chromium, tmp_path: Path
) -> None:
    visit = await browser.visit(served.url, WIDE)

    (tmp_path / "start-accounts.png").write_bytes(visit.screenshot)
    assert visit.complaints == []
    assert visit.requested[0] == f"{served.url}/"


async def test_every_link_of_every_page_leads_somewhere(local: Served, browser: Chromium) -> None:
    waiting, seen = [local.url + "/"], set[str]()

    while waiting:
        url = waiting.pop()
        seen.add(url)
        async with local.http.get(url) as answer:
            assert answer.status == 200, url
            is_page = answer.content_type == "text/html"
        if is_page:
            links = [link.partition("#")[0] for link in await browser.links(url)]
            ours = {link for link in links if link.startswith(local.url)}
            waiting += ours - seen - set(waiting)

    assert len(seen) > len(PAGES)
