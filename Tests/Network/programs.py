"""The server and the clients that the measurements of bad networks and of restarts run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

PROJECT = Path(__file__).resolve().parents[2]
PERIOD = 30000
PLUGIN = PROJECT / ".build-pipewire/quick/libspa-aec-anechoic.so"
RATE = 16000


def adapters(*names: str) -> dict[str, list[str]]:
    """Returns the commands of clients that have an adapter in Tests/Conformance."""
    folder = PROJECT / "Tests/Conformance/adapters"
    return {name: [sys.executable, str(folder / f"{name}.py"), "--session", name] for name in names}


def environment(programs: Path, native: Path) -> dict[str, str]:
    """Returns the environment in which adapters find their programs."""
    edge, bridge = (str(programs.resolve() / f"anechoic-{name}") for name in ("edge", "bridge"))
    return {**os.environ, "ANECHOIC_EDGE": edge, "ANECHOIC_BRIDGE": bridge, "NATIVE_CLIENT": str(native.resolve()),
            "ANECHOIC_PLUGIN": str(PLUGIN)}


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

    def bypass_all(self) -> None:
        """Bypasses the processing of each session that does not bypass it yet."""
        for session in self.sessions():
            if not self.is_bypassed(session):
                self.control("set", session, "voice_processing.bypassed=true")

    def is_bypassed(self, session: str) -> bool:
        shown = self.control("show", session, "--json")
        return re.search(r'"bypassed":\s*true', shown) is not None


def runs(marks: np.ndarray) -> list[tuple[int, int]]:
    """Returns the beginnings and ends of all runs of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], marks.astype(np.int8), [0]))))
    return list(zip(edges[::2], edges[1::2]))
