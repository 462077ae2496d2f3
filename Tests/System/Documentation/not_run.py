"""The table not-run.toml: commands that are not run, or run in another form, and what pages expect."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from commands import joined


@dataclass
class Entry:
    """Commands that begin with a text. `instead` replaces this text; without it they are not run."""

    begins: str
    reason: str
    instead: str | None = None
    count: int = 0


class Table:
    def __init__(self, path: Path):
        content = tomllib.loads(path.read_text())
        self.entries = [Entry(**entry) for entry in content["command"]]
        # The programs that a page expects to run: "server", or "call" for a server and the call call-1.
        self.needs: dict[str, str] = content["needs"]

    def entry(self, command: str) -> Entry | None:
        """Returns the first entry that says that a command is not run."""
        return self.found(command, lambda entry: entry.instead is None)

    def replaced(self, command: str) -> str:
        """Returns a command as it is run here."""
        entry = self.found(command, lambda entry: entry.instead is not None)
        return entry.instead + command[len(entry.begins):] if entry else command

    def found(self, command: str, condition) -> Entry | None:
        line = joined(command.strip())
        for entry in self.entries:
            if condition(entry) and line.startswith(entry.begins):
                entry.count += 1
                return entry
        return None

    def problems(self, root: Path) -> list[str]:
        """Entries that no page needs."""
        return [
            f"not-run.toml: no page has a command that begins with: {entry.begins}"
            for entry in self.entries if not entry.count
        ] + [f"not-run.toml: there is no page {name}"
             for name in self.needs if not (root / name).exists()]
