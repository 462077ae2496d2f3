"""The plug-in for PipeWire. The output is what an application records from "Anechoic microphone".

The application records the counting microphone as well, in the same cycles of PipeWire. So each sample of the output is
placed at the sample of the microphone that was captured at the same time, and a recording that pauses on a busy machine
does not change the delay.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
from common import PERIOD, arguments, log, microphone, tell

PROJECT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(PROJECT / "clients/pipewire/tests/desktop"))

from processes import DEVICES, Desktop, Process, wait_for  # noqa: E402
from sound import read_floats, write_wave  # noqa: E402

BLOCK = 480
"""The samples of a block of the plug-in and of a cycle of PipeWire: long ones, for a busy machine."""
DELAY_MILLISECONDS = 150
"""The delay of the plug-in for blocks of 10 ms: a long one, for a busy machine. Blocks and cycles add 50 ms."""
LEAD = 0.1
"""Seconds of silence before the microphone, in which the player starts."""
TAIL = 1.0
"""Seconds for which the microphone goes on after the time that the judge wants."""
PATIENCE = 10.0
"""Seconds by which the recording may be late at its end."""
GRAPH = """\
context.properties = {{
  default.clock.rate = {rate}  default.clock.quantum = {block}  default.clock.min-quantum = {block}
  default.clock.max-quantum = {block}  clock.power-of-two-quantum = false
}}
"""
PARTS = (
    ("no server at", "lost"), ("does not answer", "lost"), ("refused the session", "lost"),
    ("has ended the session", "lost"), ("too late", "late"),
)


def configuration(options: argparse.Namespace) -> str:
    """The file of the package, with the server and the rate of the vector, and processing as the mic mode decides."""
    text = (PROJECT / "deploy/pipewire/50-anechoic.conf").read_text()
    changes = {
        "127.0.0.1:50051": options.server, "audio.rate = 48000": f"audio.rate = {options.rate}",
        "# node.latency = 1024/48000": f"node.latency = {BLOCK}/{options.rate}",
        "anechoic.delay-ms = 52": f"anechoic.delay-ms = {DELAY_MILLISECONDS}", "anechoic.echo-suppression = high": "",
        "anechoic.noise-suppression = high": "",
        "anechoic.fallback = raw": f"anechoic.fallback = {'silence' if options.fallback == 'silence' else 'raw'}",
    }
    for old, new in changes.items():
        if old not in text:
            raise SystemExit(f"50-anechoic.conf has no line with: {old}")
        text = text.replace(old, new)
    return text


class Application:
    """Records the microphone and "Anechoic microphone" beside each other."""

    def __init__(self, desktop: Desktop, path: Path, rate: int) -> None:
        self.path, self.rate = path, rate
        self.process: Process = desktop.start(
            "recorder", "pw-cat", "--record", "--target", "0", "--rate", str(rate), "--format", "f32", "--channels",
            "2", "--channel-map", "FL,FR", "-P", "{ node.name = recorder }", str(path))
        desktop.link("microphone:capture_MONO", "recorder:input_FL")
        desktop.link("anechoic_source:capture_MONO", "recorder:input_FR")

    @property
    def channels(self) -> np.ndarray:
        """The microphone and the output as integers of 16 bits."""
        return np.rint(read_floats(self.path, 2).T * 32768).astype(np.int64)

    def wait_for_microphone(self) -> float:
        """Waits for the first sample that counts, and returns the time at which it was captured."""
        def time_of_first() -> float | None:
            counting = self.channels[0] if self.path.exists() else np.zeros(0)
            found = np.flatnonzero(counting)
            return time.monotonic() - (len(counting) - found[0]) / self.rate if len(found) else None
        return wait_for(time_of_first, "the microphone counts", 20)

    def wait_for_end(self, began: float, count: int) -> None:
        """Waits until the sample of the microphone after so many is recorded."""
        time.sleep(max(0.0, began + count / self.rate - time.monotonic()))
        wait_for(lambda: numbered(self.channels[0])[1][-1] >= count, "the end of the microphone", PATIENCE)


def numbered(counting: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns where the microphone counts in a recording, and the numbers of these samples, from 0 on."""
    at = np.flatnonzero(counting)
    if not len(at) or counting[at[0]] != 1:
        raise SystemExit("the beginning of the microphone was not recorded")
    return at, np.concatenate(([0], np.cumsum(np.diff(counting[at]) % PERIOD)))


def placed(counting: np.ndarray, output: np.ndarray, count: int) -> np.ndarray:
    """Places each sample of the output at the sample of the microphone that was recorded beside it."""
    at, indexes = numbered(counting)
    if np.any(np.diff(at) != np.diff(indexes)):
        log("the recording or the microphone has paused, because PipeWire or the machine was busy")
    inside = indexes < count
    samples = np.zeros(count, "<i2")
    samples[indexes[inside]] = np.clip(output[at[inside]], -32768, 32767)
    return samples


def tell_states(desktop: Desktop) -> None:
    """Tells what the plug-in says in the log of PipeWire."""
    told = 0
    while desktop.runs():
        for line in desktop.state_lines()[told:]:
            told += 1
            log(line)
            for part, event in PARTS:
                if part in line:
                    tell(event, message=line)
        time.sleep(0.05)


def main() -> None:
    options = arguments()
    folder = Path(options.output).parent
    count, silence = round((options.seconds + TAIL) * options.rate), np.zeros(round(LEAD * options.rate))
    write_wave(folder / "counting.wav", options.rate, np.concatenate((silence, microphone(0, count))))
    rig = GRAPH.format(rate=options.rate, block=BLOCK) + DEVICES
    with Desktop(folder, os.environ["ANECHOIC_PLUGIN"], configuration(options), rig, has_pulse=False) as desktop:
        threading.Thread(target=tell_states, args=(desktop,), daemon=True).start()
        desktop.start("player", "pw-cat", "--playback", "--target", "0", "-P", "{ node.name = player }",
                      str(folder / "counting.wav"))
        wait_for(lambda: "player:output_MONO" in desktop.call("pw-link", "--output"), "the player is there")
        # The session starts when the application listens.
        application = Application(desktop, folder / "recording.wav", options.rate)
        desktop.link("player:output_MONO", "microphone:input_MONO")
        began = application.wait_for_microphone()
        tell("began")
        wanted = round(options.seconds * options.rate)
        application.wait_for_end(began, wanted)
        application.process.stop(signal.SIGINT)
        placed(*application.channels, wanted).tofile(options.output)


main()
