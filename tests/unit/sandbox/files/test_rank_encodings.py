"""Short tables in encodings whose bytes are valid in others too."""

import pytest

from yarrow.sandbox.files.rank_encodings import find_rival, rank_encodings

SHORT = {
    "euc-jp": ("都市,人口\n東京,3\n", "商品,価格\n緑茶,120\n", "名前\n斎藤\n"),
    "cp949": ("도시,인구\n서울,3\n", "상품,가격\n녹차,120\n", "이름\n김철수\n"),
    "gb18030": ("城市,人口\n北京,3\n", "商品,价格\n绿茶,120\n", "姓名\n欧阳\n"),
    "big5": ("城市,人口\n臺北,3\n", "商品,價格\n綠茶,120\n"),
    "cp932": ("都市,人口\n東京,3\n", "商品,価格\n緑茶,120\n"),
}
CASES = [(encoding, text) for encoding, texts in SHORT.items() for text in texts]


@pytest.mark.parametrize(("encoding", "text"), CASES, ids=range(len(CASES)))
def test_frequent_characters_decide_short_texts(encoding: str, text: str) -> None:
    head = text.encode(encoding)

    assert rank_encodings(head)[0] == encoding
    assert find_rival(head, encoding) is None


def test_one_character_does_not_decide() -> None:
    head = "葱".encode("gbk")
    first = rank_encodings(head)[0]

    assert find_rival(head, first) not in {None, first}


@pytest.mark.parametrize(
    "text",
    [
        "口座名,金額\nﾔﾏﾀﾞ ﾀﾛｳ,1000\nｽｽﾞｷ ｲﾁﾛｳ,2000\nｶ)ﾄｳｷｮｳｼｮｳｼﾞ,3000\n",
        '01101,"0640941","ﾎｯｶｲﾄﾞｳ","ｻｯﾎﾟﾛｼﾁｭｳｵｳｸ","ｱｻﾋｶﾞｵｶ","北海道","札幌市中央区","旭ケ丘"\n',
    ],
)
def test_half_width_kana_beside_kanji_are_japanese(text: str) -> None:
    head = text.encode("cp932")

    assert rank_encodings(head)[0] == "cp932"
    assert find_rival(head, "cp932") is None


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1251", "ГОРОД,ЧИСЛО\nМОСКВА,1\nКАЗАНЬ,2\n"),
        ("cp1251", "выручка\nООО РОМАШКА\nЗАО ВЕКТОР\nИП ПЕТРОВ\n"),
        ("koi8-r", "город,n\nмосква,1\n"),
        ("koi8-r", "город\nМОСКВА\nКАЗАНЬ\n"),
    ],
)
def test_frequent_letters_decide_cyrillic_in_either_case(encoding: str, text: str) -> None:
    assert rank_encodings(text.encode(encoding))[0] == encoding
