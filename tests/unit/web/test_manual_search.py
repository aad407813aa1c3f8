"""Search over the docs: where words are found, and what is shown around them."""

from yarrow.web.manual_search import search_manual

PAGES = [
    ("/docs/runs", "Runs", "# Runs\n\nA worker renews the leases of its runs every second."),
    ("/docs/points", "Points", "# Points\n\nPoints are released; please read the release notes."),
    ("/docs/liuyao", "六爻", "# 六爻\n\n三枚铜钱掷六次，得一卦。"),
]


def search(query: str) -> list[str]:
    return [result.address for result in search_manual(PAGES, query)]


def test_a_word_is_found_where_words_begin() -> None:
    assert search("lease") == ["/docs/runs"]
    assert search("release") == ["/docs/points"]
    assert search("LEASE worker") == ["/docs/runs"]


def test_chinese_is_found_anywhere() -> None:
    assert search("铜钱") == ["/docs/liuyao"]


def test_an_excerpt_has_whole_words() -> None:
    text = "# Long\n\n" + "wordbefore " * 40 + "needle " + "wordafter " * 40

    [result] = search_manual([("/docs/long", "Long", text)], "needle")

    words = set(result.excerpt.replace("<mark>needle</mark>", "needle").split())
    assert words == {"…", "wordbefore", "needle", "wordafter"}


def test_only_the_found_words_are_marked() -> None:
    [result] = search_manual(PAGES, "rel")

    assert result.excerpt.count("<mark>rel</mark>eased") == 1
    assert result.excerpt.count("<mark>") == 2
