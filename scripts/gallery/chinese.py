"""Chinese names of the columns and values in the gallery."""

from collections.abc import Mapping

CHINESE_NAMES: Mapping[str, str] = {
    "weekday": "星期",
    "Distributor": "发行商",
    "date": "日期",
    "precipitation": "降水量",
    "month": "月份",
    "weather": "天气",
    "temp_max": "最高气温",
    "location": "城市",
    "Miles_per_Gallon": "每加仑英里数",
    "Cylinders": "气缸数",
    "age": "年龄",
    "sex": "性别",
    "people": "人口",
    "change": "变化",
    "Major Genre": "类型",
    "Worldwide Gross": "全球票房",
    "Title": "片名",
    "price": "价格",
    "symbol": "股票",
    "year": "年份",
    "life_expect": "预期寿命",
    "country": "国家",
    "hour": "小时",
    "delay": "延误",
    "wheat": "小麦价格",
    "temp": "温度",
    "count": "人数",
    "series": "行业",
    "close": "收盘",
    "Horsepower": "马力",
    "Origin": "产地",
    "income": "收入",
    "health": "健康",
    "population": "人口",
    "region": "地区",
    "fertility": "生育率",
    "Weight_in_lbs": "重量",
    "Acceleration": "加速",
    "IMDB Rating": "评分",
    "Running Time min": "片长",
    "measure": "指标",
    "value": "数值",
    "magnitude": "震级",
    "flights": "航班数",
    "longitude": "经度",
    "latitude": "纬度",
}

_VALUES: Mapping[str, str] = {
    "dayname(date)": "list_extract(['星期日', '星期一', '星期二', '星期三', '星期四', '星期五', "
    "'星期六'], dayofweek(date) + 1)",
    "monthname(date)": "list_extract(['一月', '二月', '三月', '四月', '五月', '六月', '七月', "
    "'八月', '九月', '十月', '十一月', '十二月'], month(date))",
    "'Male'": "'男'",
    "'Female'": "'女'",
    "'Films', 'Gross', 'Rating'": "'影片数', '票房', '评分'",
}


def translate_values(query: str) -> str:
    """The query of an exhibit with Chinese values."""
    for english, chinese in _VALUES.items():
        query = query.replace(english, chinese)
    return query
