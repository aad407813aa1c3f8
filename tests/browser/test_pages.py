"""The pages over plain HTTP: what they say, what they keep to themselves, what they refuse."""

import asyncio
import html
import re
import shutil
from pathlib import Path

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup
from tests.serving import Served, serving

from yarrow.llm.offline import OfflineModel
from yarrow.llm.open_model import NoModel
from yarrow.llm.rule_based.model import RuleModel
from yarrow.llm.scripted import ScriptedModel
from yarrow.settings import AuthMode, Settings
from yarrow.speech.offline import OfflineRecogniser
from yarrow.speech.recogniser import NoRecogniser, Recogniser
from yarrow.speech.scripted import ScriptedRecogniser
from yarrow.web.configuration import describe_configuration
from yarrow.web.first_session import FALLBACK_URL, choose_shell_safe_url
from yarrow.web.manual import Manual
from yarrow.web.markdown import render_document
from yarrow.web.templating import Templates

needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


async def page(served: Served, path: str = "/", status: int = 200) -> str:
    async with served.http.get(served.url + path) as answer:
        assert answer.status == status
        return await answer.text()


async def typed(served: Served) -> str:
    """What a visitor sees who pastes the printed commands into a shell."""
    blocks = re.findall(r"<pre[^>]*><code[^>]*>(.*?)</code></pre>", await page(served), re.DOTALL)
    script = "set -eo pipefail\n" + "\n".join(html.unescape(block) for block in blocks)
    shell = await asyncio.create_subprocess_exec(
        "bash", "-c", script, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    said, _ = await shell.communicate()
    assert shell.returncode == 0, said
    return said.decode()


@needs_curl
async def test_the_printed_session_works_without_accounts(site: Served) -> None:
    said = await typed(site)

    assert '"taskId"' in said
    assert '"type":"RUN_FINISHED"' in said
    assert '"scope":"history_session_full"' in said


@needs_curl
async def test_the_printed_session_works_with_accounts(served: Served) -> None:
    said = await typed(served)

    assert '"type":"RUN_FINISHED"' in said
    assert '"scope":"history_session_full"' in said
    assert '"balance":80' in said


@pytest.mark.parametrize("path", ["/", "/docs", "/reference", "/docs/nowhere"])
async def test_pages_run_no_script_but_their_own(site: Served, path: str) -> None:
    async with site.http.get(site.url + path) as answer:
        headers = answer.headers

    policy = headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/", "/chat", "/docs", "/reference/agent", "/docs/nowhere"])
async def test_the_first_paint_waits_for_one_stylesheet_and_one_script(
    site: Served, path: str
) -> None:
    async with site.http.get(site.url + path) as answer:
        shown = await answer.text()
    before, modules = shown.split('<template id="modules">')

    files = re.findall(r'(?:src|href)="/static/[0-9a-f]+/([^"]+\.(?:css|js))"', before)
    assert [Path(file).suffix for file in files] == [".js", ".css"]
    assert 'rel="modulepreload"' in modules
    assert 'type="module"' in modules


async def test_secrets_and_folders_stay_inside(
    dsn: str, model: ScriptedModel, tmp_path: Path
) -> None:
    kept = [dsn, secret := "s3cret-" * 6, key := "k3y-" * 6, str(tmp_path)]

    async with serving(
        dsn, model=model, data_dir=tmp_path, database_url=dsn, jwt_secret=secret, llm_api_key=key
    ) as served:
        shown = "".join([await page(served, path) for path in ("/", "/docs", "/reference")])

    assert [text for text in kept if text in shown] == []
    assert "outside" in shown


async def test_the_local_user_sees_where_the_data_lies(site: Served) -> None:
    assert str(site.product.settings.data_dir) in await page(site)


@pytest.mark.parametrize(
    "path",
    [
        "/docs/../pyproject.toml",
        "/docs/%2e%2e/pyproject.toml",
        "/docs/..%2f..%2fetc%2fpasswd",
        "/docs//etc/passwd",
        "/static/../routes.py",
        "/static/%2e%2e%2froutes.py",
        "/static/x/../../routes.py",
        "/static/nowhere/kit/api.js",
        "/docs/nowhere",
    ],
)
async def test_only_known_pages_are_served(site: Served, path: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(site.url.rpartition(":")[2]))
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())

    answer = await reader.read()

    writer.close()
    await writer.wait_closed()
    assert answer.startswith(b"HTTP/1.1 404")


async def test_a_page_is_also_found_by_the_name_of_its_file(site: Served) -> None:
    assert "YARROW_AUTH" in await page(site, "/docs/howto/settings.md")


async def test_the_reference_names_every_route(site: Served) -> None:
    shown = (await page(site, "/reference")).replace("<wbr>", "")
    async with site.http.get(site.url + "/openapi.json") as answer:
        paths = (await answer.json())["paths"]

    assert [path for path in paths if f"<code>{path}</code>" not in shown] == []
    group = await page(site, "/reference/agent")
    assert "/docs/protocols/error-codes#AGENT_SESSION_BUSY" in group
    assert len(group) < 400_000
    await page(site, "/reference/nowhere", 404)


async def test_a_limit_of_one_is_in_the_singular(site: Served) -> None:
    async with site.http.get(f"{site.url}/reference/agent") as answer:
        text = await answer.text()

    assert "at least 1 character<" in text
    assert not re.search(r"at (least|most) 1 (characters|items)", text)


