"""`export-report` and `render-chart` over real HTTP: real pictures, and hostile input."""

import re
from html.parser import HTMLParser

import pytest
from tests.loose_json import JsonObject
from tests.protocols.ndjson.table_calls import call_refused, upload
from tests.serving import Caller, Served

EXPORT = "/api/agent/export-report"
RENDER = "/api/agent/render-chart"

ROWS = [{"城市": "北京", "销量": 3}, {"城市": "上海", "销量": 5}]
BAR: JsonObject = {"chart_type": "Bar Chart", "encodings": {"x": "城市", "y": "销量"}}
SPEC: JsonObject = {
    "mark": "bar",
    "data": {"values": ROWS},
    "encoding": {
        "x": {"field": "城市", "type": "nominal"},
        "y": {"field": "销量", "type": "quantitative"},
    },
}


class Reader(HTMLParser):
    """What a browser would fetch or run, and which elements there are."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.handlers: list[str] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "action", "data") and tag != "a":
                self.addresses.append(value or "")


async def post(caller: Caller, path: str, body: JsonObject) -> tuple[str, bytes]:
    """Type and bytes of a picture or a document."""
    async with caller.http.post(caller.url + path, json=body, headers=caller.headers) as answer:
        content = await answer.read()
        assert answer.status == 200, content
        return answer.headers["Content-Type"], content


async def export(caller: Caller, markdown: str, **body) -> str:
    kind, content = await post(caller, EXPORT, {"markdown": markdown, **body})
    assert kind == "text/html; charset=utf-8", content
    return content.decode()


async def test_a_report_is_one_document_with_its_charts_inside(caller: Caller) -> None:
    chart = {"chart_id": "c1", "vega_lite": SPEC}
    words, table = "# 销售报告\n\n**上海** 更高。\n\n", "| a | b |\n|---|---|\n| 1 | 2 |\n"
    markdown = f"{words}![各城市销量](chart://c1)\n\n{table}"

    document = await export(caller, markdown, charts=[chart])

    assert document.startswith("<!doctype html>")
    assert "<title>销售报告</title>" in document
    assert "<strong>上海</strong>" in document
    assert "<figcaption>各城市销量</figcaption>" in document
    assert "<td>1</td>" in document
    read = Reader(document)
    assert read.tags.count("svg") == 1
    assert read.addresses == []
    assert "script" not in read.tags
    assert "北京" in document.partition("<svg")[2]


FIGURE_HOLDERS = {"p", "h1", "h2", "em", "strong", "a"}


class Outline(HTMLParser):
    """The figures of a document: inside of which elements, and with which captions."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.path: list[str] = []
        self.holders: set[str] = set()
        self.captions: list[str] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "figure":
            self.holders |= set(self.path)
        if tag not in ("meta", "img", "br", "hr"):
            self.path.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.path.pop() != tag:
            continue

    def handle_data(self, data: str) -> None:
        if self.path[-1] == "figcaption":
            self.captions.append(data)


@pytest.mark.parametrize(
    ("markdown", "around"),
    [
        ("text ![a](chart://c1) x", ("<p>text </p>", "<p> x</p>")),
        ("Look:\n![a](chart://c1)\nSo.", ("<p>Look:</p>", "<p>So.</p>")),
        ("**bold ![a](chart://c1) x** y", ("<p><strong>bold  x</strong></p>", "<p> y</p>")),
        ("[![a](chart://c1)](http://z)", ("<main>", "</main>")),
        ("## Two ![a](chart://c1) words", ("<h2>Two  words</h2>", "</main>")),
        ("- one ![a](chart://c1)\n- two", ("<li>one ", "</li>")),
        ("| n |\n|---|\n| ![a](chart://c1) |", ("<td>", "</td>")),
        ('![a](chart://c1 "title")', ("<main>", "</main>")),
    ],
)
async def test_figure_is_moved_to_where_html_allows_it(
    caller: Caller, markdown: str, around: tuple[str, str]
) -> None:
    document = await export(caller, markdown, charts=[{"chart_id": "c1", "vega_lite": SPEC}])

    outline = Outline(document)
    before, _, rest = document.partition("<figure>")
    assert outline.captions == ["a"]
    assert not outline.holders & FIGURE_HOLDERS
    assert before.rstrip("\n").endswith(around[0])
    assert rest.partition("</figure>")[2].lstrip("\n").startswith(around[1])


