"""The datasets of the gallery as tables in DuckDB, from the npm package `vega-datasets`."""

import subprocess
from pathlib import Path

import duckdb
from scripts.web.check import find_npm

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
DATA = MODULES / "vega-datasets" / "data"
INSTALLED = MODULES / ".installed-lock"

STOCK_DATE = "strptime(date, '%b %-d %Y')::DATE AS date"
TABLES = {
    "cars": "FROM read_json('{}/cars.json')",
    "movies": "SELECT * REPLACE (Title->>'$' AS Title) FROM read_json('{}/movies.json')",
    "stocks": f"SELECT symbol, {STOCK_DATE}, price FROM read_csv('{{}}/stocks.csv')",
    "gapminder": "FROM read_json('{}/gapminder.json')",
    "health": "FROM read_csv('{}/gapminder-health-income.csv')",
    "weather": "FROM read_csv('{}/weather.csv')",
    "flights": "SELECT strptime(date, '%Y/%m/%d %H:%M') AS date, delay, distance, origin, "
    "destination FROM read_json('{}/flights-5k.json', columns = {{date: 'VARCHAR', "
    "delay: 'BIGINT', distance: 'BIGINT', origin: 'VARCHAR', destination: 'VARCHAR'}})",
    "airports": "FROM read_csv('{}/airports.csv')",
    "population": "FROM read_json('{}/population.json')",
    "employment": "FROM read_csv('{}/us-employment.csv')",
    "unemployment": "SELECT series, date::DATE AS date, count FROM "
    "read_json('{}/unemployment-across-industries.json')",
    "ohlc": "FROM read_json('{}/ohlc.json')",
    "wheat": "FROM read_json('{}/wheat.json')",
    "global_temp": "FROM read_csv('{}/global-temp.csv')",
    "earthquakes": "SELECT f.properties.mag AS magnitude, f.geometry.coordinates[1] AS longitude, "
    "f.geometry.coordinates[2] AS latitude FROM (SELECT unnest(features) AS f FROM "
    "read_json('{}/earthquakes.json', maximum_object_size = 20000000))",
}


def install_packages() -> None:
    """Install what the lock names; the data is 90 MB, and only this script uses it."""
    lock = (HERE / "package-lock.json").read_text()
    if INSTALLED.exists() and INSTALLED.read_text() == lock:
        return
    command = [*find_npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    subprocess.run(command, cwd=HERE, check=True)
    INSTALLED.write_text(lock)


def open_datasets() -> duckdb.DuckDBPyConnection:
    """All tables in one database."""
    database = duckdb.connect()
    for name, query in TABLES.items():
        database.execute(f"CREATE TABLE {name} AS {query.format(DATA)}")
    return database
