"""A table of many rows in DuckDB, and the chart of a question about it without a model."""

from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

from msgspec import Struct
from tests.loose_json import JsonObject, JsonValue
from tests.unit.charting.row_source import TableReader, open_duckdb

from yarrow.charting import (
    ROW,
    ChartColumn,
    ChartLanguage,
    CompiledChart,
    DType,
    FilterPlan,
    QuestionReading,
    RowFilter,
    TableFacts,
    TableShape,
    chart_question,
    compile_chart,
    explain_empty,
    explain_filter,
    explain_rank,
    explain_reading,
    facts_query,
    find_question_language,
    list_open_suggestions,
    rank_places,
    read_counts,
    read_facts,
    read_question,
    title_filter,
)
from yarrow.sandbox.chart_source import to_chart_value
from yarrow.sandbox.duckdb_session import find_column_type

ROWS = 30_000
FIRST_ROWS = 5
SALES = f"""
    SELECT DATE '2021-01-01' + (i % 1095)::INTEGER AS order_date,
        ['North', 'South', 'East', 'West'][i % 4 + 1] AS region,
        ['Apple', 'Banana', 'Cherry', 'Sedan', 'Desk Lamp'][i % 5 + 1] AS product,
        ['Japan', 'Germany', 'France', 'USA', 'Brazil', 'China', 'India', NULL][i * 7 % 8 + 1]
            AS country,
        (i * 37 % 1000) + 1 AS revenue, i % 9 + 1 AS quantity,
        round((i * 13 % 500) / 7.0, 2) AS price
    FROM range({ROWS}) AS t(i)
"""
CHINESE = f"""
    SELECT DATE '2021-01-01' + (i % 1095)::INTEGER AS 下单日期,
        ['北方', '南方', '东部', '西部'][i % 4 + 1] AS 地区,
        ['苹果', '香蕉', '樱桃'][i % 3 + 1] AS 产品,
        ['北京', '上海', '广州', '深圳', '成都', '武汉', '杭州'][i * 3 % 7 + 1] AS 城市,
        (i * 37 % 1000) + 1 AS 销售额, i % 9 + 1 AS 数量
    FROM range({ROWS}) AS t(i)
"""
MOVIES = f"""
    SELECT 'Movie ' || i AS title, ['Drama', 'Comedy', 'Action', 'Horror'][i % 4 + 1] AS genre,
        1990 + i % 30 AS year, (i * 37 % 997) / 100.0 AS rating, i * 13 % 200 AS budget
    FROM range({ROWS}) AS t(i)
"""
CARS = f"""
    SELECT 'car ' || i AS name, ['Japan', 'USA', 'Europe'][i % 3 + 1] AS origin,
        [4, 6, 8][i // 3 % 3 + 1] AS cylinders, 50 + i % 200 AS horsepower,
        10 + i * 7 % 300 / 10 AS mpg, 1970 + i % 12 AS model_year, i * 31 % 400 * 100 AS price
    FROM range({ROWS}) AS t(i)
"""


class AskedChart(Struct, frozen=True):
    """What came of a question; no chart if no row was left."""

    reading: QuestionReading
    where: str
    title: str
    notes: list[str]
    chart: CompiledChart | None

    def values(self, key: str, value: str) -> dict[JsonValue, JsonValue]:
        """The numbers of the chart by their place."""
        assert self.chart is not None, self.notes
        return {row[key]: row[value] for row in self.chart.rows}


class QuestionTable:
    """Implements `yarrow.charting.ChartSource` over a table that a query makes."""

    def __init__(self, name: str, sql: str) -> None:
        self.name = name
        self.database = open_duckdb().cursor()
        self.reader = TableReader(self.database)
        self.database.execute(f'CREATE TEMP TABLE "{name}" AS {sql}')
        self.database.execute(f'DESCRIBE "{self.name}"')
        described = self.database.fetchall()
        self.columns = {name: DType(find_column_type(native)) for name, native, *_ in described}
        self.relation = f'(SELECT *, rowid AS {ROW} FROM "{self.name}")'
        ((self.row_count,),) = self.select(f'SELECT count(*) FROM "{self.name}"')

    def run(self, sql: str, parameters: Sequence[JsonValue] = ()) -> list[list[JsonValue]]:
        return self.reader.run(sql, parameters)

    def select(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query by DuckDB alone."""
        return self.database.execute(sql).fetchall()

    def pairs(self, sql: str) -> dict[Any, Any]:
        return dict(self.select(sql))

    @cached_property
    def shape(self) -> TableShape:
        """As the server has it: counts of all rows, samples from the first ones."""
        first = self.select(f'SELECT * FROM "{self.name}" LIMIT {FIRST_ROWS}')
        counts = ", ".join(f'count("{c}"), count(DISTINCT "{c}")' for c in self.columns)
        ((*counted,),) = self.select(f'SELECT {counts} FROM "{self.name}"')
        columns = tuple(
            ChartColumn(
                name,
                dtype,
                distinct=counted[at * 2 + 1],
                nulls=self.row_count - counted[at * 2],
                samples=tuple(dict.fromkeys(to_chart_value(row[at]) for row in first)),
            )
            for at, (name, dtype) in enumerate(self.columns.items())
        )
        return TableShape(columns, self.row_count, self.name)

    def look_up(self, question: str) -> TableFacts:
        sql, parameters = facts_query(self.shape, question)
        rows = self.run(sql, list(parameters)) if sql else []
        named: list[JsonObject] = [
            dict(zip(("kind", "place", "text"), row, strict=True)) for row in rows
        ]
        return read_facts(self.shape, named)

    def ask(self, question: str) -> AskedChart:
        """The chart of a question, as the analyst makes it without a model."""
        shape, facts = self.shape, self.look_up(question)
        reading = read_question(question, shape, facts)
        language = find_question_language(question, [shape]) or ChartLanguage.EN
        asked = chart_question(reading, shape) or list_open_suggestions(reading, shape)
        ranked = rank_places(reading, asked[0], shape)
        suggestion, rank = ranked or (asked[0], None)
        plan = FilterPlan(self.name, reading.conditions, rank)
        notes = [*explain_rank(reading, ranked, language)]
        notes += explain_reading(reading, shape, suggestion, language)
        where, title, row_filter = plan.write_where(), "", None
        if where:
            names = ("kept", "total", "places", "shown")
            ((*row,),) = self.select(plan.write_count())
            counts = read_counts(dict(zip(names, row, strict=False)))
            if not counts.kept:
                notes += explain_empty(plan, facts, language)
                return AskedChart(reading, where, "", notes, None)
            title = " | ".join(title_filter(plan, counts, language))
            notes += explain_filter(plan, counts, language)
            row_filter = RowFilter(self.name, where, counts.kept)
        chart = compile_chart(suggestion.intent, self, language=language, row_filter=row_filter)
        return AskedChart(reading, where, title, [*notes, *chart.notes], chart)


@cache
def open_table(name: str) -> QuestionTable:
    """One of the tables above, made once."""
    tables = {"sales": SALES, "订单": CHINESE, "movies": MOVIES, "cars": CARS}
    return QuestionTable(name, tables[name])
