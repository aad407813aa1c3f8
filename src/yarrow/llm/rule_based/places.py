"""Time zones by the names of places, in English and Chinese. A table of data."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Final
from zoneinfo import available_timezones

from msgspec import Struct


class PlaceZone(Struct, frozen=True):
    """A place as the user wrote it, and its time zone."""

    name: str
    zone: str


_ZONES: Final = {
    "Asia/Tokyo": "tokyo osaka kyoto japan 东京 東京 大阪 京都 日本",
    "Asia/Shanghai": "beijing shanghai shenzhen guangzhou hangzhou chengdu wuhan nanjing china "
    "北京 上海 深圳 广州 廣州 杭州 成都 武汉 武漢 南京 西安 重庆 重慶 中国 中國",
    "Asia/Hong_Kong": "hong_kong hongkong 香港",
    "Asia/Macau": "macau macao 澳门 澳門",
    "Asia/Taipei": "taipei taiwan 台北 臺北 台湾 臺灣 台灣",
    "Asia/Singapore": "singapore 新加坡",
    "Asia/Seoul": "seoul korea south_korea 首尔 首爾 韩国 韓國",
    "Asia/Bangkok": "bangkok thailand 曼谷 泰国 泰國",
    "Asia/Ho_Chi_Minh": "ho_chi_minh_city saigon vietnam hanoi 越南 河内 河內 胡志明市",
    "Asia/Jakarta": "jakarta 雅加达 雅加達",
    "Asia/Kuala_Lumpur": "kuala_lumpur malaysia 吉隆坡 马来西亚 馬來西亞",
    "Asia/Manila": "manila philippines 马尼拉 馬尼拉 菲律宾 菲律賓",
    "Asia/Kolkata": "kolkata mumbai delhi new_delhi bangalore bengaluru chennai hyderabad india "
    "孟买 孟買 新德里 班加罗尔 印度",
    "Asia/Karachi": "karachi lahore islamabad pakistan 卡拉奇 巴基斯坦",
    "Asia/Dhaka": "dhaka bangladesh 达卡 孟加拉",
    "Asia/Dubai": "dubai abu_dhabi uae 迪拜 杜拜 阿布扎比 阿联酋",
    "Asia/Riyadh": "riyadh saudi_arabia 利雅得 沙特",
    "Asia/Tehran": "tehran iran 德黑兰 德黑蘭 伊朗",
    "Asia/Jerusalem": "jerusalem tel_aviv israel 耶路撒冷 特拉维夫 以色列",
    "Europe/Istanbul": "istanbul ankara turkey 伊斯坦布尔 土耳其",
    "Europe/Moscow": "moscow st_petersburg 莫斯科",
    "Europe/Kyiv": "kyiv kiev ukraine 基辅 乌克兰",
    "Europe/London": "london england uk britain united_kingdom manchester edinburgh scotland wales "
    "伦敦 倫敦 英国 英國 曼彻斯特 爱丁堡",
    "Europe/Dublin": "dublin ireland 都柏林 爱尔兰",
    "Europe/Paris": "paris france lyon marseille 巴黎 法国 法國 里昂",
    "Europe/Berlin": "berlin germany munich hamburg frankfurt cologne stuttgart "
    "柏林 德国 德國 慕尼黑 汉堡 法兰克福",
    "Europe/Madrid": "madrid spain barcelona valencia 马德里 馬德里 西班牙 巴塞罗那 巴塞隆納",
    "Europe/Lisbon": "lisbon portugal porto 里斯本 葡萄牙",
    "Europe/Rome": "rome italy milan venice florence naples 罗马 羅馬 意大利 米兰 威尼斯",
    "Europe/Amsterdam": "amsterdam netherlands holland 阿姆斯特丹 荷兰 荷蘭",
    "Europe/Brussels": "brussels belgium 布鲁塞尔 比利时",
    "Europe/Zurich": "zurich geneva bern switzerland 苏黎世 日内瓦 瑞士",
    "Europe/Vienna": "vienna austria 维也纳 維也納 奥地利",
    "Europe/Prague": "prague czechia 布拉格 捷克",
    "Europe/Warsaw": "warsaw poland krakow 华沙 波兰",
    "Europe/Budapest": "budapest hungary 布达佩斯 匈牙利",
    "Europe/Athens": "athens greece 雅典 希腊 希臘",
    "Europe/Stockholm": "stockholm sweden 斯德哥尔摩 瑞典",
    "Europe/Oslo": "oslo norway 奥斯陆 挪威",
    "Europe/Copenhagen": "copenhagen denmark 哥本哈根 丹麦",
    "Europe/Helsinki": "helsinki finland 赫尔辛基 芬兰",
    "Africa/Cairo": "cairo egypt 开罗 開羅 埃及",
    "Africa/Lagos": "lagos nigeria 拉各斯 尼日利亚",
    "Africa/Nairobi": "nairobi kenya 内罗毕 肯尼亚",
    "Africa/Johannesburg": "johannesburg cape_town south_africa 约翰内斯堡 开普敦 南非",
    "America/New_York": "new_york nyc boston washington philadelphia miami atlanta orlando detroit "
    "纽约 紐約 波士顿 華盛頓 华盛顿 费城 迈阿密 亚特兰大",
    "America/Chicago": "chicago houston dallas austin new_orleans 芝加哥 休斯顿 休斯敦 达拉斯 奥斯汀",
    "America/Denver": "denver salt_lake_city 丹佛 盐湖城",
    "America/Phoenix": "phoenix arizona 凤凰城",
    "America/Los_Angeles": "los_angeles san_francisco seattle california las_vegas san_diego "
    "silicon_valley san_jose portland 洛杉矶 洛杉磯 旧金山 舊金山 西雅图 西雅圖 加州 硅谷 拉斯维加斯",
    "America/Anchorage": "anchorage alaska 阿拉斯加",
    "Pacific/Honolulu": "honolulu hawaii 夏威夷 檀香山",
    "America/Toronto": "toronto ottawa montreal 多伦多 多倫多 渥太华 蒙特利尔",
    "America/Vancouver": "vancouver 温哥华 溫哥華",
    "America/Mexico_City": "mexico_city 墨西哥城",
    "America/Bogota": "bogota colombia 波哥大 哥伦比亚",
    "America/Lima": "lima peru 利马 秘鲁",
    "America/Santiago": "santiago chile 智利",
    "America/Sao_Paulo": "sao_paulo rio_de_janeiro rio brasilia 圣保罗 里约",
    "America/Argentina/Buenos_Aires": "buenos_aires argentina 布宜诺斯艾利斯 阿根廷",
    "Australia/Sydney": "sydney canberra 悉尼 雪梨 堪培拉",
    "Australia/Melbourne": "melbourne 墨尔本 墨爾本",
    "Australia/Brisbane": "brisbane 布里斯班",
    "Australia/Perth": "perth 珀斯",
    "Pacific/Auckland": "auckland wellington new_zealand 奥克兰 惠灵顿 新西兰 紐西蘭",
    "Asia/Kathmandu": "kathmandu nepal 加德满都 加德滿都 尼泊尔 尼泊爾",
    "Asia/Colombo": "colombo sri_lanka 科伦坡 斯里兰卡",
    "Asia/Yangon": "yangon rangoon myanmar 仰光 缅甸 緬甸",
    "Asia/Kabul": "kabul afghanistan 喀布尔 阿富汗",
    "Asia/Tashkent": "tashkent uzbekistan 塔什干 乌兹别克斯坦",
    "Asia/Almaty": "almaty astana kazakhstan 阿拉木图 阿斯塔纳 哈萨克斯坦",
    "Asia/Ulaanbaatar": "ulaanbaatar ulan_bator 乌兰巴托",
    "Asia/Pyongyang": "pyongyang north_korea 平壤 朝鲜",
    "Asia/Phnom_Penh": "phnom_penh cambodia 金边 柬埔寨",
    "Asia/Qatar": "doha qatar 多哈 卡塔尔",
    "Asia/Kuwait": "kuwait 科威特",
    "Asia/Baghdad": "baghdad iraq 巴格达 伊拉克",
    "Asia/Tbilisi": "tbilisi 第比利斯",
    "Asia/Yerevan": "yerevan armenia 埃里温 亚美尼亚",
    "Asia/Baku": "baku azerbaijan 巴库 阿塞拜疆",
    "Atlantic/Reykjavik": "reykjavik iceland 雷克雅未克 冰岛",
    "Europe/Bucharest": "bucharest romania 布加勒斯特 罗马尼亚",
    "Europe/Belgrade": "belgrade serbia 贝尔格莱德 塞尔维亚",
    "Africa/Casablanca": "casablanca morocco 卡萨布兰卡 摩洛哥",
    "Africa/Addis_Ababa": "addis_ababa ethiopia 亚的斯亚贝巴 埃塞俄比亚",
    "America/Havana": "havana cuba 哈瓦那 古巴",
    "America/Caracas": "caracas venezuela 加拉加斯 委内瑞拉",
    "America/Halifax": "halifax nova_scotia 哈利法克斯",
    "America/St_Johns": "st_johns st_john's newfoundland 圣约翰斯 纽芬兰",
    "America/Edmonton": "calgary edmonton 卡尔加里 埃德蒙顿",
    "America/Winnipeg": "winnipeg 温尼伯",
    "Australia/Adelaide": "adelaide 阿德莱德",
    "Australia/Darwin": "darwin 达尔文",
    "Pacific/Chatham": "chatham_islands 查塔姆群岛",
    "Pacific/Fiji": "fiji 斐济",
    "Pacific/Apia": "samoa 萨摩亚",
    "UTC": "utc gmt zulu",
    # Countries of several zones: the time of the capital is not theirs, nor is India's Indonesia's.
    "": "russia brazil mexico indonesia canada australia congo 俄罗斯 俄羅斯 巴西 墨西哥 印尼 印度尼西亚 印度尼西亞 "
    "加拿大 澳大利亚 澳大利亞 澳洲",
}

_NAMESAKES = """
act chatham cordoba creston dawson easter ensenada general jersey johnston lhi mendoza merida midway norfolk north nsw
oral resolute rosario santa_isabel santarem south tripoli urumqi victoria virgin wake wallis west
"""
_OTHER_WORDS: Final = frozenset(_NAMESAKES.split())
"""Last parts of IANA's names that are rather other words, or as well known elsewhere."""
_REGIONS: Final = {
    "America/New_York": "usa us united_states america new_york ny massachusetts florida georgia pennsylvania dc d.c. michigan",
    "America/Chicago": "usa us united_states america illinois texas tx louisiana",
    "America/Denver": "usa us united_states america colorado utah",
    "America/Phoenix": "usa us united_states america",
    "America/Los_Angeles": "usa us united_states america washington wa oregon nevada ca",
    "America/Anchorage": "usa us united_states america",
    "Pacific/Honolulu": "usa us united_states america",
    "America/Toronto": "canada ontario quebec",
    "America/Vancouver": "canada british_columbia bc",
    "America/Edmonton": "canada alberta",
    "America/Winnipeg": "canada manitoba",
    "America/Halifax": "canada",
    "America/St_Johns": "canada",
    "America/Mexico_City": "mexico",
    "America/Sao_Paulo": "brazil",
    "Asia/Jakarta": "indonesia",
    "Europe/Moscow": "russia",
    "Asia/Hong_Kong": "china",
    "Asia/Macau": "china",
    "Asia/Urumqi": "china xinjiang",
    "Australia/Sydney": "australia nsw new_south_wales",
    "Australia/Melbourne": "australia victoria",
    "Australia/Brisbane": "australia queensland",
    "Australia/Perth": "australia western_australia wa",
    "Australia/Adelaide": "australia south_australia",
    "Australia/Darwin": "australia",
}
"""Countries of several zones and states, behind the names of their cities."""
_ABBREVIATED: Final = {
    "PST": ("America/Los_Angeles", "US Pacific time", "美国太平洋时间"),
    "EST": ("America/New_York", "US Eastern time", "美国东部时间"),
    "JST": ("Asia/Tokyo", "Japan time", "日本时间"),
    "KST": ("Asia/Seoul", "Korea time", "韩国时间"),
    "HKT": ("Asia/Hong_Kong", "Hong Kong time", "香港时间"),
    "SGT": ("Asia/Singapore", "Singapore time", "新加坡时间"),
    "CET": ("Europe/Paris", "Central European time", "中欧时间"),
    "MSK": ("Europe/Moscow", "Moscow time", "莫斯科时间"),
}
_ABBREVIATED_ALIKE: Final = {"PDT": "PST", "EDT": "EST", "CEST": "CET"}
"""People say PST in summer too, so the place's clock answers, under the name of its time. CST, IST, BST
and MST are those of several countries."""
_WRITTEN = "|".join((*_ABBREVIATED, *_ABBREVIATED_ALIKE))
_ABBREVIATION: Final = re.compile(
    rf"(?<![A-Za-z])(?:{_WRITTEN})(?![A-Za-z])"
    rf"|(?i:(?:(?<=\bin )|(?<=\btime ))(?:{_WRITTEN})\b|\b(?:{_WRITTEN})(?= time\b))"
)
_CITY_CODES: Final = {
    "LA": "America/Los_Angeles",
    "SF": "America/Los_Angeles",
    "HK": "Asia/Hong_Kong",
}
"""Only in capitals: "la" is a word, and begins the names of other cities."""
_CITY_CODE: Final = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(_CITY_CODES)})(?![A-Za-z])")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_CITY_NAMES = """
tokyo osaka kyoto beijing shanghai shenzhen guangzhou hangzhou chengdu hong_kong hongkong macau macao taipei
singapore seoul bangkok hanoi jakarta kuala_lumpur manila kolkata mumbai delhi new_delhi karachi dhaka dubai
riyadh tehran jerusalem istanbul moscow kyiv london dublin paris berlin munich frankfurt madrid barcelona
lisbon rome milan amsterdam brussels zurich vienna prague warsaw budapest athens stockholm oslo copenhagen
helsinki cairo lagos nairobi johannesburg boston miami chicago houston dallas denver seattle san_francisco
los_angeles honolulu toronto montreal vancouver mexico_city lima sydney melbourne brisbane perth auckland
"""
_CITIES: Final = frozenset(_CITY_NAMES.split())
"""Cities in which nobody looks for another city, unlike states such as Washington and New York."""
_OFFSET: Final = re.compile(r"\b(?:UTC|GMT) ?([+\-−–]) ?(\d{1,2})(?::?(\d\d))?\b", re.I)
_EASTMOST, _WESTMOST = 14, 12
_IANA: Final = re.compile(r"\b[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_+\-0-9]+){1,2}")


def find_places(text: str) -> list[PlaceZone]:
    """The places in the text, in its order, each zone once; IANA names are places too.

    Names are found with and without accents and dots: São Paulo, St. John's.
    """
    text = remove_accents(text)
    matches = {match.start(): _read_match(match[0]) for match in _IANA.finditer(text)}
    matches |= {match.start(): _read_offset(match) for match in _OFFSET.finditer(text)}
    for match in _compile_pattern().finditer(text):
        matches.setdefault(match.start(), PlaceZone(match[0], _find_zone(match[0])))
    for match in _CITY_CODE.finditer(text):
        matches.setdefault(match.start(), PlaceZone(match[0], _CITY_CODES[match[0]]))
    for match in _ABBREVIATION.finditer(text):
        place = _read_abbreviation(match[0], is_chinese=bool(_HAN.search(text)))
        matches.setdefault(match.start(), place)
    places = [place for _, place in sorted(matches.items()) if place is not None and place.zone]
    return list({place.zone: place for place in reversed(places)}.values())[::-1]


def is_city(name: str) -> bool:
    """Whether a name behind another city is no state or country of it: "Tokyo, London"."""
    return name.casefold().replace(" ", "_") in _CITIES or bool(_HAN.match(name))


def remove_places(text: str) -> str:
    """The text without the names that `find_places` finds."""
    plain = _compile_pattern().sub(" ", _IANA.sub(" ", _OFFSET.sub(" ", remove_accents(text))))
    return _CITY_CODE.sub(" ", _ABBREVIATION.sub(" ", plain))


def remove_accents(text: str) -> str:
    """The text without accents, and without the dot of "St."."""
    plain = "".join(
        sign for sign in unicodedata.normalize("NFD", text) if not unicodedata.combining(sign)
    )
    return re.sub(r"\b(St)\. ?(?=[A-Z])", r"\1 ", plain).replace("’", "'")


def remove_regions(text: str) -> str:
    """The text without the country or state behind a city that it has, as in "Austin, Texas"."""
    plain = accentless = remove_accents(text)
    for place in find_places(plain):
        names = map(re.escape, _REGIONS.get(place.zone, "").split())
        regions = "|".join(sorted(names, key=len, reverse=True)).replace("_", " ")
        if regions:
            named = rf"({re.escape(place.name)}),? (?:{regions})(?!\w)"
            plain = re.sub(named, r"\1", plain, flags=re.IGNORECASE)
    return text if plain == accentless else plain


def _read_match(name: str) -> PlaceZone | None:
    city = name.rpartition("/")[2].replace("_", " ")
    return PlaceZone(city, name) if name in available_timezones() else None


def _read_abbreviation(name: str, *, is_chinese: bool) -> PlaceZone:
    written = name.upper()
    zone, english, chinese = _ABBREVIATED[_ABBREVIATED_ALIKE.get(written, written)]
    return PlaceZone(chinese if is_chinese else english, zone)


def _read_offset(match: re.Match[str]) -> PlaceZone | None:
    """UTC+8 as a zone, whole hours only; IANA's Etc/GMT-8 is eight hours *ahead* of UTC."""
    name, is_east, hours = match[0].replace(" ", ""), match[1] == "+", int(match[2])
    if int(match[3] or 0) or hours > (_EASTMOST if is_east else _WESTMOST):
        return None
    return PlaceZone(name, f"Etc/GMT{'-' if is_east else '+'}{hours}" if hours else "UTC")


def _find_zone(name: str) -> str:
    return _map_names().get(name.casefold().replace(" ", "_"), "")


@cache
def _map_names() -> dict[str, str]:
    """Zones by name; the cities of IANA's own names come below our table."""
    names = {
        zone.rpartition("/")[2].casefold(): zone
        for zone in sorted(available_timezones())
        if zone.count("/") == 1  # America/Indiana/Petersburg has larger namesakes
        and zone.partition("/")[0]
        in ("Africa", "America", "Asia", "Australia", "Europe", "Pacific")
        and zone.rpartition("/")[2].casefold() not in _OTHER_WORDS
    }
    return names | {name: zone for zone, words in _ZONES.items() for name in words.split()}


@cache
def _compile_pattern() -> re.Pattern[str]:
    return re.compile("|".join(_list_alternatives()), re.IGNORECASE)


def _list_alternatives() -> Iterator[str]:
    """Longer names first; English ones as whole words."""
    for name in sorted(_map_names(), key=len, reverse=True):
        spelled = re.escape(name).replace("_", "[ _]")
        yield rf"(?<![A-Za-z]){spelled}(?![A-Za-z])" if name.isascii() else spelled
