"""Commands in the blocks of a page."""

import re
import shutil
import subprocess
from pathlib import Path

SHELL_WORDS = {"cd", "export", "for", "if", "while", "until", "kill", "source", "wait"}

# Programs that a page may call although this machine does not have them.
PROGRAMS = {"anechoic", "anechoic-server", "anechoic-edge", "anechoic-bridge"}

# Commands that run until Ctrl-C.
ENDLESS = re.compile(
    r"anechoic-server (?!check-config|healthcheck|measure|-)|anechoic-server( --(?!version|help)|$)|--loop\b"
    r"|anechoic sessions watch|steer\.py .*\bwatch\b|anechoic-edge run(?!.*--check)"
    r"|anechoic-bridge (audiosocket|realtime|media-streams)(?!.*--help)|status --watch|curl .*--no-buffer"
)


def is_commands(text: str, root: Path) -> bool:
    """Whether the first word of a block is a command."""
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    if not lines:
        return False
    first = lines[0].strip()
    if re.match(r"\w+=(?!=)|\w+\(\) \{|\(\w", first):
        return True
    word = first.split()[0]
    if "/" in word:
        return word.startswith(("./", ".build/", "scripts/", "examples/", "/usr/")) or (
            re.fullmatch(r"[\w./-]+", word) is not None and (root / word).is_file())
    if not re.fullmatch(r"[a-z][\w.+-]*", word) or is_output(first):
        return False
    return word in SHELL_WORDS | PROGRAMS or shutil.which(word) is not None


def is_output(line: str) -> bool:
    """Whether a line that begins with the name of a program is output all the same: a version, or
    "echo reduction  30.2 dB"."""
    return re.match(r"[\w-]+ \d+\.\d+\.\d+|echo reduction ", line) is not None


def split(text: str) -> list[str]:
    """The commands of a block, with their continuation lines."""
    result: list[str] = []
    waiting: list[str] = []
    for line in text.rstrip("\n").split("\n"):
        if not waiting and (not line.strip() or line.startswith("#")):
            continue
        waiting.append(line)
        if is_complete("\n".join(waiting)):
            result.append("\n".join(waiting))
            waiting = []
    return result + (["\n".join(waiting)] if waiting else [])


def is_complete(text: str) -> bool:
    if text.endswith("\\"):
        return False
    check = subprocess.run(["bash", "-n"], input=text + "\n", capture_output=True, text=True)
    return check.returncode == 0 and not check.stderr


def is_endless(command: str) -> bool:
    """Whether a command runs until Ctrl-C, in front of the reader's shell."""
    return not command.rstrip().endswith("&") and ENDLESS.search(joined(command)) is not None


def joined(command: str) -> str:
    """A command on one line."""
    return re.sub(r"\s*\\\n\s*", " ", command)
