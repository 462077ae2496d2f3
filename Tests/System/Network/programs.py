"""The server and the clients that the measurements of bad networks and of restarts run."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

import numpy as np

PROJECT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(PROJECT / "scripts"))
from lib.usage import Arguments, number  # noqa: E402

EXECUTABLES = ("anechoic", "anechoic-server", "anechoic-edge", "anechoic-bridge")
PERIOD = 30000
PLUGIN = PROJECT / ".build-pipewire/quick/libspa-aec-anechoic.so"
RATE = 16000


ADAPTERS = PROJECT / "Tests/System/Conformance/adapters"
NATIVE = PROJECT / ".build-native/quick/conformance-client"


def arguments(program: str, description: str) -> Arguments:
    """Returns a parser of the options that all measurements have."""
    parser = Arguments(
        prog=program, description=description, allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, metavar="FOLDER", help=f"finished {', '.join(EXECUTABLES)}")
    parser.add_argument("--native", type=Path, default=NATIVE, metavar="FILE", help="the program conformance-client")
    parser.add_argument("--client", action="append", metavar="NAME", help="only clients whose name contains this")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="a folder for the outputs and the logs")
    return parser


def chosen(parser: Arguments, names: list[str] | None, clients: dict[str, list[str]]) -> dict[str, list[str]]:
    """Returns the clients whose name contains one of the names: all of them without names."""
    for name in names or []:
        if not name or not any(name in client for client in clients):
            parser.error(f"--client {name}: there is no such client; use {' or '.join(map(repr, clients))}")
    return {client: command for client, command in clients.items()
            if not names or any(name in client for name in names)}


def built(*command: str) -> None:
    """Runs a command that builds programs. Ends this program, too, if it fails."""
    if (code := subprocess.run(command, cwd=PROJECT, stdout=sys.stderr).returncode) != 0:
        sys.exit(code)


@contextmanager
def prepared(parser: Arguments, options: argparse.Namespace) -> Iterator[Path]:
    """Builds what is not given, and makes the folder for the outputs."""
    if options.programs is None:
        # As scripts/test builds: for a product alone, SwiftPM would compile much of it again.
        built("swift", "build", "--build-tests")
        shown = subprocess.run(
            ["swift", "build", "--show-bin-path"], cwd=PROJECT, check=True, stdout=subprocess.PIPE, text=True)
        options.programs = Path(shown.stdout.strip())
    options.programs = options.programs.resolve()
    parser.need_programs(*(options.programs / name for name in EXECUTABLES))
    if options.native == NATIVE and not NATIVE.exists():
        built("scripts/test", "native", "--build")
    options.native = options.native.resolve()
    parser.need_programs(options.native)
    with tempfile.TemporaryDirectory(prefix="anechoic-network-") as name:
        folder = options.keep or Path(name)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            parser.unusable(f"--keep {folder}: {error.strerror}")
        yield folder


def adapters(*names: str) -> dict[str, list[str]]:
    """Returns the commands of clients that have an adapter in Tests/System/Conformance."""
    return {name: [sys.executable, str(ADAPTERS / f"{name}.py"), "--session", name] for name in names}


def environment(options: argparse.Namespace) -> dict[str, str]:
    """Returns the environment in which adapters find their programs."""
    return {
        **os.environ, "ANECHOIC_EDGE": str(options.programs / "anechoic-edge"),
        "ANECHOIC_BRIDGE": str(options.programs / "anechoic-bridge"), "NATIVE_CLIENT": str(options.native),
        "ANECHOIC_PLUGIN": str(PLUGIN), "PYTHONPATH": f"{PROJECT / 'clients/python/src'}:{ADAPTERS}",
        "GRPC_VERBOSITY": "NONE"}  # libgrpc logs each lost connection.


@dataclass
class Client:
    name: str
    command: list[str]
    output: Path
    log: Path
    process: subprocess.Popen | None = None

    def events(self) -> list[dict]:
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    def told(self) -> dict[str, int]:
        """Returns how often each event came."""
        counts: dict[str, int] = {}
        for event in self.events():
            if (name := event.get("event")) == "OTHER":  # Long messages of libanechoic are cut.
                name = (re.findall(r'"(session\w+)":\{', event["text"]) or [None])[0]
            if name:
                counts[name] = counts.get(name, 0) + 1
        return counts


class Server:
    """An anechoic-server, and its log. `prefix` is the command that runs it and what controls it elsewhere."""

    def __init__(self, address: str, programs: Path, log: Path, prefix: tuple[str, ...] = ()) -> None:
        self.address, self.programs, self.log, self.prefix = address, programs, log, prefix
        self.process = subprocess.Popen(
            [*prefix, str(programs / "anechoic-server"), "--listen", address, "--admin-listen", "off",
             "--http-listen", "off", "--authentication", "none"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log.open("ab"))

    def control(self, *arguments: str) -> str:
        command = [*self.prefix, str(self.programs / "anechoic"), "sessions", *arguments]
        return subprocess.run([*command, "--server", self.address], capture_output=True, text=True, timeout=20).stdout

    def sessions(self) -> list[str]:
        return re.findall(r"^sessions/(\S+)", self.control("list"), re.MULTILINE)

    def started_sessions(self) -> int:
        return self.log.read_text().count(" session started ")

    def bypass_all(self) -> int:
        """Bypasses the processing of each session that does not bypass it yet. Returns how many did already."""
        bypassed = 0
        for session in self.sessions():
            if self.is_bypassed(session):
                bypassed += 1
            else:
                self.control("set", session, "voice_processing.bypassed=true")
        return bypassed

    def is_bypassed(self, session: str) -> bool | None:
        """Returns whether a session bypasses its processing, and nothing if it has ended."""
        shown = self.control("show", session, "--json")
        return re.search(r'"bypassed":\s*true', shown) is not None if shown else None


def runs(marks: np.ndarray) -> list[tuple[int, int]]:
    """Returns the beginnings and ends of all runs of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], marks.astype(np.int8), [0]))))
    return list(zip(edges[::2], edges[1::2]))