async def test_the_docs_are_searched_without_scripts(site: Served) -> None:
    shown = await page(site, "/docs/search?q=lease+WORKER")
    hostile = await page(site, "/docs/search?q=%3Cscript%3E")

    assert "<mark>lease</mark>" in shown
    assert "/docs/explanation/faults" in shown
    assert "<script>" not in hostile.split("<main")[1]
    assert "<mark>YARROW_OPERATORS</mark>" in await page(site, "/docs/search?q=yarrow_operators")
    assert "0 sections" in await page(site, "/docs/search?q=zxqv")
    assert "1 section for" in await page(site, "/docs/search?q=CopilotRuntime")


async def test_the_pages_are_no_part_of_the_api(site: Served) -> None:
    async with site.http.get(site.url + "/openapi.json") as answer:
        paths = (await answer.json())["paths"]

    assert not {"/", "/docs", "/reference"} & set(paths)


def test_the_model_is_named_in_words() -> None:
    def said(model: RuleModel | NoModel | ScriptedModel) -> str:
        facts = describe_configuration(Settings(), model, recogniser=NoRecogniser(), working=True)
        fact = next(fact for fact in facts if fact.name == "model")
        return fact.value or fact.state

    assert said(RuleModel(OfflineModel())) == "offline"
    assert said(RuleModel()) == "rules"
    assert said(NoModel()) == "none"
    assert said(ScriptedModel()) == ScriptedModel().name


def test_the_recogniser_is_named_in_words() -> None:
    def said(recogniser: Recogniser) -> str:
        facts = describe_configuration(Settings(), NoModel(), recogniser=recogniser, working=True)
        fact = next(fact for fact in facts if fact.name == "speech")
        return fact.value or fact.state

    assert said(NoRecogniser()) == "none"
    assert said(OfflineRecogniser([], name="m", timeout_ms=1)) == "offline"
    assert said(ScriptedRecogniser()) == "scripted"


def test_strangers_are_not_told_the_data_folder() -> None:
    settings = Settings(auth=AuthMode.JWT)
    facts = describe_configuration(settings, NoModel(), recogniser=NoRecogniser(), working=False)

    assert "data" not in {fact.name for fact in facts}


@pytest.mark.parametrize(
    "given",
    ["http://evil$(reboot)/", "http://a'b/", "http://x y/", "ftp://host/", "http://h:1;ls/"],
)
def test_an_address_that_could_hurt_a_shell_is_not_printed(given: str) -> None:
    assert choose_shell_safe_url(given) == FALLBACK_URL


@pytest.mark.parametrize(
    "given", ["http://localhost:3000/", "https://yarrow.example/", "http://[::1]:80/"]
)
def test_an_honest_address_is_printed_as_it_is(given: str) -> None:
    assert choose_shell_safe_url(given) == given.rstrip("/")


def test_text_is_escaped_and_markup_is_not(tmp_path: Path) -> None:
    (tmp_path / "p.html").write_text('<p title="{{ title }}">{{ text }}{{ markup }}</p>')

    shown = Templates(tmp_path).render("p.html", title='"', text="<b>", markup=Markup("<i></i>"))

    assert shown == '<p title="&#34;">&lt;b&gt;<i></i></p>'


def test_a_value_that_a_template_lacks_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "p.html").write_text("<p>{{ text }}</p>")

    with pytest.raises(UndefinedError):
        Templates(tmp_path).render("p.html")


def test_docs_have_no_raw_html_and_no_script_links() -> None:
    shown = render_document("<script>x</script> [a](javascript:x)", file="a.md", pages={})

    assert "<script" not in shown
    assert "href" not in shown


def test_code_of_docs_is_scrolled_by_keyboard() -> None:
    shown = render_document("```sh\nyarrow <pre>\n```", file="a.md", pages={})

    assert shown.startswith('<pre tabindex="0"><code')
    assert "&lt;pre&gt;" in shown


def test_relative_links_lead_to_pages_and_keep_their_fragment() -> None:
    pages = {"howto/b.md": "/docs/howto/b"}

    shown = render_document("[b](../howto/b.md#c) [d](../x.py)", file="protocols/a.md", pages=pages)

    assert '<a href="/docs/howto/b#c">b</a> <a>d</a>' in shown


def test_files_outside_the_docs_folder_are_not_pages(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "secret.md").write_text("# secret")
    (tmp_path / "docs" / "link.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "docs" / "README.md").write_text("# index")

    assert Manual(tmp_path / "docs").slugs == {""}


async def test_an_address_without_a_page_gets_a_page_for_browsers_only(site: Served) -> None:
    browser = {"accept": "text/html,application/xhtml+xml", "accept-language": "zh-CN"}
    async with site.http.get(site.url + "/nowhere", headers=browser) as answer:
        assert (answer.status, answer.content_type) == (404, "text/html")
        assert '<html lang="zh-Hans">' in await answer.text()

    async with site.http.get(site.url + "/nowhere") as answer:
        assert (answer.status, answer.content_type) == (404, "application/problem+json")


async def test_the_switch_wins_over_the_browsers_language(site: Served) -> None:
    headers = {"accept-language": "zh-CN", "cookie": "yarrow_language=en"}
    async with site.http.get(site.url + "/liuyao", headers=headers) as answer:
        assert answer.headers["content-language"] == "en"
        assert "Divination · Yarrow" in await answer.text()


async def test_headings_of_the_reference_are_in_the_readers_language(site: Served) -> None:
    headers = {"accept-language": "zh-TW"}
    async with site.http.get(site.url + "/reference/activity", headers=headers) as answer:
        shown = await answer.text()

    assert '<h3 lang="zh-Hant">參數</h3>' in shown
    assert '<h3 lang="zh-Hant">回應</h3>' in shown
    assert '<span lang="zh-Hant">錯誤</span>' in shown
    assert not re.search(r">(Parameters|Answers|Body|Problems|Needs a bearer)", shown)