async def test_embeds_inside_code_are_ignored(caller: Caller) -> None:
    chart = {"chart_id": "c1", "vega_lite": SPEC}

    document = await export(
        caller, "```\n![f](chart://c1)\n```\n`![s](chart://c1)`", charts=[chart]
    )

    assert "<figure" not in document
    assert "![f](chart://c1)" in document


async def test_tables_of_a_report_are_named_without_case(caller: Caller) -> None:
    await upload(caller, "city,n\nx,3\n", table_name="towns")
    rows = {"chart_id": "c1", "table_ref": "Given", "chart_data": {"rows": [{"n": 77}]}}

    document = await export(caller, "![a](table://Towns)\n\n![b](table://GIVEN)", charts=[rows])

    assert '<td class="number">3</td>' in document
    assert '<td class="number">77</td>' in document


async def test_chart_may_have_rows_or_name_a_stored_table(caller: Caller) -> None:
    await upload(caller, "城市,销量\n北京,3\n上海,5\n", table_name="销售")
    charts = [
        {"chart_id": "rows", **BAR, "chart_data": {"name": "x", "rows": ROWS}},
        {"chart_id": "kept", **BAR, "table_ref": "销售"},
    ]

    document = await export(caller, "![a](chart://rows)\n\n![b](chart://kept)\n", charts=charts)

    assert Reader(document).tags.count("svg") == 2
    ids = re.findall(r'\bid="([^"]+)"', document)
    assert len(ids) == len(set(ids))


async def test_tables_stand_in_their_places(caller: Caller) -> None:
    await upload(caller, "城市,销量\n北京,3\n上海,5\n", table_name="销售")
    charts = [{"chart_id": "c", **BAR, "chart_data": {"name": "inline", "rows": ROWS[:1]}}]

    document = await export(
        caller, "![全部](table://销售)\n\n![一行](table://inline)\n", charts=charts
    )

    assert document.count("<table>") == 2
    assert '<td>上海</td><td class="number">5</td>' in document


@pytest.mark.parametrize(
    "chart",
    [
        {"chart_id": "bad", **BAR, "encodings": {"x": "nothing"}, "rows": ROWS},
        {"chart_id": "bad", **BAR, "table_ref": "ghost"},
        {"chart_id": "bad", **BAR},
        {"chart_id": "bad", "vega_lite": {"mark": "no such mark"}},
        {"chart_id": "other", **BAR, "rows": ROWS},
    ],
)
async def test_a_bad_chart_leaves_its_caption_and_a_note(caller: Caller, chart: JsonObject) -> None:
    good = {"chart_id": "good", "vega_lite": SPEC}

    document = await export(
        caller, "![好](chart://good)\n\n![坏](chart://bad)\n\nThe end.\n", charts=[good, chart]
    )

    assert Reader(document).tags.count("svg") == 1
    assert '<p class="note">(' in document
    assert "<figcaption>坏</figcaption>" in document
    assert "The end." in document


async def test_document_has_no_scripts_and_no_external_urls(caller: Caller) -> None:
    hostile = (
        "# <script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n"
        "![pixel](https://evil.example/p.png)\n\n[a](javascript:alert(1))\n\n"
        "![x](javascript:alert(1))\n\n<iframe src='https://evil.example'></iframe>\n"
    )
    spec = {
        **SPEC,
        "data": {"url": "https://evil.example/data.json"},
        "mark": {
            "type": "image",
            "url": "https://evil.example/i.png",
            "href": "https://evil.example",
        },
    }
    chart = {"chart_id": '"><script>', "vega_lite": spec}

    document = await export(
        caller,
        hostile + "\n![<b>](chart://%22%3E%3Cscript%3E)\n",
        charts=[chart],
        title="</title><script>alert(1)</script>",
    )

    read = Reader(document)
    assert not {"script", "iframe", "object", "base"} & set(read.tags)
    assert (read.addresses, read.handlers) == ([], [])
    assert "javascript:" not in re.sub(r"<p>.*?</p>", "", document)
    assert "default-src &#x27;none&#x27;" in document


