"""Compares the reasons of docs/reference/errors.md with the reasons in the sources, in both directions."""

import re
import sys
from pathlib import Path

PAGE = "docs/reference/errors.md"
# A row of the page, such as "| START_TIMEOUT * | DEADLINE_EXCEEDED | ...".
ROW = re.compile(r"^\| ([A-Z]+(?:_[A-Z]+)*)(?: \*)? \|", re.MULTILINE)
# An argument such as reason: "IDLE", or reason: isUnknown ? "UNSUPPORTED" : "INVALID_FIELD".
ARGUMENT = re.compile(r'\breason: (?:[^",\n]* \? )?"([A-Z_]+)"(?: : "([A-Z_]+)")?')


def in_sources(root: Path) -> dict[str, str]:
    """Each reason that the sources give to a status, and the first file that does."""
    found: dict[str, str] = {}
    for path in sorted((root / "Sources").rglob("*.swift")):
        for match in ARGUMENT.finditer(path.read_text()):
            for reason in filter(None, match.groups()):
                found.setdefault(reason, str(path.relative_to(root)))
    return found


def problems(root: Path) -> list[str]:
    listed = set(ROW.findall((root / PAGE).read_text()))
    given = in_sources(root)
    found = [f"{PAGE}: {reason} is in the table, but no source has it" for reason in sorted(listed - given.keys())]
    return found + [f"{PAGE}: {reason} of {path} is missing" for reason, path in given.items() if reason not in listed]


if __name__ == "__main__":
    missing = problems(Path(__file__).resolve().parents[3])
    print("\n".join(missing) or "ok")
    sys.exit(1 if missing else 0)
