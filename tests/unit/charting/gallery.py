"""One realistic table and wish for every chart, in Chinese and English."""

import math
from datetime import date, timedelta

from msgspec import Struct
from tests.loose_json import JsonObject

from yarrow.charting import ChartType

MONTHS = [f"{month}月" for month in range(1, 13)]
REGIONS = ("华东", "华南", "华北", "西南")
CITIES = (
    ("上海", 121.47, 31.23, 2487),
    ("北京", 116.41, 39.90, 2189),
    ("东京", 139.69, 35.69, 3700),
    ("London", -0.13, 51.51, 890),
    ("São Paulo", -46.63, -23.55, 2200),
    ("Lagos", 3.38, 6.52, 1500),
    ("New York", -74.01, 40.71, 880),
    ("Los Angeles", -118.24, 34.05, 390),
    ("Chicago", -87.63, 41.88, 270),
    ("Houston", -95.37, 29.76, 230),
    ("Sydney", 151.21, -33.87, 530),
)


class Exhibit(Struct, frozen=True):
    chart: ChartType
    rows: list[JsonObject]
    encodings: dict[str, str]
    config: JsonObject


def wave(place: int, *, swing: float = 1.0) -> float:
    """Numbers that look measured and are the same each time."""
    return swing * (math.sin(place * 1.7) + math.cos(place * 0.61)) / 2


def sales() -> list[JsonObject]:
    return [
        {
            "月份": month,
            "地区": region,
            "销售额": round(52_000 + 9_000 * n + wave(n * 7 + m, swing=21_000)),
        }
        for m, month in enumerate(MONTHS)
        for n, region in enumerate(REGIONS)
    ]


def products() -> list[JsonObject]:
    names = ("笔记本电脑", "手机", "平板", "耳机", "显示器", "键盘", "鼠标", "打印机", "摄像头")
    return [
        {"产品名称": name, "销量": 980 - 97 * n + round(wave(n, swing=60))}
        for n, name in enumerate(names)
    ]


def people() -> list[JsonObject]:
    return [
        {
            "身高": round(165 + wave(n, swing=18), 1),
            "体重": round(60 + wave(n, swing=15) + wave(n * 3, swing=8), 1),
            "性别": "男" if n % 2 else "女",
            "年龄": 20 + n % 40,
        }
        for n in range(160)
    ]


def prices() -> list[JsonObject]:
    rows: list[JsonObject] = []
    close = 100.0
    for n in range(60):
        first, close = close, round(close + wave(n, swing=4) + 0.2, 2)
        top, bottom = max(first, close) + 1.1, min(first, close) - 0.9
        day = date(2024, 3, 1) + timedelta(days=n)
        rows.append(
            {"日期": day.isoformat(), "开盘": first, "最高": top, "最低": bottom, "收盘": close}
        )
    return rows


def ages() -> list[JsonObject]:
    return [
        {
            "年龄段": f"{low}-{low + 9}",
            "性别": sex,
            "人口": round(9_000_000 - low * 90_000 + wave(low + len(sex), swing=900_000)),
        }
        for low in range(0, 90, 10)
        for sex in ("男性", "女性群体")
    ]


def skills() -> list[JsonObject]:
    names = ("进攻", "防守", "速度", "力量", "技术", "体能")
    return [
        {"能力": name, "得分": 60 + round(wave(n * 3 + p * 5, swing=30)), "球员": player}
        for p, player in enumerate(("张三", "李四"))
        for n, name in enumerate(names)
    ]


def years() -> list[JsonObject]:
    return [
        {
            "year": 2015 + n,
            "company": name,
            "revenue": round(400 + 45 * n + wave(n + k * 11, swing=160)),
        }
        for n in range(9)
        for k, name in enumerate(("Aster", "Birch", "Cedar", "Dahlia"))
    ]


def cities() -> list[JsonObject]:
    return [{"城市": n, "lon": lon, "lat": lat, "population": p} for n, lon, lat, p in CITIES]


def steps() -> list[JsonObject]:
    names = (
        ("期初", 4200),
        ("新客", 1850),
        ("续费", 930),
        ("退款", -610),
        ("流失", -1240),
        ("期末", 5130),
    )
    return [{"项目": name, "金额": amount} for name, amount in names]


