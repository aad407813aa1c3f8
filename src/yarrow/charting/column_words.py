"""Words in column names that tell what the column means, in English and in Chinese.

English names are cut into words, so that `country` is not a `count`. Chinese has no gaps between
words; there the end of a name says what it is (销售日期 is a 日期), and the longest end wins.
"""

from collections.abc import Mapping

from yarrow.charting.model import SemanticType as Kind

WHOLE_NAMES: Mapping[str, Kind] = {
    "year_month": Kind.YEAR_MONTH,
    "yearmonth": Kind.YEAR_MONTH,
    "month_year": Kind.YEAR_MONTH,
    "year_quarter": Kind.YEAR_QUARTER,
    "yearquarter": Kind.YEAR_QUARTER,
    "year_week": Kind.YEAR_WEEK,
    "yearweek": Kind.YEAR_WEEK,
    **{
        f"{what}_rate": Kind.NUMBER
        for what in ("heart", "pulse", "exchange", "frame", "bit", "sample", "sampling", "refresh")
    },
}

LAST_WORDS: Mapping[str, Kind] = {
    "date": Kind.DATE,
    "dates": Kind.DATE,
    "datetime": Kind.DATETIME,
    "timestamp": Kind.DATETIME,
    "time": Kind.DATETIME,
    "at": Kind.DATETIME,
    "year": Kind.YEAR,
    "month": Kind.MONTH,
    "quarter": Kind.QUARTER,
    "week": Kind.WEEK,
    "day": Kind.DAY,
    "weekday": Kind.DAY,
    "dow": Kind.DAY,
    "hour": Kind.HOUR,
    "decade": Kind.DECADE,
    "rank": Kind.RANK,
    "ranking": Kind.RANK,
    "level": Kind.RANK,
    "tier": Kind.RANK,
    "priority": Kind.RANK,
    "grade": Kind.RANK,
    "bucket": Kind.RANGE,
    "bin": Kind.RANGE,
    "range": Kind.RANGE,
    "bracket": Kind.RANGE,
}
"""They count only at the end: `order_date` is a date, `month_total` is a total."""

MEASURE_WORDS: Mapping[str, Kind] = {
    **dict.fromkeys(("revenue", "sales", "income", "salary", "budget", "spend"), Kind.AMOUNT),
    **dict.fromkeys(("amount", "gmv", "gdp", "turnover", "expense", "expenses"), Kind.AMOUNT),
    **dict.fromkeys(("price", "cost", "fee", "fare", "wage"), Kind.PRICE),
    **dict.fromkeys(("profit", "margin", "balance", "loss", "net"), Kind.PROFIT),
    **dict.fromkeys(("growth", "yoy", "mom"), Kind.PERCENTAGE_CHANGE),
    **dict.fromkeys(("change", "delta"), Kind.NUMBER),
    **dict.fromkeys(("pct", "percent", "percentage", "share", "ratio", "rate"), Kind.PERCENTAGE),
    **dict.fromkeys(("proportion", "fraction"), Kind.PERCENTAGE),
    **dict.fromkeys(("count", "counts", "num", "cnt", "orders", "visits"), Kind.COUNT),
    **dict.fromkeys(("population", "users", "clicks", "views", "customers"), Kind.COUNT),
    **dict.fromkeys(("quantity", "qty", "units", "volume", "weight", "distance"), Kind.QUANTITY),
    **dict.fromkeys(("height", "length", "width", "area", "speed", "stock"), Kind.QUANTITY),
    **dict.fromkeys(("temperature", "temp"), Kind.TEMPERATURE),
    **dict.fromkeys(("score", "rating", "points"), Kind.SCORE),
    **dict.fromkeys(("sentiment",), Kind.SENTIMENT),
    **dict.fromkeys(("correlation", "corr"), Kind.CORRELATION),
    **dict.fromkeys(("duration", "elapsed", "minutes", "seconds", "hours", "days"), Kind.DURATION),
    **dict.fromkeys(("latitude", "lat"), Kind.LATITUDE),
    **dict.fromkeys(("longitude", "lon", "lng"), Kind.LONGITUDE),
    **dict.fromkeys(("sum", "total", "avg", "average", "mean", "median"), Kind.NUMBER),
    **dict.fromkeys(("max", "min", "std", "stddev", "variance", "per"), Kind.NUMBER),
}
"""They count anywhere, if the column holds numbers; the first in this order says what kind."""

