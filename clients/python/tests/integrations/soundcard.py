"""A sound card in a room: it plays and records on one clock, and the room returns an echo."""

import asyncio

import numpy as np

ECHO_PATH = {960: 0.5, 1010: -0.3, 1100: 0.2, 1300: 0.1, 1700: -0.05}
"""The samples after which the microphone hears the loudspeaker at 16 kHz, and how loud."""
MOST_WAITING = 1280


class SoundCard:
    """Records `near` and the echo of what it plays, in chunks of 20 ms."""

    chunk = 320

    def __init__(self, near):
        self.near = near
        self.recorded = []
        self.underruns = 0
        """The chunks without anything to play, after the first one. A busy machine has some."""
        self._has_played = False
        self._waiting = np.zeros(0, np.int16)
        self._played = np.zeros(max(ECHO_PATH), np.float64)
        self._room = asyncio.Event()

    async def play(self, samples):
        """Waits until the card takes samples to play."""
        while len(self._waiting) + len(samples) > MOST_WAITING:
            self._room.clear()
            await self._room.wait()
        self._waiting = np.concatenate([self._waiting, samples])

    async def record(self):
        """Yields the microphone at the pace of real time."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        for first in range(0, len(self.near) - self.chunk + 1, self.chunk):
            await asyncio.sleep(max(0.0, began + (first + self.chunk) / 16000 - loop.time()))
            playing, self._waiting = self._waiting[:self.chunk], self._waiting[self.chunk:]
            self._room.set()
            self._has_played |= len(playing) > 0
            self.underruns += self._has_played and len(playing) < self.chunk
            self._played = np.append(self._played, np.pad(playing, (0, self.chunk - len(playing))))
            end = len(self._played)
            echo = sum(gain * self._played[end - delay - self.chunk:end - delay] for delay, gain in ECHO_PATH.items())
            samples = np.clip(self.near[first:first + self.chunk] + echo, -32768, 32767).astype(np.int16)
            self.recorded.append(samples)
            self._played = self._played[-2 * max(ECHO_PATH):]
            yield samples