async def test_a_picture_is_svg_or_png(caller: Caller) -> None:
    svg_type, svg = await post(caller, RENDER, {"vega_lite": SPEC})
    png_type, png = await post(caller, f"{RENDER}?format=png", {**BAR, "rows": ROWS, "scale": 2})

    assert (svg_type, svg[:4]) == ("image/svg+xml", b"<svg")
    assert "北京" in svg.decode()
    assert (png_type, png[:8]) == ("image/png", b"\x89PNG\r\n\x1a\n")


async def test_chart_of_a_stored_table_is_rendered(caller: Caller) -> None:
    await upload(caller, "城市,销量\n北京,3\n上海,5\n", table_name="销售")

    _, svg = await post(caller, RENDER, {**BAR, "table": "销售"})

    assert "上海" in svg.decode()


async def test_an_address_in_a_spec_is_not_fetched(caller: Caller) -> None:
    spec = {**SPEC, "data": {"url": "file:///etc/passwd"}}

    _, svg = await post(caller, RENDER, {"vega_lite": spec})

    assert b"root:" not in svg


@pytest.mark.parametrize(
    "body",
    [{"vega_lite": {}}, {"vega_lite": {"mark": 3}}, {**BAR}, {**BAR, "rows": [{"a": 1}]}],
)
async def test_a_chart_that_cannot_be_drawn_is_a_validation_error(
    caller: Caller, body: JsonObject
) -> None:
    assert await call_refused(caller, "POST", RENDER, json=body) == (200, "VALIDATION_ERROR")


async def test_tables_of_others_cannot_be_drawn(served: Served, caller: Caller) -> None:
    await upload(await served.account(), table_name="secret")

    found = await call_refused(caller, "POST", RENDER, json={**BAR, "table": "secret"})

    assert found == (200, "TABLE_NOT_FOUND")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (EXPORT, {}),
        (EXPORT, {"markdown": 3}),
        (EXPORT, {"markdown": "x", "charts": [{"vega_lite": SPEC}]}),
        (RENDER, {"vega_lite": "no"}),
        (RENDER, {**BAR, "rows": "no"}),
        (f"{RENDER}?format=gif", {"vega_lite": SPEC}),
    ],
)
async def test_a_broken_body_is_an_invalid_request(
    caller: Caller, path: str, body: JsonObject
) -> None:
    assert await call_refused(caller, "POST", path, json=body) == (200, "INVALID_REQUEST")


@pytest.mark.parametrize(
    ("markdown", "accepted", "language"),
    [
        ("# 销售报告\n\n本季度 revenue 上升。", "en-US", "zh"),
        ("# 銷售報告\n\n本季 revenue 上升。", "en-US", "zh-Hant"),
        ("# Report\n\nRevenue rises.", "zh-TW", "en"),
        ("# 売上のレポート\n\n売上は増えました。", "zh-CN", "ja"),
        ("# 보고서\n\n매출이 늘었습니다.", "en", "ko"),
        ("# Report\n\nThe shop 北京 sells most of all the shops.", "zh-CN", "en"),
        ("# Bericht\n\nDer Umsatz steigt.", "de-DE", "de"),
    ],
)
async def test_a_report_says_which_language_it_is_in(
    caller: Caller, markdown: str, accepted: str, language: str
) -> None:
    caller.headers["Accept-Language"] = accepted

    assert f'<html lang="{language}">' in await export(caller, markdown)


async def test_charts_of_a_chinese_report_are_chinese_with_a_fallback_font(
    caller: Caller,
) -> None:
    chart = {"chart_id": "c1", "chart_type": "Histogram", "encodings": {"x": "销量"}, "rows": ROWS}

    document = await export(caller, "# 报告\n\n![销量](chart://c1)", charts=[chart])

    assert "数量" in document
    assert "Count" not in document
    assert 'font-family="Noto Sans SC, Noto Sans CJK SC, system-ui, sans-serif"' in document


async def test_a_chart_that_would_block_the_renderer_is_refused_with_the_reason(
    caller: Caller,
) -> None:
    endless = {"data": {"sequence": {"start": 0, "stop": 1e9, "as": "a"}}, "mark": "point"}

    _, answer = await caller.post(RENDER, {"vega_lite": endless})

    assert answer["error"]["code"] == "VALIDATION_ERROR"
    assert "at most 10000 rows" in answer["error"]["message"]
