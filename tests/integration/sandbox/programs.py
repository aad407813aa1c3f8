"""Programs that mean harm, by what they try."""
# ruff: noqa: E501

REFUSED = {
    "read a file of the host": "print(open('/etc/passwd').read())",
    "read through os.open": "import os; print(os.read(os.open('{secret}', os.O_RDONLY), 99))",
    "list the host's root home": "import os; print(os.listdir('/root/.ssh'))",
    "see the tables of all": "import os; assert os.listdir('/datasets'), 'empty'",
    "read another account's table": "import pandas; print(pandas.read_parquet('{others}'))",
    "read another's table by a way up": "open('data/../../datasets/{other_name}')",
    "read another's table in the folder of all": "print(open('/datasets/{other_name}', 'rb').read())",
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

ENDLESS = {
    "loop": "while True: pass",
    "sleep": "import time; time.sleep(600)",
    "ignore signals and loop": "import signal\nfor s in range(1, 32):\n  try: signal.signal(s, signal.SIG_IGN)\n  except (OSError, ValueError): pass\nwhile True: pass",
    "hang in C": "import re; re.match(r'(a+)+$', 'a' * 64 + 'b')",
}

ENDED = {
    "leave at once": "import os; os._exit(0)",
    "kill itself": "import os; os.abort()",
    "kill the first process": "import ctypes; ctypes.string_at(0)",
    "talk nonsense to the server": "import os; os.write(3, b'\\xff' * 100)\nos._exit(0)",
    "answer what is no text": 'import os; m = b\'{"type":"PythonResponse","stdout":"\\xff"}\'\nos.write(3, len(m).to_bytes(4, \'big\') + m)\nwhile True: pass',
    "answer in endless brackets": "import os; m = b'{\"type\":\"PythonResponse\",\"x\":' + b'[' * 9000 + b']' * 9000 + b'}'\nos.write(3, len(m).to_bytes(4, 'big') + m)\nwhile True: pass",
    "promise too much": "import os; os.write(3, (2**31).to_bytes(4, 'big'))\nwhile True: pass",
    "close the way back": "import os; os.closerange(0, 100)\nwhile True: pass",
}
