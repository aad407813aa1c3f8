"""Build the vendored files of the pages from the packages that `package-lock.json` pins.

`preact.js` is Preact, htm and signals as one module. `checksums.txt` is what a test compares with.
"""

import hashlib
import shutil
import subprocess
import sys

from scripts.web.check import HERE, STATIC, install_tools

MODULES = HERE / "node_modules"
VENDOR = STATIC / "vendor"
FONT = "@fontsource-variable/source-serif-4"
PACKAGES = ("preact", "htm", "@preact/signals", "@preact/signals-core", FONT)


def bundle() -> None:
    options = ("--bundle", "--format=esm", "--minify", "--target=es2022", "--log-level=warning")
    output = f"--outfile={VENDOR / 'preact.js'}"
    command = [str(MODULES / ".bin" / "esbuild"), str(HERE / "entry.js"), *options, output]
    subprocess.run(command, cwd=HERE, check=True)


def write_licences() -> None:
    texts = [f"{name}\n\n{(MODULES / name / 'LICENSE').read_text().strip()}\n" for name in PACKAGES]
    (VENDOR / "LICENCES.txt").write_text(f"\n{'=' * 80}\n\n".join(texts))


def write_checksums() -> None:
    names = ("preact.js", "source-serif-4.woff2")
    lines = [
        f"{hashlib.sha256((VENDOR / name).read_bytes()).hexdigest()}  {name}" for name in names
    ]
    (VENDOR / "checksums.txt").write_text("\n".join(lines) + "\n")


def main() -> int:
    if reason := install_tools():
        print(reason, file=sys.stderr)
        return 1
    bundle()
    font = MODULES / FONT / "files" / "source-serif-4-latin-wght-normal.woff2"
    shutil.copyfile(font, VENDOR / "source-serif-4.woff2")
    write_licences()
    write_checksums()
    return 0


if __name__ == "__main__":
    sys.exit(main())
