"""Notes about a chart, in English and Chinese."""

from collections.abc import Mapping
from enum import StrEnum, auto
from typing import Final

from msgspec import Struct

from yarrow.charting.model import ChartLanguage
from yarrow.language.chinese_script import to_traditional


class Note(StrEnum):
    """What was done to a request or to its rows that a reader must know."""

    UNKNOWN_TYPE = auto()
    NO_OBJECT = auto()
    NO_FIELD = auto()
    NO_AGGREGATE = auto()
    NOT_AGGREGATED = auto()
    AGGREGATE_IGNORED = auto()
    RAW_VALUES = auto()
    NOT_STACKED = auto()
    STACK_REFUSED = auto()
    BELOW_ZERO = auto()
    STACK_KEPT = auto()
    NO_CHANNEL = auto()
    NO_OPTION = auto()
    NO_ENCODINGS = auto()
    COUNTED = auto()
    NO_NUMBERS = auto()
    NO_MEASURE = auto()
    COMBINED = auto()
    COMBINED_BY_NAME = auto()
    COMBINED_BY_DEFAULT = auto()
    FIRST_AND_LAST = auto()
    PLACES_OMITTED = auto()
    PANELS_OMITTED = auto()
    SERIES_OMITTED = auto()
    SERIES_MERGED = auto()
    SAMPLED = auto()
    FITTED_TO_SAMPLE = auto()
    OUTLIERS_SAMPLED = auto()
    TIME_BINNED = auto()
    UNIT_UNUSED = auto()
    TIME_GAPS = auto()
    NO_DATES = auto()
    DATE_ORDER_GUESSED = auto()
    NUMBER_BINNED = auto()
    TOTALS_DRAWN = auto()
    TOTALS_COUNTED = auto()
    UNITS_MIXED = auto()
    SPELLED = auto()
    FRACTIONS_GUESSED = auto()
    PERCENT_GUESSED = auto()
    NULLS_LEFT_OUT = auto()
    NO_VALUE = auto()
    NOT_POSITIVE = auto()
    TWO_SIDES = auto()
    EXTREMES_ONLY = auto()
    NO_SCHEME = auto()
    RANKED = auto()
    LOGARITHMIC = auto()
    NO_REGRESSION = auto()
    NOT_ABOVE_ZERO = auto()
    OUTSIDE = auto()
    US_ONLY = auto()
    OWN_SCALES = auto()
    NO_COLUMN = auto()
    READ_AS = auto()
    NAMED_NOT_DRAWN = auto()
    CHOSEN = auto()
    NO_SUCH_CHART = auto()
    CHART_REPLACED = auto()
    ONE_AGGREGATE = auto()
    FILTERED = auto()
    ROWS_KEPT = auto()
    TIES_INCLUDED = auto()
    RANKED_PLACES = auto()
    NO_ROW_LEFT = auto()
    COLUMN_RANGE = auto()
    VALUES_UNKNOWN = auto()
    NOT_APPLIED = auto()
    NOT_READ = auto()
    ROWS_COUNTED = auto()
    PART_OF_WHOLE = auto()
    COUNTS_ADDED = auto()
    VALUE_IN_COLUMNS = auto()
    VALUE_COMPARED = auto()
    NUMBER_OF_NOTHING = auto()
    NUMBER_WITH_UNIT = auto()
    ROWS_OR_TOTALS = auto()
    NO_TIME_COLUMN = auto()
    TIME_COLUMNS = auto()
    DEPENDS_ON_TODAY = auto()
    FROM_OR_SINCE = auto()
    NO_YEAR = auto()
    NO_RANKED_PLACE = auto()
    DOUBTFUL = auto()
    NAME_OF_COLUMNS = auto()
    AGGREGATE_OF_NOTHING = auto()
    ONE_VALUE = auto()
    LARGEST = auto()
    EXTREMES = auto()
    ALL_EQUAL = auto()


