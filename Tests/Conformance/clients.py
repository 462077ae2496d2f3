"""The clients that are tested, and the vectors that do not apply to them."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
ADAPTERS = Path(__file__).resolve().parent / "adapters"


@dataclass(frozen=True)
class Client:
    """A client, and the command that runs it."""

    name: str
    kind: str
    """`live`: plays at a constant delay whatever happens. `session`: hands out what comes. `file`: sends a recording."""
    command: tuple[str, ...]
    rate: int = 16000
    fallback: str = "raw"
    """What takes the place of audio that was not processed: `raw` or `silent`."""
    can: frozenset[str] = frozenset()
    """What its program can be told: `mute`, `stall`, `change` (of the format)."""
    tells: bool = True
    most_missing: float = 0.15
    """Seconds by which its output may be shorter than the microphone."""
    not_told: frozenset[str] = frozenset()
    """Fields of a start that this client does not set by itself."""
    excepted: dict[str, str] = field(default_factory=dict)
    """Vectors that do not apply, and why."""
    needs: Path | None = None
    """The program that has to be built before."""

    @property
    def is_live(self) -> bool:
        return self.kind != "file"


def _program(name: str, variable: str) -> Path:
    """A program that was built before: that of a variable, or the one beside the server that is tested."""
    server = os.environ.get("ANECHOIC_SERVER")
    folders = [Path(server).parent] if server else []
    folders += [PROJECT / ".build/release", PROJECT / ".build/debug"]
    found = [os.environ.get(variable), *(folder / name for folder in folders)]
    return next((Path(each) for each in found if each and Path(each).exists()), PROJECT / ".build/release" / name)


BRIDGE = _program("anechoic-bridge", "ANECHOIC_BRIDGE")
COMMAND = _program("anechoic", "ANECHOIC")
NATIVE = Path(os.environ.get("ANECHOIC_CONFORMANCE_CLIENT") or PROJECT / "clients/native/tests/conformance-client")
_NO_TIMES = "a recording has no time at which it is processed again"

CLIENTS = [
    Client(
        "python-session", "session", (sys.executable, str(ADAPTERS / "python_session.py")), fallback="silent",
        can=frozenset({"mute", "stall"})),
    Client(
        "python-live", "live", (sys.executable, str(ADAPTERS / "python_live.py")),
        can=frozenset({"mute", "stall", "change"})),
    Client("c", "live", (str(NATIVE),), can=frozenset({"mute"}), needs=NATIVE),
    Client(
        "bridge", "live", (sys.executable, str(ADAPTERS / "bridge.py")), most_missing=0.4, needs=BRIDGE,
        can=frozenset({"stall"}), excepted={
            "mute-client": "a call has no mute button: others mute its session",
        }),
    Client(
        "process", "file", (sys.executable, str(ADAPTERS / "process.py")), needs=COMMAND),
]