CODE_WORDS: Mapping[str, Kind] = {
    **dict.fromkeys(("iso", "fips", "id", "uuid", "code", "sku", "isbn", "phone"), Kind.ID),
    **dict.fromkeys(("zip", "zipcode", "postcode", "postal"), Kind.ZIP_CODE),
}
"""Numbers that name things: `iso_num` is no count. With a word of counting they are counts."""
COUNT_WORDS = frozenset(
    ("count", "counts", "cnt", "total", "sum", "avg", "average", "mean", "rate")
)

ADDITIVE_WORDS = frozenset(
    {
        *("revenue", "sales", "sold", "amount", "gmv", "turnover", "expense", "expenses", "spend"),
        *("profit", "loss", "total", "sum", "count", "counts", "cnt", "orders", "visits"),
        *("clicks", "views", "transactions", "payments", "quantity", "qty", "units", "volume"),
        *("deaths", "births", "cases", "goals"),
    }
)
"""Words of flows: a sum over rows makes sense. Stocks such as `population` are not among them."""
NOT_ADDITIVE_WORDS = frozenset(
    {
        *("avg", "average", "mean", "median", "max", "min", "std", "stddev", "variance", "per"),
        *("rate", "ratio", "pct", "percent", "percentage", "share", "price", "index", "score"),
        *("rank", "id", "code", "key", "margin", "growth", "change"),
    }
)

LABEL_WORDS: Mapping[str, Kind] = {
    **dict.fromkeys(("id", "uuid", "code", "key", "sku"), Kind.ID),
    **dict.fromkeys(("country", "nation"), Kind.COUNTRY),
    **dict.fromkeys(("state", "province"), Kind.STATE),
    **dict.fromkeys(("city", "town"), Kind.CITY),
    **dict.fromkeys(("region", "district", "county", "continent"), Kind.REGION),
    **dict.fromkeys(("address", "street"), Kind.ADDRESS),
    **dict.fromkeys(("zip", "zipcode", "postcode", "postal"), Kind.ZIP_CODE),
    **dict.fromkeys(("status", "stage", "flag"), Kind.STATUS),
    **dict.fromkeys(("name", "title", "person", "customer", "employee", "author"), Kind.NAME),
    **dict.fromkeys(("company", "brand", "product", "item", "team"), Kind.NAME),
    **dict.fromkeys(("category", "type", "kind", "class", "group", "segment"), Kind.CATEGORY),
    **dict.fromkeys(("department", "channel", "gender", "sex", "genre", "species"), Kind.CATEGORY),
    **dict.fromkeys(("direction", "side"), Kind.DIRECTION),
}

