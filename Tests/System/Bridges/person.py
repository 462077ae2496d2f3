"""A person at a client of the Realtime API: a loudspeaker that plays answers, and a microphone that hears it."""

import asyncio
import base64
import time

import numpy as np
from voices import from_g711, from_pcm, g711, pcm

ECHO_DELAY, ECHO_GAIN = 0.06, 0.4


class Room:
    """Plays what comes and returns the microphone: the echo, and the voices of the person at their times."""

    def __init__(self, rate: int, echo_gain: float = ECHO_GAIN) -> None:
        self.rate, self.echo_gain = rate, echo_gain
        self.queue = np.zeros(0)
        self.played = np.zeros(round(ECHO_DELAY * rate))
        self.voice = np.zeros(0)
        self.microphone = np.zeros(0)

    def play(self, samples: np.ndarray) -> None:
        self.queue = np.concatenate([self.queue, samples])

    def stop(self) -> None:
        self.queue = np.zeros(0)

    def say(self, samples: np.ndarray, after: float = 0) -> None:
        start = len(self.microphone) + round(after * self.rate)
        self.voice = np.pad(self.voice, (0, max(0, start + len(samples) - len(self.voice))))
        self.voice[start: start + len(samples)] += samples

    def record(self, count: int) -> np.ndarray:
        """Returns the next samples of the microphone, while the loudspeaker plays as many."""
        heard = np.pad(self.queue[:count], (0, max(0, count - len(self.queue))))
        self.queue = self.queue[count:]
        self.played = np.concatenate([self.played, heard])
        now = len(self.microphone)
        echo = self.echo_gain * self.played[now: now + count]
        voice = self.voice[now: now + count]
        samples = echo + np.pad(voice, (0, count - len(voice)))
        samples = samples + np.random.default_rng(now).normal(0, 0.0005, count)
        self.microphone = np.concatenate([self.microphone, samples])
        return samples


class Person:
    """A client: sends the microphone in blocks, plays the answers, and stops them when speech starts.

    `send` sends an event, and `events` is an asynchronous iterator of events, as dictionaries."""

    def __init__(self, send, events, audio: str = "pcm16", block: float = 0.04, echo_gain: float = ECHO_GAIN) -> None:
        self.send, self.source = send, events
        self.audio = audio
        self.room = Room(24000 if audio == "pcm16" else 8000, echo_gain)
        self.block = block
        self.events: list[dict] = []
        self.tasks: list[asyncio.Task] = []
        self.truncates = False

    async def __aenter__(self) -> "Person":
        self.tasks = [asyncio.create_task(self._hear()), asyncio.create_task(self._record())]
        return self

    async def __aexit__(self, *_) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    def kinds(self) -> list[str]:
        return [event["type"] for event in self.events]

    async def event(self, kind: str, seconds: float = 20, after: int = 0) -> dict:
        """Returns the first event of a type among those from the number `after` on."""
        async with asyncio.timeout(seconds):
            while True:
                for event in self.events[after:]:
                    if event["type"] == kind:
                        return event
                await asyncio.sleep(0.01)

    async def _hear(self) -> None:
        async for event in self.source:
            self.events.append(event)
            if event["type"].endswith("audio.delta"):
                data = base64.b64decode(event["delta"])
                self.room.play(from_pcm(data) if self.audio == "pcm16"
                               else from_g711(data, self.audio.removeprefix("g711_")))
            elif event["type"] == "input_audio_buffer.speech_started":
                self.room.stop()

    async def _record(self) -> None:
        begin, position = time.monotonic(), 0
        while True:
            samples = self.room.record(round(self.block * self.room.rate))
            data = pcm(samples) if self.audio == "pcm16" else g711(samples, self.audio.removeprefix("g711_"))
            await self.send({"type": "input_audio_buffer.append", "audio": base64.b64encode(data).decode()})
            position += len(samples)
            await asyncio.sleep(max(0, begin + position / self.room.rate - time.monotonic()))
