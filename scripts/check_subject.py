"""Check a commit message's subject: `area: imperative subject`, at most 72 characters.

Used as a commit-msg hook with the path of the message file; without a path, by `make check`, it
looks at all commits that are not in the upstream branch yet. Whether a word is an imperative is
guessed from its ending, which is right often enough to catch "added", "fixes" and "renaming".
"""

import re
import subprocess
import sys
from pathlib import Path

MAX_LENGTH = 72
SUBJECT = re.compile(r"(?P<area>[a-z][\w./-]*(, [a-z][\w./-]*)*): (?P<text>\S.*)")
MADE_BY_GIT = ("Merge ", "Revert ", "fixup! ", "squash! ", "amend! ")

NOT_VERBS = frozenset(
    {
        *("a", "an", "the", "this", "that", "these", "those", "it", "its", "we", "our", "they"),
        *("what", "who", "when", "where", "how", "why", "there", "here", "now", "also", "only"),
        *("one", "two", "three", "each", "every", "all", "any", "no", "nothing", "some", "more"),
        *("is", "are", "was", "were", "new"),
    }
)
LIKE_A_PARTICIPLE = frozenset({"embed", "exceed", "feed", "need", "proceed", "seed", "shed"})
LIKE_A_GERUND = frozenset({"bring", "ping", "ring", "string", "swing"})
LIKE_THIRD_PERSON = re.compile(r"(ss|us|is|as)$")


def find_fault(subject: str) -> str | None:
    """Return what is wrong with a subject line; None when nothing is."""
    if subject.startswith(MADE_BY_GIT):
        return None
    if len(subject) > MAX_LENGTH:
        return f"{len(subject)} characters, at most {MAX_LENGTH}"
    parts = SUBJECT.fullmatch(subject)
    if parts is None:
        return "expected `area: imperative subject`, for example `runs: settle under a shield`"
    if subject.endswith("."):
        return "a subject has no full stop"
    verb = parts["text"].split()[0].lower()
    if not is_imperative(verb):
        return f"{verb!r} is no imperative: begin with a verb such as add, fix, rename, remove"
    return None


def is_imperative(word: str) -> bool:
    """Guess whether a word can begin an imperative sentence."""
    if word in NOT_VERBS:
        return False
    if word.endswith("ed"):
        return word in LIKE_A_PARTICIPLE
    if word.endswith("ing"):
        return word in LIKE_A_GERUND
    return not word.endswith("s") or LIKE_THIRD_PERSON.search(word) is not None


def read_message(path: Path) -> list[str]:
    """The subject of the commit that is being made, as a list."""
    lines = path.read_text("utf-8").splitlines()
    return [next((line for line in lines if line and not line.startswith("#")), "")]


def read_unpublished(folder: Path) -> list[str]:
    """The subjects of commits that are not upstream; none without git or an upstream branch."""
    command = ("git", "-C", str(folder), "log", "--format=%s", "@{upstream}..HEAD")
    try:
        log = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return log.stdout.splitlines()


def main() -> int:
    paths = sys.argv[1:]
    subjects = read_message(Path(paths[0])) if paths else read_unpublished(Path(__file__).parent)
    faults = {subject: fault for subject in subjects if (fault := find_fault(subject)) is not None}
    for subject, fault in faults.items():
        sys.stderr.write(f"commit subject: {fault}\n  {subject}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
