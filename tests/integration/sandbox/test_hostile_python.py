"""Programs that mean harm: each fails, and the sandbox goes on working."""

import os
import socket
import time

import pytest
from tests.integration.sandbox.conftest import SHORT, Box

HONEST = "import pandas as pd\ntotal = pd.read_parquet('data/sales.parquet')[['amount']].sum().to_frame()"

REFUSED = {
    "read a file of the host": "print(open('/etc/passwd').read())",
    "read through os.open": "import os; print(os.read(os.open('{secret}', os.O_RDONLY), 99))",
    "list the host's root home": "import os; print(os.listdir('/root/.ssh'))",
    "see the tables of all": "import os; assert os.listdir('/datasets'), 'empty'",
    "read another account's table": "import pandas; print(pandas.read_parquet('{others}'))",
    "read another's table by a way up": "open('data/../../datasets/{other_name}')",
    "read it with DuckDB": "import duckdb; print(duckdb.sql(\"FROM '{others}'\"))",
    "read a host file with DuckDB": "import duckdb; assert duckdb.sql(\"FROM read_text('/etc/passwd')\").fetchall(), 'none'",
    "write with DuckDB": "import duckdb; duckdb.sql(\"COPY (SELECT 1) TO '/usr/lib/x.csv'\")",
    "write over a table": "open('data/sales.parquet', 'wb')",
    "remove a table": "import os; os.remove('data/sales.parquet')",
    "make a folder outside": "import os; os.mkdir('/usr/lib/mine')",
    "make a file in the root": "open('/mine', 'w')",
    "remove a library": "import os, numpy; os.remove(numpy.__file__)",
    "follow a link out of the scratch": "import os; os.symlink('/etc/passwd', 'l'); print(open('l').read())",
    "read the environment of the server": "print(open('/proc/self/environ').read())",
    "read the first process": "print(open('/proc/1/cmdline').read())",
    "mount proc": "import ctypes; l = ctypes.CDLL(None, use_errno=True); assert l.mount(b'proc', b'/job', b'proc', 0, None) == 0, ctypes.get_errno()",
    "get new namespaces": "import ctypes; assert ctypes.CDLL(None).unshare(0x10000000) == 0, 'denied'",
    "trace another process": "import ctypes; assert ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0, 'denied'",
    "fork": "import os; os.fork()",
    "start a program": "import subprocess; subprocess.run(['/bin/sh', '-c', 'id'])",
    "os.system": "import os; assert os.system('id') == 0, 'denied'",
    "exec": "import os; os.execv('/usr/bin/id', ['id'])",
    "open a socket": "import socket; socket.create_connection(('127.0.0.1', {port}), 1)",
    "fetch a page": "import urllib.request; urllib.request.urlopen('http://127.0.0.1:{port}', timeout=1)",
    "become root": "import os; os.setuid(0) if os.getuid() else os.setuid(1)",
    "use all memory": "x = bytearray(3 * 1024 ** 3)",
    "use all memory with numpy": "import numpy as np; x = np.ones(3 * 1024 ** 3 // 8)",
    "write ten gigabytes": "f = open('big', 'wb')\nfor _ in range(10_240): f.write(bytes(1024 ** 2))",
    "raise the limits": "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    "leave": "import sys; sys.exit(3)",
    "raise what nobody catches": "raise BaseException('mine')",
    "break the syntax": "def (",
    "recurse": "f = lambda: f()\nf()",
}

ENDED = {
    "loop": "while True: pass",
    "sleep": "import time; time.sleep(600)",
    "ignore signals and loop": "import signal\nfor s in range(1, 32):\n  try: signal.signal(s, signal.SIG_IGN)\n  except (OSError, ValueError): pass\nwhile True: pass",
    "hang in C": "import re; re.match(r'(a+)+$', 'a' * 64 + 'b')",
    "leave at once": "import os; os._exit(0)",
    "kill itself": "import os; os.abort()",
    "kill the first process": "import ctypes; ctypes.string_at(0)",
    "talk nonsense to the server": "import os; os.write(3, b'\\xff' * 100)\nos._exit(0)",
    "promise too much": "import os; os.write(3, (2**31).to_bytes(4, 'big'))\nwhile True: pass",
    "close the way back": "import os; os.closerange(0, 100)\nwhile True: pass",
}


async def assert_works(box: Box) -> None:
    result = await box.sandbox.run_python(HONEST, box.tables, SHORT, output_variable="total")
    assert result.error is None
    assert result.output is not None
    assert list(result.output.first.rows[0].values()) == [42]


