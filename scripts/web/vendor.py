"""Build the vendored files of the pages from the packages that the `package-lock.json` files pin.

`preact.js` is Preact, htm and signals as one module; `vega.js` is Vega with its interpreter and
Vega-Lite, which only an opened chart loads. `checksums.txt` is what a test compares with.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.web.check import HERE, STATIC, install_tools

CHARTS = HERE / "charts"
VENDOR = STATIC / "vendor"
FONT = "@fontsource-variable/source-serif-4"
FILES = ("preact.js", "source-serif-4.woff2", "vega.js")


def bundle(folder: Path, name: str) -> set[Path]:
    """Bundle a folder's `entry.js`; returns the folders of the packages that are in it."""
    options = ("--bundle", "--format=esm", "--minify", "--target=es2022", "--log-level=warning")
    with tempfile.NamedTemporaryFile() as facts:
        outputs = (f"--outfile={VENDOR / name}", f"--metafile={facts.name}")
        esbuild = str(HERE / "node_modules" / ".bin" / "esbuild")
        subprocess.run([esbuild, "entry.js", *options, *outputs], cwd=folder, check=True)
        inputs = json.loads(Path(facts.name).read_text())["inputs"]
    return {_find_package(folder / path) for path in inputs if "node_modules" in path}


def _find_package(path: Path) -> Path:
    return next(
        folder
        for folder in path.parents
        if folder.parent.name == "node_modules" or folder.parent.name.startswith("@")
    )


def write_licences(packages: set[Path]) -> None:
    """Write each licence once, below the names of its packages."""
    names_by_text: dict[str, list[str]] = {}
    for package in sorted(packages):
        text = next(package.glob("LICENSE*")).read_text().strip()
        names_by_text.setdefault(text, []).append(str(package).rpartition("node_modules/")[2])
    parts = [f"{', '.join(names)}\n\n{text}\n" for text, names in names_by_text.items()]
    (VENDOR / "LICENCES.txt").write_text(f"\n{'=' * 80}\n\n".join(parts))


def write_checksums() -> None:
    lines = [
        f"{hashlib.sha256((VENDOR / name).read_bytes()).hexdigest()}  {name}" for name in FILES
    ]
    (VENDOR / "checksums.txt").write_text("\n".join(lines) + "\n")


def main() -> int:
    if reason := install_tools() or install_tools(CHARTS):
        print(reason, file=sys.stderr)
        return 1
    packages = bundle(HERE, "preact.js") | bundle(CHARTS, "vega.js")
    font = HERE / "node_modules" / FONT
    shutil.copyfile(
        font / "files" / "source-serif-4-latin-wght-normal.woff2", VENDOR / "source-serif-4.woff2"
    )
    write_licences(packages | {font})
    write_checksums()
    return 0


if __name__ == "__main__":
    sys.exit(main())
