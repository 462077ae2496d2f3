"""`anechoic-edge` that joins a session and plays it. The output is what its loudspeaker plays, in real time."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path

import numpy as np
from common import arguments, tell
from edge_rig import Agent, Sound, stop

PARTS = ((r"trying again", "reconnecting"), (r"server .*: sessions/.* runs", "resumed"))


class Loudspeaker:
    """A sink of PulseAudio. Notes what is played from `begin` on."""

    def __init__(self, folder: Path, rate: int) -> None:
        self.sound = Sound(
            folder, "load-module module-pipe-sink sink_name=playing use_system_clock_for_timing=yes", "playing", rate)
        self.played: bytearray | None = None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with self.sound.pipe.open("rb", buffering=0) as pipe:
            while data := pipe.read(65536):
                if self.played is not None:
                    self.played += data


def tell_states(line: str) -> None:
    for part, event in PARTS:
        if re.search(part, line):
            tell(event, message=line.strip())


def main() -> None:
    options = arguments()
    folder = Path(options.output).parent
    loudspeaker = Loudspeaker(folder, options.rate)
    agent = Agent(folder, {
        "server": {"address": options.server}, "session": {"join": options.ticket},
        "audio": {"rate": options.rate, "output_channels": 1},
        "routes": {"ports": [{"id": "television", "output": "playing"}]},
    }, loudspeaker.sound, 'loudspeaker: "playing" runs', tell_states)
    try:
        agent.runs.wait(30)
        loudspeaker.played = bytearray()
        tell("began")
        time.sleep(options.seconds + 0.2)
        if agent.process.poll() is not None:
            tell("failed")
        whole = bytes(loudspeaker.played[:2 * round(options.seconds * options.rate)])
        np.frombuffer(whole[:len(whole) // 2 * 2], "<i2").tofile(options.output)
    finally:
        stop(agent.process, loudspeaker.sound.process)


main()
