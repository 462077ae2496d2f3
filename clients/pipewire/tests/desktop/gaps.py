"""Gaps in what the microphones of plug-ins play, measured beside the microphone that the plug-ins hear."""

import signal
import sys
from pathlib import Path

import numpy as np
from processes import check
from sound import RATE, read_floats, silences

LONGEST_GAP = 0.020  # seconds
DELAY = 0.2  # seconds: more than the delay of a plug-in with its blocks and its conversion of rates
AFTER_STALL = 0.3  # seconds in which a stall of the machine can still cause a gap


class Recorder:
    """Records a microphone that always has sound, and those of plug-ins, in the same cycles of PipeWire."""

    def __init__(self, desktop, folder, *sources):
        self.desktop, self.sources, self.path = desktop, sources, folder / "recording.wav"
        self.process = desktop.record(self.path, RATE, "microphone", *sources)
        desktop.wait_for(self.path.exists, "the recording begins")
        self.stalls = desktop.start(
            "stalls", sys.executable, str(Path(__file__).with_name("stalls.py")), str(self.path))

    def seconds_of(self, size):
        return size / 4 / (1 + len(self.sources)) / RATE

    def channels(self):
        return read_floats(self.path, 1 + len(self.sources)).T

    def hears(self, description, seconds=1):
        """Checks that each microphone has sound in the seconds that follow."""
        def now():
            return self.seconds_of(self.path.stat().st_size)
        begin = now() + DELAY
        self.desktop.wait_for(lambda: now() > begin + seconds, f"sound: {description}")
        heard = self.channels()[:, round(begin * RATE):]
        check(np.all(np.any(heard, 1)), f"sound goes on: {description}")

    def check_gaps(self, description):
        """Ends the recording, and checks that no plug-in is silent for longer than the microphone that it hears.

        The microphone is silent while the player is late. A gap beside a stall of the machine is printed and does not
        count. That a plug-in does not stop PipeWire itself, is tested without a clock: see tests/abi.
        """
        self.process.stop(signal.SIGINT)
        self.stalls.stop()
        stalls = [(self.seconds_of(int(size)), float(length))
                  for length, size in map(str.split, self.stalls.text().splitlines())]
        microphone, *outputs = self.channels()
        pauses = silences(microphone) / RATE
        longest, excused = 0, 0
        for output in outputs:
            begin = np.flatnonzero(output)[0]
            for start, end in (silences(output[begin:]) + begin) / RATE:
                near = pauses[(pauses[:, 1] > start - DELAY) & (pauses[:, 0] < end)]
                gap = end - start - max(near[:, 1] - near[:, 0], default=0)
                if any(start - AFTER_STALL < at < end + length + DELAY for at, length in stalls):
                    excused = max(excused, gap)
                else:
                    longest = max(longest, gap)
        print(f"        {len(stalls)} stalls of the machine, gaps of up to {1000 * excused:.0f} ms beside them",
              flush=True)
        check(longest <= LONGEST_GAP, f"the longest gap is {1000 * longest:.0f} ms: {description}")
