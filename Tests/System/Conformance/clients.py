"""The clients that are tested, and the vectors that do not apply to them."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
ADAPTERS = Path(__file__).resolve().parent / "adapters"


KINDS = ("live", "session", "file", "player", "watcher")
"""`live` plays at a constant delay whatever happens. `session` hands out what comes. `file` sends a recording. `player`
plays the session of another device. `watcher` watches and steers the sessions of others."""


@dataclass(frozen=True)
class Client:
    """A client, and the command that runs it."""

    name: str
    kind: str
    """One of `KINDS`."""
    command: tuple[str, ...]
    rate: int = 16000
    fallback: str = "raw"
    """The substitute for audio that was not processed: `raw` or `silent`."""
    can: frozenset[str] = frozenset()
    """The abilities of its program: see `needs` in proto/conformance/README.md."""
    tells: frozenset[str] = frozenset(
        {"reconnecting", "resumed", "restarted", "lost", "late", "muted", "failed", "asked"})
    """The events that its program can tell."""
    most_missing: float = 0.15
    """Seconds by which its output may be shorter than the microphone."""
    excepted: dict[str, str] = field(default_factory=dict)
    """Vectors that do not apply, and why."""
    has_one_delay: bool = True
    """Whether its fallback has the delay of its processed sound."""
    begins_late: bool = False
    """Whether its microphone may begin after its first session, whose first samples are then a gap."""
    patience: float = 0.12
    """Seconds that a busy machine may add to a time."""
    is_web_socket: bool = False
    """Whether it speaks over a WebSocket."""
    most_beside: int | None = None
    """How many runs of it may go on at a time, if it takes much of the processor."""
    environment: dict[str, str] = field(default_factory=dict)
    """Variables for its adapter."""
    needs: Path | None = None
    """The program, or what is generated for it, that has to be there before."""

    @property
    def is_live(self) -> bool:
        return self.kind != "file"

    @property
    def has_microphone(self) -> bool:
        return self.kind not in ("player", "watcher")


def _program(name: str, variable: str) -> Path:
    """A program that was built before: that of a variable, one beside ANECHOIC_SERVER, or one of this checkout."""
    server = os.environ.get("ANECHOIC_SERVER")
    folders = [Path(server).parent] if server else []
    folders += [PROJECT / ".build/release", PROJECT / ".build/debug", PROJECT / ".build-native/quick"]
    folders += [PROJECT / ".build-pipewire/quick"]
    found = [os.environ.get(variable), *(folder / name for folder in folders)]
    return next((Path(each) for each in found if each and Path(each).exists()), PROJECT / ".build/release" / name)


EDGE = _program("anechoic-edge", "ANECHOIC_EDGE")
BRIDGE = _program("anechoic-bridge", "ANECHOIC_BRIDGE")
COMMAND = _program("anechoic", "ANECHOIC")
EXAMPLE = PROJECT / "examples/python/process.py"
BROWSER = Path(shutil.which("chromium") or "chromium")
NATIVE = _program("conformance-client", "ANECHOIC_CONFORMANCE_CLIENT")
"""Built from clients/native/tests/conformance-client."""
PLUGIN = _program("libspa-aec-anechoic.so", "ANECHOIC_PLUGIN")
"""Built by `scripts/test pipewire --quick --build`."""

CLIENTS = [
    Client(
        "python-session", "session", (sys.executable, str(ADAPTERS / "python_session.py")), fallback="silent",
        can=frozenset({"mute", "stall", "engine", "label", "decide", "second server"})),
    Client(
        "python-live", "live", (sys.executable, str(ADAPTERS / "python_live.py")),
        can=frozenset({"mute", "stall", "change", "engine", "label", "decide", "second server"})),
    Client(
        "c", "live", (sys.executable, str(ADAPTERS / "native.py")), needs=NATIVE,
        can=frozenset({"mute", "stall", "pause", "engine", "decide"}), environment={"NATIVE_CLIENT": str(NATIVE)},
        tells=frozenset({"lost", "late", "muted", "asked"}), most_missing=0.3),
    Client(
        "edge", "live", (sys.executable, str(ADAPTERS / "edge.py")), needs=EDGE, can=frozenset({"mute"}),
        begins_late=True, has_one_delay=False,
        environment={"ANECHOIC_EDGE": str(EDGE)},
        tells=frozenset({"reconnecting", "resumed", "restarted"}), excepted={
            "late": "its voice has no constant delay",
            "lost-output": "the local voice stands in only after 0.5 s without an answer",
            "refused-for-good": "it ends at once if its first start is refused for good",
        }),
    Client(
        "edge-join", "player", (sys.executable, str(ADAPTERS / "edge_join.py")), needs=EDGE, has_one_delay=False,
        environment={"ANECHOIC_EDGE": str(EDGE)}, tells=frozenset({"reconnecting", "resumed"})),
    Client(
        "live-page", "watcher", (sys.executable, str(ADAPTERS / "live_page.py")), needs=BROWSER,
        can=frozenset({"mute"}), patience=0.3, most_beside=2),
    Client(
        "try-page", "session", (sys.executable, str(ADAPTERS / "try_page.py")), needs=BROWSER, fallback="silent",
        can=frozenset({"mute"}), tells=frozenset({"reconnecting", "resumed", "restarted", "muted", "failed"}),
        begins_late=True, patience=0.3, most_beside=2, is_web_socket=True),
    Client(
        "bridge", "live", (sys.executable, str(ADAPTERS / "bridge.py")), most_missing=0.4, needs=BRIDGE,
        environment={"ANECHOIC_BRIDGE": str(BRIDGE)},
        can=frozenset({"stall"}), tells=frozenset({"lost", "late"}), excepted={
            "mute-client": "a call has no mute button: others mute its session",
        }),
    Client(
        "pipewire", "live", (sys.executable, str(ADAPTERS / "pipewire.py")), needs=PLUGIN,
        environment={"ANECHOIC_PLUGIN": str(PLUGIN)}, tells=frozenset({"lost", "late"}),
        excepted={
            "mute-client*": "the plug-in has no mute button: others mute its session",
            "stall": "PipeWire itself loses sound while it makes up for a stall, so no delay can be constant",
            "format*": "PipeWire converts other formats to the rate of the plug-in, which never changes",
        }),
    Client(
        "process", "file", (sys.executable, str(ADAPTERS / "process.py")), needs=COMMAND,
        environment={"PROCESS": f"{COMMAND} process"}, tells=frozenset({"reconnecting", "resumed", "restarted"})),
    Client(
        "example", "file", (sys.executable, str(ADAPTERS / "process.py")),
        needs=EXAMPLE.parent / "generated/google/rpc/status_pb2.py",
        environment={"PROCESS": f"{sys.executable} -u {EXAMPLE}"},
        tells=frozenset({"reconnecting", "resumed", "restarted"})),
]