CHINESE_ENDS: Mapping[str, Kind] = {
    **dict.fromkeys(("日期", "出生年月日", "生日"), Kind.DATE),
    **dict.fromkeys(("时间", "時間", "时刻", "时间戳"), Kind.DATETIME),
    **dict.fromkeys(("年份", "年度", "年"), Kind.YEAR),
    **dict.fromkeys(("年月",), Kind.YEAR_MONTH),
    **dict.fromkeys(("年季", "年季度"), Kind.YEAR_QUARTER),
    **dict.fromkeys(("季度", "季"), Kind.QUARTER),
    **dict.fromkeys(("月份", "月"), Kind.MONTH),
    **dict.fromkeys(("周次", "周数", "周"), Kind.WEEK),
    **dict.fromkeys(("星期", "星期几", "周几", "日"), Kind.DAY),
    **dict.fromkeys(("小时", "时段"), Kind.HOUR),
    **dict.fromkeys(("年代",), Kind.DECADE),
    **dict.fromkeys(("时长", "耗时", "天数", "分钟", "小时数"), Kind.DURATION),
    **dict.fromkeys(("额", "金额", "收入", "营收", "支出", "预算", "工资", "产值"), Kind.AMOUNT),
    **dict.fromkeys(("价", "价格", "售价", "费", "费用", "成本", "薪资"), Kind.PRICE),
    **dict.fromkeys(("利润", "毛利", "盈亏", "余额", "净值"), Kind.PROFIT),
    **dict.fromkeys(("占比", "比例", "比重", "份额", "率", "百分比", "比"), Kind.PERCENTAGE),
    **dict.fromkeys(
        ("汇率", "心率", "频率", "速率", "功率", "帧率", "码率", "采样率"), Kind.NUMBER
    ),
    **dict.fromkeys(("增长率", "增幅", "涨幅", "同比", "环比", "变化"), Kind.PERCENTAGE_CHANGE),
    **dict.fromkeys(("数量", "销量", "产量", "库存", "重量", "面积", "距离", "量"), Kind.QUANTITY),
    **dict.fromkeys(("数", "人数", "次数", "个数", "单数", "人口", "件数"), Kind.COUNT),
    **dict.fromkeys(("温度", "气温"), Kind.TEMPERATURE),
    **dict.fromkeys(("评分", "得分", "分数", "成绩", "分"), Kind.SCORE),
    **dict.fromkeys(("均值", "平均", "平均值", "合计", "总计", "总和", "最大值"), Kind.NUMBER),
    **dict.fromkeys(("最小值", "中位数", "标准差"), Kind.NUMBER),
    **dict.fromkeys(("指数", "系数", "倍数", "参数", "质量", "含量", "浓度"), Kind.NUMBER),
    **dict.fromkeys(("排名", "名次", "等级", "级别", "级"), Kind.RANK),
    **dict.fromkeys(("区间", "范围", "年龄段", "段"), Kind.RANGE),
    **dict.fromkeys(("纬度",), Kind.LATITUDE),
    **dict.fromkeys(("经度",), Kind.LONGITUDE),
    **dict.fromkeys(("国家", "国别", "国"), Kind.COUNTRY),
    **dict.fromkeys(("省份", "省", "州"), Kind.STATE),
    **dict.fromkeys(("城市", "市"), Kind.CITY),
    **dict.fromkeys(("地区", "区域", "大区", "区", "县"), Kind.REGION),
    **dict.fromkeys(("地址",), Kind.ADDRESS),
    **dict.fromkeys(("邮编", "邮政编码"), Kind.ZIP_CODE),
    **dict.fromkeys(("编号", "编码", "代码", "号", "号码", "序号", "主键"), Kind.ID),
    **dict.fromkeys(("名称", "姓名", "名", "公司", "品牌", "产品", "商品", "客户"), Kind.NAME),
    **dict.fromkeys(("类别", "类型", "分类", "种类", "品类", "类", "部门"), Kind.CATEGORY),
    **dict.fromkeys(("渠道", "性别", "行业", "职业", "班级"), Kind.CATEGORY),
    **dict.fromkeys(("状态", "阶段"), Kind.STATUS),
    **dict.fromkeys(("方向",), Kind.DIRECTION),
    **dict.fromkeys(("是否",), Kind.BOOLEAN),
}

ADDITIVE_ENDS = frozenset(
    {
        *("额", "金额", "收入", "营收", "支出", "产值", "利润", "毛利", "盈亏", "数量", "销量"),
        *("产量", "量", "数", "人数", "次数", "个数", "单数", "件数", "合计", "总计", "总和"),
    }
)
"""Ends of names of which a sum over rows makes sense."""
SYNONYMS = (
    frozenset({"sales", "revenue", "turnover"}),
    frozenset({"销售额", "营业额", "营收", "收入"}),
)
"""Words for the same measure."""
CHINESE_MEANS = ("平均", "人均", "均值", "最大", "最小", "最高", "最低", "占")
