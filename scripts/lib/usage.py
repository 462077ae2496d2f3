"""The arguments of the scripts in Python."""

from __future__ import annotations

import argparse
import math
import shutil
from pathlib import Path
from typing import Callable, NoReturn

WRONG_USAGE, UNUSABLE = 64, 2


class Arguments(argparse.ArgumentParser):
    """A parser of arguments. Wrong usage ends the script with one line on standard error and exit code 64."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USAGE, f"{self.prog.removeprefix('scripts/')}: {' '.join(message.split())}\n")

    def unusable(self, message: str) -> NoReturn:
        """Ends the script because of input that cannot be used: with one line on standard error and exit code 2."""
        self.exit(UNUSABLE, f"{self.prog.removeprefix('scripts/')}: {' '.join(message.split())}\n")

    def need_programs(self, *programs: str | Path) -> None:
        """Ends the script unless each program, a name or a path, can be run."""
        for program in programs:
            if shutil.which(program) is None:
                self.unusable(f"there is no program {program}")

    def need_files(self, *files: str | Path) -> None:
        """Ends the script unless each file exists."""
        for file in files:
            if not Path(file).is_file():
                self.unusable(f"there is no file {file}")


def number(kind: type, least: float, most: float) -> Callable[[str], float]:
    """Returns the type of an option whose value is a number in a range, limits included."""
    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            whole = "whole number" if kind is int else "number"
            raise argparse.ArgumentTypeError(f"\"{text}\" is not a {whole} from {least:.10g} to {most:.10g}")
        return value

    return read
