"""Checks that each commit that a page names is in the history: a figure of a lost commit cannot be compared."""

import re
import subprocess
import sys
from pathlib import Path

# The first digits of a commit: 7 to 12 hexadecimal digits, among them a letter and a figure.
COMMIT = re.compile(r"(?<![\w/.#-])(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,12}(?![\w-]|\.\w)")


def git(root: Path, *arguments: str) -> list[str]:
    result = subprocess.run(["git", "-C", root, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return result.stdout.split()


def problems(root: Path) -> list[str]:
    """A line for each commit that is not in the history; none without a whole history."""
    if git(root, "rev-parse", "--is-shallow-repository") != ["false"]:
        return []
    history = {commit[:7] for commit in git(root, "rev-list", "HEAD")}
    found = []
    for name in git(root, "ls-files", "*.md"):
        for number, line in enumerate((root / name).read_text().splitlines(), start=1):
            found += [f"{name}:{number}: the commit {commit} is not in the history"
                      for commit in COMMIT.findall(line) if commit[:7] not in history]
    return found


if __name__ == "__main__":
    lost = problems(Path(__file__).resolve().parents[3])
    print("\n".join(lost) or "ok")
    sys.exit(1 if lost else 0)
