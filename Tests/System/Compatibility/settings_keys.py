"""The keys of the settings, with their flags and variables, as the tables of the references have them.

Run with a file, writes them there; with --compare, tells what a configuration that was written for the stored keys can no
longer rely on. Keys may be added, and a key may become reloadable.
"""

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[3]
TABLES = {
    "anechoic-server": "docs/reference/configuration.md",
    "anechoic-edge": "docs/reference/edge.md",
}


def rows(page):
    """The rows of the table of settings in a page: the names of the columns, and the cells."""
    lines = iter((PACKAGE / page).read_text().splitlines())
    header = next(line for line in lines if line.startswith("| key | flag |"))
    columns = [cell.strip() for cell in header.strip("|").split("|")]
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        cells = re.split(r"(?<!\\)\|", line)[1:-1]
        yield dict(zip(columns, (cell.strip().strip("`") for cell in cells)))


def settings():
    """Lines of program, key, flag, variable, and whether the program reads the key again while it runs, with tabs.

    Lines without a key are options alone.
    """
    return [
        "\t".join([program, row["key"], row["flag"], row["environment"], row.get("reloadable", "")])
        for program, page in TABLES.items() for row in rows(page)]


def breaks(before, now):
    """What a configuration can no longer rely on."""
    present = {}
    for line in now:
        program, key, *promises = line.split("\t")
        present[program, key or promises[0]] = promises
    for line in before:
        program, key, *promised = line.split("\t")
        key = key or promised[0]
        found = present.get((program, key))
        if found is None:
            yield f"{program} has no setting {key}"
            continue
        for name, old, new in zip(("flag", "variable", "answer to a reload"), promised, found):
            if old != new and (name, new) != ("answer to a reload", "yes"):
                yield f"{program}: the {name} of {key} was {old} and is {new}"


def main():
    path = Path(sys.argv[-1])
    if "--compare" not in sys.argv:
        path.write_text("".join(f"{line}\n" for line in settings()))
        return
    problems = list(breaks(path.read_text().splitlines(), settings()))
    for problem in problems:
        print(f"test compatibility: {problem}", file=sys.stderr)
    sys.exit(2 if problems else 0)


if __name__ == "__main__":
    main()
