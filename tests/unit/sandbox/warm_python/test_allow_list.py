"""Which programs may run where others ran before them."""

import pytest

from yarrow.sandbox.warm_python.allow_list import MAX_LENGTH, parse_allowed

PLAIN = {
    "nothing": "",
    "totals": (
        "import pandas as pd\n"
        "sales = pd.read_parquet('data/sales.parquet')\n"
        "totals = sales.groupby('region', as_index=False)['amount'].sum()\n"
    ),
    "pivot": (
        "import pandas as pd, numpy as np\n"
        "df = pd.read_parquet('data/sales.parquet', columns=['month', 'amount'])\n"
        "df['month'] = pd.to_datetime(df['month'])\n"
        "df['log'] = np.log1p(df['amount'])\n"
        "out = df.pivot_table(index=df['month'].dt.year, values='log', aggfunc='mean')\n"
        "out.columns = ['mean']\n"
        "out.index.name = 'year'\n"
        "out = out.reset_index().sort_values('year').head(10)\n"
    ),
    "functions": (
        "from collections import Counter\n"
        "from datetime import timedelta\n"
        "def share(part, whole=1):\n"
        "    try:\n        return part / whole\n"
        "    except ZeroDivisionError:\n        return None\n"
        "counts = Counter('abca')\n"
        "out = pd.DataFrame([(k, share(n, 4)) for k, n in counts.items()])\n"
        "print(f'{len(out)} rows', sum(counts.values()))\n"
    ),
    "filters": "big = df.query(\"amount > 10 and region == 'north'\")\ndel df['x']\n",
    "chance": "np.random.seed(1)\nx = np.random.default_rng(3).normal(size=9)\n",
    "Chinese names": "表 = pd.DataFrame({'城市': ['北京'], 'style': [1], '_id': [2]})\n",
}

NOT_PLAIN = {
    "a file": "open('x', 'w')",
    "another file": "pd.read_csv('data/x.csv')",
    "a written file": "df.to_csv('x.csv')",
    "a module that does things": "import os",
    "a module by another way": "import numpy.lib as np",
    "a module inside": "x = pd.core",
    "a module as a value": "m = pd\nm.x = 1",
    "a name over a module": "pd = None",
    "all of a module": "from pandas import *",
    "the reader of tables": "from pandas import read_parquet",
    "the reader as a value": "f = pd.read_parquet",
    "a patched method": "pd.DataFrame.sum = lambda self: 5",
    "a patched class": "D = pd.DataFrame\nD.sum = 5",
    "a patch in a loop": "for df.x in [1]: pass",
    "a patch by name": "setattr(pd.DataFrame, 'sum', 5)",
    "an option": "pd.set_option('display.width', 5)",
    "options": "pd.options.mode.copy_on_write = True",
    "how errors are met": "np.seterr(all='raise')",
    "the inside of an object": "().__class__.__bases__",
    "the frame of a generator": "(x for x in []).gi_frame",
    "the interpreter by text": "eval('1')",
    "a query that calls": "df.query('amount.sum() > @pd.x')",
    "a query that is made": "df.query('a' + 'b')",
    "a name of ours": "__read_table__ = None",
    "builtins": "__builtins__",
    "what is looked up": "getattr(df, 'to_' + 'csv')('x')",
    "a class": "class X: pass",
    "a decorator": "@print\ndef f(): pass",
    "with": "with df: pass",
    "what catches the end": "try:\n    pass\nexcept:\n    pass",
    "what catches everything": "try:\n    pass\nexcept BaseException:\n    pass",
    "a global name": "def f():\n    global x\n    x = 1",
    "async": "async def f(): pass",
    "DuckDB": "import duckdb",
    "what is no Python": "def (",
    "what is too deep": "(" * 5000,
    "what is too long": "x = 1\n" * MAX_LENGTH,
    "half a character and a zero": "x = '\0'",
}


@pytest.mark.parametrize("name", PLAIN)
def test_reckoning_with_frames_is_plain(name: str) -> None:
    assert parse_allowed(PLAIN[name]) is not None


@pytest.mark.parametrize("name", NOT_PLAIN)
def test_what_could_leave_something_behind_is_not(name: str) -> None:
    assert parse_allowed(NOT_PLAIN[name]) is None
