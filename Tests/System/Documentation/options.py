"""Options of Anechoic's commands that pages mention."""

import json
import re
import subprocess
from pathlib import Path

from commands import joined

PROGRAMS = ["anechoic", "anechoic-server", "anechoic-edge", "anechoic-bridge"]


class Options:
    """The options of the programs, from their own help."""

    def __init__(self, programs: Path):
        self.commands = {}
        for name in PROGRAMS:
            if (programs / name).exists():
                dump = subprocess.run(
                    [programs / name, "--experimental-dump-help"], capture_output=True, check=True)
                self.commands[name] = json.loads(dump.stdout)["command"]

    def problems(self, text: str) -> list[str]:
        """The options and subcommands in a text that do not exist."""
        found = []
        text = re.sub(r"'[^']*'|\"[^\"]*\"", "VALUE", joined(text))
        for part in re.split(r"[\n|;&()]", text):
            words = part.split()
            while words and re.match(r"\w+=", words[0]):
                words.pop(0)
            if words and words[0].rpartition("/")[2] in self.commands:
                found += self.problems_of(words[0].rpartition("/")[2], words[1:])
        return found

    def problems_of(self, program: str, words: list[str]) -> list[str]:
        command, path = self.commands[program], [program]
        while words:
            inner = next((one for one in command.get("subcommands", [])
                          if one["commandName"] == words[0]), None)
            if not inner:
                break
            command, words = inner, words[1:]
            path.append(inner["commandName"])
        accepted = self.names(command)
        for one in command.get("subcommands", []):
            if one["commandName"] == command.get("defaultSubcommand"):
                accepted |= self.names(one)
        found = []
        if (words and command.get("subcommands") and not command.get("defaultSubcommand")
                and re.fullmatch(r"[a-z][a-z-]+", words[0]) and not command.get("arguments")):
            found.append(f"{' '.join(path)} has no command {words[0]}")
        for word in words:
            if word in (">", "2>&1", "<", "#"):
                break
            if match := re.match(r"--?[a-z][a-z-]*", word):
                if match[0] not in accepted:
                    found.append(f"{' '.join(path)} has no option {match[0]}")
        return found

    @staticmethod
    def names(command: dict) -> set[str]:
        result = {"--help", "-h", "--version"}
        for argument in command.get("arguments", []):
            for name in argument.get("names", []):
                result.add(("--" if name["kind"] == "long" else "-") + name["name"])
        return result
