"""The charts of the gallery: a query over a classic dataset and a chart request each.

`name` is the file and the kind of chart; the titles are English and Chinese.
"""

from msgspec import Struct, field

from yarrow.kit.json import JsonObject

CARS = "SELECT * FROM cars"
MOVIES = "SELECT * FROM movies"
STOCKS = "SELECT * FROM stocks"
GAPMINDER = "SELECT * FROM gapminder"
WEATHER = "SELECT * FROM weather"
FLIGHTS = "SELECT * FROM flights"
WEEKDAYS = "SELECT dayname(date) AS weekday, origin, delay FROM flights"
MONTHS = "SELECT monthname(date) AS month, location, temp_max, precipitation FROM weather"


class Exhibit(Struct, frozen=True):
    """One chart of the gallery."""

    name: str
    titles: tuple[str, str]
    query: str
    chart: str
    encodings: JsonObject
    config: JsonObject = field(default_factory=dict)


EXHIBITS = (
    Exhibit(
        "bar",
        ("Flights by weekday", "各星期航班数"),
        WEEKDAYS,
        "Bar Chart",
        {"x": "weekday"},
    ),
    Exhibit(
        "horizontal-bar",
        ("Films by distributor", "各发行商影片数"),
        MOVIES,
        "horizontal bar",
        {"x": "Distributor", "y": {"aggregate": "count"}},
    ),
    Exhibit(
        "bar-of-days",
        ("Precipitation by day", "每日降水"),
        "SELECT date, precipitation FROM weather WHERE location = 'Seattle'",
        "Bar Chart",
        {"x": "date", "y": "precipitation"},
    ),
    Exhibit(
        "stacked-bar",
        ("Weather by month", "各月天气"),
        "SELECT monthname(date) AS month, weather FROM weather WHERE location = 'Seattle'",
        "Stacked Bar Chart",
        {"x": "month", "color": "weather"},
    ),
    Exhibit(
        "normalised-bar",
        ("Weather by month, share of days", "各月天气占比"),
        "SELECT monthname(date) AS month, weather FROM weather WHERE location = 'Seattle'",
        "Stacked Bar Chart",
        {"x": "month", "color": "weather"},
        {"stack": "normalize"},
    ),
    Exhibit(
        "grouped-bar",
        ("Temperature by month and city", "各月各城市气温"),
        MONTHS,
        "Grouped Bar Chart",
        {"x": "month", "y": "temp_max", "group": "location"},
    ),
    Exhibit(
        "lollipop",
        ("Miles per gallon by cylinders", "各气缸数油耗"),
        CARS,
        "Lollipop Chart",
        {"x": "Miles_per_Gallon", "y": "Cylinders"},
    ),
    Exhibit(
        "pyramid",
        ("Population of the United States, 2000", "2000年美国人口"),
        "SELECT age, if(sex = 1, 'Male', 'Female') AS sex, people FROM population "
        "WHERE year = 2000",
        "Pyramid Chart",
        {"y": "age", "x": "people", "color": "sex"},
    ),
    Exhibit(
        "waterfall",
        ("Change of jobs, month by month", "逐月就业变化"),
        "SELECT strftime(month, '%Y-%m') AS month, nonfarm_change AS change FROM employment "
        "WHERE year(month) BETWEEN 2008 AND 2009",
        "Waterfall Chart",
        {"x": "month", "y": "change"},
    ),
    Exhibit(
        "bar-table",
        ("Gross by genre", "各类型票房"),
        MOVIES,
        "Bar Table",
        {"y": "Major Genre", "x": "Worldwide Gross"},
    ),
    Exhibit(
        "long-labels",
        ("Films with the highest gross", "票房最高的影片"),
        'SELECT Title, "Worldwide Gross" FROM movies ORDER BY 2 DESC NULLS LAST LIMIT 15',
        "Bar Chart",
        {"x": "Title", "y": "Worldwide Gross"},
    ),
    Exhibit(
        "line",
        ("Price of Apple", "苹果股价"),
        "SELECT date, price FROM stocks WHERE symbol = 'AAPL'",
        "Line Chart",
        {"x": "date", "y": "price"},
    ),
    Exhibit(
        "lines",
        ("Prices of five stocks", "五只股票价格"),
        STOCKS,
        "Line Chart",
        {"x": "date", "y": "price", "color": "symbol"},
    ),
    Exhibit(
        "many-lines",
        ("Life expectancy by country", "各国预期寿命"),
        GAPMINDER,
        "Line Chart",
        {"x": "year", "y": "life_expect", "color": "country"},
    ),
    Exhibit(
        "line-by-hour",
        ("Delay by hour", "各时段延误"),
        "SELECT hour(date) AS hour, delay FROM flights",
        "Line Chart",
        {"x": "hour", "y": "delay"},
    ),
    Exhibit(
        "dashed-lines",
        ("Temperature in two cities", "两城气温"),
        MONTHS,
        "Line Chart",
        {"x": "month", "y": "temp_max", "strokeDash": "location"},
    ),
    Exhibit(
        "step-line",
        ("Price of wheat", "小麦价格"),
        "SELECT year::INT AS year, wheat FROM wheat",
        "Line Chart",
        {"x": "year", "y": "wheat"},
        {"interpolate": "step-after"},
    ),
    Exhibit(
        "panels-of-lines",
        ("Prices of five stocks, in panels", "五只股票分图"),
        STOCKS,
        "Line Chart",
        {"x": "date", "y": "price", "facet": "symbol"},
    ),
    Exhibit(
        "area",
        ("Global temperature", "全球气温"),
        "SELECT * FROM global_temp",
        "Area Chart",
        {"x": "year", "y": "temp"},
    ),
    Exhibit(
        "stacked-area",
        ("Unemployment by industry", "各行业失业人数"),
        "SELECT * FROM unemployment",
        "Area Chart",
        {"x": "date", "y": {"field": "count", "aggregate": "sum"}, "color": "series"},
    ),
    Exhibit(
        "normalised-area",
        ("Unemployment by industry, share", "各行业失业占比"),
        "SELECT * FROM unemployment",
        "Area Chart",
        {"x": "date", "y": {"field": "count", "aggregate": "sum"}, "color": "series"},
        {"stack": "normalize"},
    ),
    Exhibit(
        "streamgraph",
        ("Unemployment by industry, as a stream", "失业人数河流图"),
        "SELECT * FROM unemployment",
        "Streamgraph",
        {"x": "date", "y": {"field": "count", "aggregate": "sum"}, "color": "series"},
    ),
    Exhibit(
        "bump",
        ("Ranks of stocks by price", "股价排名"),
        "SELECT year(date) AS year, symbol, price FROM stocks",
        "Bump Chart",
        {"x": "year", "y": "price", "color": "symbol"},
    ),
    Exhibit(
        "candlestick",
        ("Prices of a summer", "一个夏天的价格"),
        "SELECT * FROM ohlc",
        "Candlestick Chart",
        {"x": "date", "open": "open", "high": "high", "low": "low", "close": "close"},
    ),
    Exhibit(
        "scatter",
        ("Horsepower and miles per gallon", "马力与油耗"),
        CARS,
        "Scatter Plot",
        {"x": "Horsepower", "y": "Miles_per_Gallon", "color": "Origin"},
    ),
    Exhibit(
        "bubbles",
        ("Income and health of nations", "各国收入与健康"),
        "SELECT * FROM health",
        "bubble",
        {"x": "income", "y": "health", "size": "population", "color": "region"},
    ),
    Exhibit(
        "year-as-colour",
        ("Fertility and life expectancy", "生育率与预期寿命"),
        GAPMINDER,
        "Scatter Plot",
        {"x": "fertility", "y": "life_expect", "color": "year"},
    ),
    Exhibit(
        "regression",
        ("Weight and acceleration", "重量与加速"),
        CARS,
        "Regression",
        {"x": "Weight_in_lbs", "y": "Acceleration"},
    ),
    Exhibit(
        "panels-of-dots",
        ("Weight and horsepower by origin", "各产地重量与马力"),
        CARS,
        "Scatter Plot",
        {"x": "Weight_in_lbs", "y": "Horsepower", "facet": "Origin"},
    ),
    Exhibit(
        "strip",
        ("Miles per gallon by origin", "各产地油耗"),
        CARS,
        "Strip Plot",
        {"x": "Origin", "y": "Miles_per_Gallon"},
    ),
    Exhibit(
        "ranged-dots",
        ("Life expectancy, 1955 and 2000", "1955与2000年预期寿命"),
        "SELECT * FROM gapminder WHERE year IN (1955, 2000) AND country IN "
        "('China', 'India', 'United States', 'Indonesia', 'Brazil', 'Japan', 'Nigeria')",
        "Ranged Dot Plot",
        {"y": "country", "x": "life_expect", "color": "year"},
    ),
    Exhibit(
        "histogram",
        ("Ratings of films", "影片评分"),
        MOVIES,
        "Histogram",
        {"x": "IMDB Rating"},
    ),
    Exhibit(
        "density",
        ("Horsepower by origin", "各产地马力"),
        CARS,
        "Density Plot",
        {"x": "Horsepower", "color": "Origin"},
    ),
    Exhibit(
        "boxplot",
        ("Running time by genre", "各类型片长"),
        MOVIES,
        "Boxplot",
        {"x": "Major Genre", "y": "Running Time min"},
    ),
    Exhibit(
        "heatmap",
        ("Delay by weekday and hour", "各星期各时段延误"),
        "SELECT dayname(date) AS weekday, hour(date) AS hour, delay FROM flights",
        "Heatmap",
        {"x": "hour", "y": "weekday", "color": "delay"},
    ),
    Exhibit(
        "pie",
        ("Films by genre", "影片类型"),
        MOVIES,
        "Pie Chart",
        {"color": "Major Genre"},
    ),
    Exhibit(
        "donut",
        ("Weather in Seattle", "西雅图天气"),
        "SELECT weather FROM weather WHERE location = 'Seattle'",
        "donut",
        {"color": "weather"},
        {"innerRadius": 60},
    ),
    Exhibit(
        "rose",
        ("Precipitation by month", "各月降水"),
        MONTHS,
        "Rose Chart",
        {"x": "month", "y": "precipitation"},
    ),
    Exhibit(
        "radar",
        ("Cars by origin", "各产地汽车"),
        "UNPIVOT (SELECT Origin, avg(Horsepower) AS horsepower, avg(Miles_per_Gallon) AS mileage, "
        "avg(Acceleration) AS acceleration, avg(Displacement) AS displacement, "
        "avg(Weight_in_lbs) AS weight FROM cars GROUP BY 1) ON * EXCLUDE (Origin) "
        "INTO NAME measure VALUE value",
        "Radar Chart",
        {"x": "measure", "y": "value", "color": "Origin"},
    ),
    Exhibit(
        "cards",
        ("Films in numbers", "影片概况"),
        "SELECT unnest(['Films', 'Gross', 'Rating']) AS metric, unnest([count(*), "
        'sum("Worldwide Gross"), avg("IMDB Rating")]) AS value FROM movies',
        "KPI Card",
        {"metric": "metric", "value": "value"},
    ),
    Exhibit(
        "world-map",
        ("Strong earthquakes of a week", "一周强震"),
        "SELECT * FROM earthquakes WHERE magnitude >= 4",
        "World Map",
        {"longitude": "longitude", "latitude": "latitude", "size": "magnitude"},
    ),
    Exhibit(
        "us-map",
        ("Delay by airport", "各机场延误"),
        "SELECT a.longitude, a.latitude, count(*) AS flights, avg(f.delay) AS delay "
        "FROM flights f JOIN airports a ON f.origin = a.iata GROUP BY 1, 2",
        "US Map",
        {"longitude": "longitude", "latitude": "latitude", "size": "flights", "color": "delay"},
    ),
)