@pytest.mark.parametrize("name", REFUSED)
async def test_what_is_out_of_bounds_fails_as_an_error_of_the_code(
    name: str, python_box: Box
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        code = REFUSED[name]
        for key, value in {
            "secret": python_box.secret,
            "others": python_box.others,
            "other_name": python_box.others.name,
            "port": listener.getsockname()[1],
        }.items():
            code = code.replace(f"{{{key}}}", str(value))
        result = await python_box.sandbox.run_python(code, python_box.tables, SHORT)

    assert result.error is not None
    assert "private" not in result.stdout
    assert "root:" not in result.stdout
    assert str(python_box.sandbox.folder) not in result.error


@pytest.mark.parametrize("name", ENDED)
async def test_what_does_not_end_is_ended(name: str, python_box: Box) -> None:
    began = time.monotonic()

    result = await python_box.sandbox.run_python(ENDED[name], python_box.tables, SHORT)

    assert result.error is not None
    assert not result.alive
    assert time.monotonic() - began < SHORT.seconds + 2
    await assert_works(python_box)


async def test_the_sandbox_works_after_all_of_them(python_box: Box) -> None:
    for code in REFUSED.values():
        await python_box.sandbox.run_python(code, python_box.tables, SHORT)

    await assert_works(python_box)


async def test_a_fork_bomb_makes_no_process(python_box: Box) -> None:
    bomb = "import os\nn = 0\nwhile n < 1000:\n  try: os.fork()\n  except OSError: n += 1\nprint(n)"

    result = await python_box.sandbox.run_python(bomb, python_box.tables, SHORT)

    assert (result.stdout, result.error) == ("1000\n", None)


async def test_a_job_sees_no_process_but_itself(python_box: Box) -> None:
    code = (
        "import os, signal\nprint(os.getpid(), os.getppid())\n"
        "for p in (0, 2, 3, 4, 5, 99):\n"
        "  if p:\n    try: os.kill(p, 0); print('saw', p)\n    except ProcessLookupError: pass"
    )

    result = await python_box.sandbox.run_python(code, python_box.tables, SHORT)

    assert result.stdout == "1 0\n"


async def test_signals_to_everybody_reach_nobody_else(python_box: Box) -> None:
    code = "import os, signal\ntry: os.kill(-1, signal.SIGKILL)\nexcept OSError as e: print(e)"

    await python_box.sandbox.run_python(code, python_box.tables, SHORT)

    await assert_works(python_box)


async def test_a_job_holds_one_descriptor_that_is_its_own(python_box: Box) -> None:
    code = (
        "import os\nopen_ones = []\n"
        "for fd in range(4096):\n"
        "  try: os.fstat(fd); open_ones.append(fd)\n  except OSError: pass\nprint(open_ones)"
    )

    result = await python_box.sandbox.run_python(code, python_box.tables, SHORT)

    assert result.stdout == "[0, 1, 2, 3]\n"


async def test_the_environment_is_bare(python_box: Box) -> None:
    os.environ["YARROW_TEST_SECRET"] = "swordfish"
    code = "import os\nprint([k for k in os.environ if 'YARROW' in k or 'SECRET' in k])"

    result = await python_box.sandbox.run_python(code, python_box.tables, SHORT)

    del os.environ["YARROW_TEST_SECRET"]
    assert result.stdout == "[]\n"


async def test_a_job_has_no_capabilities_and_cannot_get_any(python_box: Box) -> None:
    code = (
        "import ctypes\nl = ctypes.CDLL(None)\nh = (ctypes.c_uint32 * 2)(0x20080522, 0)\n"
        "d = (ctypes.c_uint32 * 6)()\nl.capget(h, d)\nprint(list(d), l.prctl(39, 0, 0, 0, 0))"
    )

    result = await python_box.sandbox.run_python(code, python_box.tables, SHORT)

    assert result.stdout == "[0, 0, 0, 0, 0, 0] 1\n"


async def test_one_job_does_not_see_what_another_wrote(python_box: Box) -> None:
    async with python_box.sandbox.python_session(python_box.tables, SHORT) as session:
        await session.run("open('note', 'w').write('mine')")
        other = await python_box.sandbox.run_python("open('note')", python_box.tables, SHORT)
        same = await session.run("print(open('note').read())")

    assert "FileNotFoundError" in (other.error or "")
    assert same.stdout == "mine\n"


async def test_a_gigabyte_of_output_is_cut(python_box: Box) -> None:
    code = "for _ in range(1024): print('x' * 1024 ** 2)"

    result = await python_box.sandbox.run_python(code, python_box.tables, SHORT)

    assert result.error is None
    assert len(result.stdout) < SHORT.stdout_chars + 100


async def test_a_crafted_pickle_stays_data(python_box: Box) -> None:
    """What comes back is text and Parquet: an object that would run code is shown as words."""
    code = (
        "import os, pandas as pd\n"
        "class Evil:\n"
        "  def __reduce__(self): return (os.system, ('touch /tmp/pwned',))\n"
        "  def __str__(self): return 'evil'\n"
        "df = pd.DataFrame({'x': [Evil(), 1]})"
    )

    result = await python_box.sandbox.run_python(code, {}, SHORT, output_variable="df")

    assert result.output is not None
    assert result.output.first.rows == [{"x": "evil"}, {"x": "1"}]


async def test_a_huge_frame_is_refused(python_box: Box) -> None:
    code = "import numpy as np, pandas as pd\ndf = pd.DataFrame({'x': np.random.rand(40_000_000)})"

    result = await python_box.sandbox.run_python(code, {}, SHORT, output_variable="df")

    assert result.error is not None
    assert result.output is None
    await assert_works(python_box)