class UnappliedWords(Struct, frozen=True):
    """Words of a question without effect; `reason` is a note with `words` and `facts` as slots."""

    words: str
    reason: Note
    facts: Mapping[str, str] = {}


_TEXTS: Final[Mapping[ChartLanguage, Mapping[Note, str]]] = {
    ChartLanguage.EN: {
        Note.UNKNOWN_TYPE: "no chart is called {name}; drawn as a scatter plot",
        Note.NO_OBJECT: "encodings must be an object of channels and fields",
        Note.NO_FIELD: "{channel} names no field: {value}",
        Note.NO_AGGREGATE: "{channel} is not aggregated: there is no aggregate {value}",
        Note.NOT_AGGREGATED: "{field} holds no numbers, so it cannot be {done}",
        Note.AGGREGATE_IGNORED: "{field} is not {done}: {channel} of a {chart} has no aggregate",
        Note.RAW_VALUES: "{field} is not {done}: a {chart} is computed from all values",
        Note.NOT_STACKED: "nothing says that {field} may be added up, so it is not stacked: drawn "
        "as {chart} instead of {asked}",
        Note.STACK_REFUSED: "{field} is not stacked, as requested: drawn as {chart} instead of "
        "{asked}",
        Note.BELOW_ZERO: "{field} has values below zero, which are no parts of a whole: drawn as "
        "{chart} instead of {asked}",
        Note.STACK_KEPT: "a {chart} adds up its parts by definition; the option stack {value} is "
        "ignored",
        Note.NO_CHANNEL: "{chart} has no channel {channel}; {field} is not shown by it",
        Note.NO_OPTION: "{names}: no option of this chart; it has no effect",
        Note.NO_ENCODINGS: "no encodings were given; drawn by {fields}",
        Note.COUNTED: "rows are counted",
        Note.NO_NUMBERS: "{field} holds no numbers; rows are counted",
        Note.NO_MEASURE: "the numbers of {field} are read as names or times; rows are counted",
        Note.COMBINED: "{field} is {done} where several rows share a place",
        Note.COMBINED_BY_NAME: "{field} is {done} where several rows share a place: a guess by its "
        "name; set an aggregate to change it",
        Note.COMBINED_BY_DEFAULT: "{field} is {done} where several rows share a place: nothing "
        "says that it may be summed; set an aggregate to change it",
        Note.FIRST_AND_LAST: "several rows share a {field}: the first opens, the last closes",
        Note.PLACES_OMITTED: "{field}: the {shown} largest are shown, {omitted} items omitted",
        Note.PANELS_OMITTED: "{field}: {shown} panels are shown, {omitted} items omitted",
        Note.SERIES_OMITTED: "{field}: the {shown} largest are shown, {omitted} items omitted",
        Note.SERIES_MERGED: "{field}: the {shown} largest are shown, {omitted} others are gathered "
        "in {other}",
        Note.SAMPLED: "{shown} of {total} rows are shown: a sample, drawn evenly with a fixed seed",
        Note.FITTED_TO_SAMPLE: "the line is fitted to the sample",
        Note.OUTLIERS_SAMPLED: "{shown} of {total} outliers are shown, drawn evenly with a fixed "
        "seed",
        Note.TIME_BINNED: "{field} is grouped by {unit}",
        Note.TIME_GAPS: "{field}: times without rows have no place on the axis: {gaps}",
        Note.NO_DATES: "{count} rows have no date in {field} but a text such as {example}",
        Note.DATE_ORDER_GUESSED: "{field}: dates such as {example} are read as {date}, a guess: "
        "the values do not decide the order of day and month",
        Note.UNIT_UNUSED: "nothing is grouped by {unit}, as the request says: this chart does not "
        "group its times, or has none so short",
        Note.NUMBER_BINNED: "{field} is grouped in steps of {step}",
        Note.TOTALS_DRAWN: "{field}: {values} may be totals of the others; all are drawn",
        Note.TOTALS_COUNTED: "rows that the column {column} calls {values} may be totals of "
        "others; they are counted as well",
        Note.UNITS_MIXED: "{field} is in several units, as the column {column} says ({units}); "
        "values of different units are neither comparable nor additive",
        Note.SPELLED: "{field}: {values} are taken for different values; only case or spaces "
        "around them distinguish them",
        Note.FRACTIONS_GUESSED: "{field} is read as fractions (0.25 is 25%): a guess by name "
        "and values",
        Note.PERCENT_GUESSED: "{field} is read as percentages (25 is 25%): a guess by name "
        "and values",
        Note.NULLS_LEFT_OUT: "{count} row without a value of {fields} is left out | "
        "{count} rows without a value of {fields} are left out",
        Note.NO_VALUE: "{field} has no value in {count} of {total} places; nothing is drawn there",
        Note.NOT_POSITIVE: "{count} place without a value above zero is left out | "
        "{count} places without a value above zero are left out",
        Note.TWO_SIDES: "{field}: a pyramid has two sides, {omitted} omitted",
        Note.EXTREMES_ONLY: "of each {field} only the smallest and the largest value are shown",
        Note.NO_SCHEME: "no colour scheme is called {name}",
        Note.RANKED: "ranks are made from {field}",
        Note.LOGARITHMIC: "{field} is drawn on a logarithmic axis",
        Note.NO_REGRESSION: "no regression is called {name}; drawn as linear",
        Note.NOT_ABOVE_ZERO: "{name} needs values above zero; drawn as linear",
        Note.OUTSIDE: "{count} row lies outside {area} | {count} rows lie outside {area}",
        Note.US_ONLY: "{name} shows only the United States; drawn as {done}",
        Note.OWN_SCALES: "each {field} has a scale of its own, up to its largest value",
        Note.NO_COLUMN: "there is no column {name}; {table} has {columns}",
        Note.READ_AS: "{word} is read as the column {field}",
        Note.NAMED_NOT_DRAWN: "{fields} is named in the question but not drawn",
        Note.CHOSEN: "the question does not name {field}; it was chosen by the shape of the data",
        Note.NO_SUCH_CHART: "there is no chart of the kind {name}",
        Note.CHART_REPLACED: "a {chart} of these columns cannot be drawn: {reason}",
        Note.ONE_VALUE: "{measure}: {value}",
        Note.LARGEST: "largest {measure}: {place}, {value}",
        Note.EXTREMES: "largest {measure}: {place}, {value}; smallest: {low_place}, {low}",
        Note.ALL_EQUAL: "{measure} is {value} everywhere: {place}",
        Note.ONE_AGGREGATE: "only the first aggregate of the question is drawn: {done}",
        Note.FILTERED: "only rows that fulfil this are drawn: {conditions}; {kept} of {total} rows",
        Note.ROWS_KEPT: "{kept} of {total} rows",
        Note.RANKED_PLACES: "{field}: {shown} are drawn, {omitted} others are left out",
        Note.TIES_INCLUDED: "{field}: {shown} are drawn instead of {count}, because some are equal",
        Note.NO_ROW_LEFT: "no row fulfils this, so nothing is drawn: {conditions}",
        Note.COLUMN_RANGE: "{field} has values from {low} to {high}",
        Note.VALUES_UNKNOWN: "the values of {table} could not be looked up, so none that the "
        "question names is applied: {reason}",
        Note.NOT_APPLIED: "'{words}' of the question is not applied: it is not understood",
        Note.NOT_READ: "'{words}' of the question is not read and has no effect",
        Note.ROWS_COUNTED: "each row is counted as one of '{words}'",
        Note.PART_OF_WHOLE: "'{words}' is drawn beside the other values of {column}, of which it "
        "is a share",
        Note.COUNTS_ADDED: "the numbers of {field} are read as counts and added up: a guess by the "
        "name; ask for 'count of {field}' or 'distinct {field}' instead",
        Note.VALUE_IN_COLUMNS: "'{words}' of the question is not applied: it is a value of several "
        "columns ({columns}); name the one before it",
        Note.VALUE_COMPARED: "'{words}' of the question is not applied: it is compared with others",
        Note.NUMBER_OF_NOTHING: "'{words}' of the question is not applied: name the column of "
        "numbers before it",
        Note.NUMBER_WITH_UNIT: "'{words}' of the question is not applied: the unit of {field} is "
        "not known; name the number without a unit",
        Note.ROWS_OR_TOTALS: "'{words}' of the question is not applied: it may mean single rows or "
        "each {field} as a whole",
        Note.NO_TIME_COLUMN: "'{words}' of the question is not applied: {table} has no column of "
        "times to which it fits",
        Note.TIME_COLUMNS: "'{words}' of the question is not applied: several columns have times "
        "({columns}); name one",
        Note.DEPENDS_ON_TODAY: "'{words}' of the question is not applied: it depends on today; "
        "name the dates",
        Note.FROM_OR_SINCE: "'{words}' of the question is not applied: it may mean that time only, "
        "or all since; write 'in' or 'since'",
        Note.NO_YEAR: "'{words}' of the question is not applied: name the year",
        Note.NO_RANKED_PLACE: "'{words}' of the question is not applied: it is not clear which "
        "column is ranked",
        Note.AGGREGATE_OF_NOTHING: "the question names no column of numbers that could be {done}",
        Note.NAME_OF_COLUMNS: "'{words}' of the question may be several columns ({columns}); name "
        "one of them",
        Note.DOUBTFUL: "no condition of the question is applied: what '{words}' means for them "
        "is not certain",
    },
    ChartLanguage.ZH: {
        Note.UNKNOWN_TYPE: "没有名为{name}的图，改画散点图",
        Note.NO_OBJECT: "encodings 必须是由通道和字段组成的对象",
        Note.NO_FIELD: "{channel}没有指明字段：{value}",
        Note.NO_AGGREGATE: "{channel}没有汇总：不存在汇总方式{value}",
        Note.NOT_AGGREGATED: "{field}不是数值，无法{done}",
        Note.AGGREGATE_IGNORED: "{field}没有{done}：{chart}的通道{channel}不作汇总",
        Note.RAW_VALUES: "{field}没有{done}：{chart}由全部数值得出",
        Note.NOT_STACKED: "没有依据表明{field}可以相加，因此不堆叠：用{chart}代替{asked}",
        Note.STACK_REFUSED: "按要求{field}不堆叠：用{chart}代替{asked}",
        Note.BELOW_ZERO: "{field}有小于零的值，不能作为整体的一部分：用{chart}代替{asked}",
        Note.STACK_KEPT: "{chart}本来就把各部分相加，忽略选项 stack {value}",
        Note.NO_CHANNEL: "{chart}没有通道{channel}，{field}没有画出",
        Note.NO_OPTION: "{names}：这种图没有这个选项，不起作用",
        Note.NO_ENCODINGS: "没有给出 encodings,按{fields}画图",
        Note.COUNTED: "统计的是行数",
        Note.NO_NUMBERS: "{field}不是数值，改为统计行数",
        Note.NO_MEASURE: "{field}的数字看作名称或时间，改为统计行数",
        Note.COMBINED: "多行落在同一位置时，{field}{done}",
        Note.COMBINED_BY_NAME: "多行落在同一位置时，{field}{done}："
        "根据列名推测，可用 aggregate 指定",
        Note.COMBINED_BY_DEFAULT: "多行落在同一位置时，{field}{done}："
        "没有依据表明可以相加，可用 aggregate 指定",
        Note.FIRST_AND_LAST: "多行的{field}相同：第一行为开盘，最后一行为收盘",
        Note.PLACES_OMITTED: "{field}：只显示最大的 {shown} 项，省略 {omitted} 项",
        Note.PANELS_OMITTED: "{field}：显示 {shown} 个分图，省略 {omitted} 项",
        Note.SERIES_OMITTED: "{field}：只显示最大的 {shown} 项，省略 {omitted} 项",
        Note.SERIES_MERGED: "{field}：显示最大的 {shown} 项，其余 {omitted} 项归入{other}",
        Note.SAMPLED: "{total} 行中显示 {shown} 行：以固定种子均匀抽样",
        Note.FITTED_TO_SAMPLE: "拟合线根据样本计算",
        Note.OUTLIERS_SAMPLED: "{total} 个离群值中显示 {shown} 个，以固定种子均匀抽取",
        Note.TIME_BINNED: "{field}按{unit}汇总",
        Note.TIME_GAPS: "{field}：没有数据的时间在轴上没有位置：{gaps}",
        Note.NO_DATES: "{count} 行的{field}不是日期，而是{example}之类的文字",
        Note.DATE_ORDER_GUESSED: "{field}：{example} 之类的日期读作 {date}，"
        "这是推测：数据无法确定日和月的先后",
        Note.UNIT_UNUSED: "没有按要求以{unit}汇总：图中没有这样细的时间，或这种图不汇总时间",
        Note.NUMBER_BINNED: "{field}按每 {step} 一组汇总",
        Note.TOTALS_DRAWN: "{field}：{values}可能是其他各项的合计，与它们并列画出",
        Note.TOTALS_COUNTED: "{column}列为{values}的行可能是其他行的合计，也一并计入",
        Note.UNITS_MIXED: "{field}有多种单位，见{column}列（{units}）；单位不同的值不能比较或相加",
        Note.SPELLED: "{field}：{values}仅大小写或首尾空格不同，按不同的值分别计算",
        Note.FRACTIONS_GUESSED: "{field}看作小数形式的比例（0.25 即 25%）：根据名称和数值推测",
        Note.PERCENT_GUESSED: "{field}看作百分数（25 即 25%）：根据名称和数值推测",
        Note.NULLS_LEFT_OUT: "{count} 行缺少{fields}的值，没有画出",
        Note.NO_VALUE: "{total} 个位置中有 {count} 个没有{field}的值，此处空缺",
        Note.NOT_POSITIVE: "{count} 个位置的值不大于零，没有画出",
        Note.TWO_SIDES: "{field}：金字塔图只有两边，省略 {omitted} 项",
        Note.EXTREMES_ONLY: "每个{field}只显示最小值和最大值",
        Note.NO_SCHEME: "没有名为{name}的配色",
        Note.RANKED: "排名根据{field}得出",
        Note.LOGARITHMIC: "{field}使用对数坐标",
        Note.NO_REGRESSION: "没有名为{name}的回归方法，改用线性",
        Note.NOT_ABOVE_ZERO: "{name}要求数值大于零，改用线性",
        Note.OUTSIDE: "{count} 行在{area}之外",
        Note.US_ONLY: "{name}只能显示美国，改用{done}",
        Note.OWN_SCALES: "每个{field}各有刻度，以其最大值为界",
        Note.NO_COLUMN: "没有名为{name}的列；{table}有：{columns}",
        Note.READ_AS: "{word}理解为列{field}",
        Note.NAMED_NOT_DRAWN: "问题提到了{fields}，但图中没有画出",
        Note.CHOSEN: "问题没有提到{field}，它是根据数据结构选出的",
        Note.NO_SUCH_CHART: "没有{name}这种图",
        Note.CHART_REPLACED: "这些列画不成{chart}：{reason}",
        Note.ONE_VALUE: "{measure}：{value}",
        Note.LARGEST: "{measure}最大的是{place}（{value}）",
        Note.EXTREMES: "{measure}最大的是{place}（{value}），最小的是{low_place}（{low}）",
        Note.ALL_EQUAL: "{measure}处处都是{value}：{place}",
        Note.ONE_AGGREGATE: "问题中有多种汇总方式，只画第一种：{done}",
        Note.FILTERED: "只画满足条件的行：{conditions}；{total} 行中的 {kept} 行",
        Note.ROWS_KEPT: "{total} 行中的 {kept} 行",
        Note.RANKED_PLACES: "{field}：画出 {shown} 项，其余 {omitted} 项没有画出",
        Note.TIES_INCLUDED: "{field}：因为有并列，画出 {shown} 项而不是 {count} 项",
        Note.NO_ROW_LEFT: "没有满足条件的行，因此没有画图：{conditions}",
        Note.COLUMN_RANGE: "{field}的值从 {low} 到 {high}",
        Note.VALUES_UNKNOWN: "没有能查到{table}中的值，问题中的值都没有用来筛选：{reason}",
        Note.NOT_APPLIED: "问题中的“{words}”没有用来筛选：无法确定它的意思",
        Note.NOT_READ: "问题中的“{words}”没有读取，不起作用",
        Note.ROWS_COUNTED: "每一行算作一个“{words}”",
        Note.PART_OF_WHOLE: "“{words}”与{column}的其他值画在一起，占比是对全部而言的",
        Note.COUNTS_ADDED: "把{field}的数字看作个数并相加：根据列名推测；也可以问 count of {field} "
        "或 distinct {field}",
        Note.VALUE_IN_COLUMNS: "问题中的“{words}”没有用来筛选：多个列都有这个值（{columns}），"
        "请在它前面写明列名",
        Note.VALUE_COMPARED: "问题中的“{words}”没有用来筛选：它是用来比较的",
        Note.NUMBER_OF_NOTHING: "问题中的“{words}”没有用来筛选：请在它前面写明数值列的名称",
        Note.NUMBER_WITH_UNIT: "问题中的“{words}”没有用来筛选：不知道{field}的单位，"
        "请写不带单位的数",
        Note.ROWS_OR_TOTALS: "问题中的“{words}”没有用来筛选：可能指单行，也可能指每个{field}的总体",
        Note.NO_TIME_COLUMN: "问题中的“{words}”没有用来筛选：{table}中没有合适的时间列",
        Note.TIME_COLUMNS: "问题中的“{words}”没有用来筛选：有多个时间列（{columns}），请写明一个",
        Note.DEPENDS_ON_TODAY: "问题中的“{words}”没有用来筛选：它取决于今天的日期，请写明日期",
        Note.FROM_OR_SINCE: "问题中的“{words}”没有用来筛选：可能只指那段时间，也可能指从那时起",
        Note.NO_YEAR: "问题中的“{words}”没有用来筛选：请写明年份",
        Note.NO_RANKED_PLACE: "问题中的“{words}”没有用来筛选：不清楚对哪一列排名",
        Note.AGGREGATE_OF_NOTHING: "问题没有提到可以{done}的数值列",
        Note.NAME_OF_COLUMNS: "问题中的“{words}”可能指多个列（{columns}），请写明其中一个",
        Note.DOUBTFUL: "问题中的条件都没有用来筛选：无法确定“{words}”对它们的意思",
    },
}


NOTE_TEXTS: Final[Mapping[ChartLanguage, Mapping[Note, str]]] = {
    **_TEXTS,
    ChartLanguage.HANT: {
        note: to_traditional(text) for note, text in _TEXTS[ChartLanguage.ZH].items()
    },
}


def write_note(language: ChartLanguage, note: Note, **values: object) -> str:
    """The text of a note; numbers get thousands separators.

    Of two forms with ` | ` between them the first is for a `count` of one.
    """
    shown = {
        name: f"{value:,}" if isinstance(value, int | float) else value
        for name, value in values.items()
    }
    one, _, many = NOTE_TEXTS[language][note].partition(" | ")
    return (many if many and shown.get("count") != "1" else one).format_map(shown)