def cards() -> list[JsonObject]:
    return [
        {"指标": "销售额", "当前": 12_845_300, "目标": 12_000_000},
        {"指标": "订单数", "当前": 48_210, "目标": 52_000},
        {"指标": "客单价", "当前": 266.4, "目标": 250},
        {"指标": "复购率", "当前": 0.342, "目标": 0.35},
    ]


def exhibits() -> list[Exhibit]:
    t = ChartType
    over = {"x": "月份", "y": "销售额", "color": "地区"}
    return [
        Exhibit(
            t.SCATTER,
            people(),
            {"x": "身高", "y": "体重", "color": "性别", "size": "年龄"},
            {"title": "身高与体重"},
        ),
        Exhibit(
            t.REGRESSION,
            people(),
            {"x": "身高", "y": "体重", "color": "性别"},
            {"title": "体重随身高变化"},
        ),
        Exhibit(t.BAR, products(), {"x": "产品名称", "y": "销量"}, {"title": "各产品销量"}),
        Exhibit(t.LOLLIPOP, products(), {"y": "产品名称", "x": "销量"}, {"title": "各产品销量"}),
        Exhibit(t.WATERFALL, steps(), {"x": "项目", "y": "金额"}, {"title": "收入变动"}),
        Exhibit(
            t.GROUPED_BAR,
            sales(),
            {"x": "月份", "y": "销售额", "group": "地区"},
            {"title": "各地区月度销售额"},
        ),
        Exhibit(t.STACKED_BAR, sales(), over, {"title": "月度销售额构成"}),
        Exhibit(t.HISTOGRAM, people(), {"x": "身高", "color": "性别"}, {"title": "身高分布"}),
        Exhibit(t.DENSITY, people(), {"x": "身高", "color": "性别"}, {"title": "身高密度"}),
        Exhibit(t.BOXPLOT, sales(), {"x": "地区", "y": "销售额"}, {"title": "各地区销售额"}),
        Exhibit(
            t.RANGED_DOT,
            years(),
            {"y": "company", "x": "revenue", "color": "year"},
            {"title": "Revenue by year"},
        ),
        Exhibit(
            t.LINE,
            years(),
            {"x": "year", "y": "revenue", "color": "company"},
            {"title": "Revenue 营收"},
        ),
        Exhibit(
            t.AREA,
            years(),
            {"x": "year", "y": "revenue", "color": "company"},
            {"title": "Revenue stacked"},
        ),
        Exhibit(t.STREAMGRAPH, years(), {"x": "year", "y": "revenue", "color": "company"}, {}),
        Exhibit(
            t.PIE,
            products(),
            {"size": "销量", "color": "产品名称"},
            {"title": "销量占比", "innerRadius": 40},
        ),
        Exhibit(
            t.ROSE, sales()[:12], {"x": "月份", "y": "销售额", "color": "地区"}, {"title": "玫瑰图"}
        ),
        Exhibit(
            t.RADAR, skills(), {"x": "能力", "y": "得分", "color": "球员"}, {"title": "球员能力"}
        ),
        Exhibit(
            t.HEATMAP,
            sales(),
            {"x": "月份", "y": "地区", "color": "销售额"},
            {"title": "销售热力图"},
        ),
        Exhibit(t.BAR_TABLE, products(), {"y": "产品名称", "x": "销量"}, {"title": "销量明细"}),
        Exhibit(t.KPI_CARD, cards(), {"metric": "指标", "value": "当前", "goal": "目标"}, {}),
        Exhibit(
            t.CANDLESTICK,
            prices(),
            {"x": "日期", "open": "开盘", "high": "最高", "low": "最低", "close": "收盘"},
            {"title": "股价"},
        ),
        Exhibit(
            t.WORLD_MAP,
            cities(),
            {"longitude": "lon", "latitude": "lat", "size": "population"},
            {"title": "城市人口"},
        ),
        Exhibit(
            t.US_MAP,
            cities(),
            {"longitude": "lon", "latitude": "lat", "size": "population", "color": "城市"},
            {"title": "US cities"},
        ),
        Exhibit(
            t.PYRAMID,
            ages(),
            {"y": "年龄段", "x": "人口", "color": "性别"},
            {"title": "人口金字塔"},
        ),
        Exhibit(
            t.BUMP, years(), {"x": "year", "y": "revenue", "color": "company"}, {"title": "Ranking"}
        ),
        Exhibit(
            t.STRIP, people(), {"x": "性别", "y": "身高", "color": "性别"}, {"title": "身高散布"}
        ),
    ]
