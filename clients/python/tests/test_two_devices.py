"""A phone with the microphone and a television with the loudspeaker, on different clocks, in one session."""

import asyncio
import random

import numpy as np
import pytest
from conftest import in_loop

import anechoic
from anechoic import Format

MONO = Format(16000)
RATE = MONO.rate
TAPS = 16
CLEAN = {"voice_processing.noise_suppression.enabled": False, "voice_processing.gain_control.enabled": False}


class Television:
    """Plays what arrives by a clock of its own, after a network with jitter and a buffer of 0.2 s."""

    def __init__(self, drift_ppm, jitter):
        self.samples = np.zeros(0, np.float32)
        self._first = None
        self._speed, self._jitter, self._began = 1 + drift_ppm * 1e-6, jitter, None
        self._random = random.Random(7)

    async def run(self, server, token):
        async with anechoic.Playback(server, token) as playback:
            arrival = 0.0
            loop = asyncio.get_running_loop()
            async for samples in playback:
                # Packets may be late, and stay in order, for which no two may have the same time.
                arrival = max(arrival + 1e-6, loop.time() + self._random.uniform(0, self._jitter))
                first = playback.position - len(samples)
                loop.call_at(arrival, self._add, first, samples.astype(np.float32) / 32768)

    def _add(self, first, samples):
        if self._began is None:
            self._began = asyncio.get_running_loop().time() + 0.2
            self._first = first
        # On a busy machine the server may have dropped samples. Silence in their place keeps the delay.
        missing = np.zeros(first - self._first - len(self.samples), np.float32)
        self.samples = np.concatenate([self.samples, missing, samples])

    def heard(self, seconds):
        """What is heard at these times of the event loop."""
        if self._began is None:
            return np.zeros(len(seconds), np.float32)
        places = (seconds - self._began) * self._speed * RATE
        first = np.floor(places).astype(int)
        offsets = np.arange(-TAPS + 1, TAPS + 1)
        padded = np.pad(self.samples, (TAPS, TAPS))
        indexes = np.clip(first[:, None] + offsets + TAPS, 0, len(padded) - 1)
        distances = (places - first)[:, None] - offsets
        # A windowed sinc: a converter of another clock distorts less than a straight line would.
        return (padded[indexes] * np.sinc(distances) * np.cos(distances / TAPS * np.pi / 2) ** 2).sum(axis=1)


def level(samples):
    return 10 * np.log10(np.mean(np.square(samples.astype(np.float64))) + 1e-12)


@in_loop
async def test_the_echo_of_another_device_is_removed(server, sample):
    await asyncio.gather(*[_call(server, sample, drift_ppm) for drift_ppm in (-300, 300)])


async def _call(server, sample, drift_ppm):
    far = anechoic.Recording.read(sample / "reference.wav").samples
    seconds, chunk = 9.0, 320
    television = Television(drift_ppm, jitter=0.1)
    room = np.random.default_rng(3)
    echo, voice = [], []
    async with anechoic.Session(
        server, microphone=MONO, far_end=MONO, playback=MONO, playback_elsewhere=True, settings=CLEAN,
    ) as session:
        playing = asyncio.create_task(television.run(server, session.join_token))
        listening = asyncio.create_task(_collect(session, voice))
        loop = asyncio.get_running_loop()
        start = loop.time()
        for index in range(int(seconds * RATE / chunk)):
            first = index * chunk
            await asyncio.sleep(max(0, start + (first + chunk) / RATE - loop.time()))
            times = start + np.arange(first, first + chunk) / RATE
            heard = 0.3 * television.heard(times)
            echo.append(heard)
            if playing.done():
                playing.result()
            noise = room.normal(0, 1e-4, chunk)
            await session.feed(microphone=(heard + noise).astype(np.float32), far_end=far[first : first + chunk])
        await session.finish()
        await listening
        delay = round(session.delay * RATE)
        playing.cancel()
    before, after = np.concatenate(echo), np.concatenate(voice)[delay:] / 32768
    span = slice(round(5.5 * RATE), round(8.5 * RATE))
    reduction = level(before[span]) - level(after[span])
    assert level(before[span]) > -50, f"nothing was heard of {len(television.samples)} samples , which began {television._began} after {start}"
    assert reduction > 25, f"{reduction:.1f} dB, {session.statistics}"


async def _collect(session, voice):
    async for output in session:
        voice.append(output.samples)


@in_loop
async def test_a_device_leaves_and_returns(server):
    async with anechoic.Session(
        server, microphone=MONO, far_end=MONO, playback=MONO, playback_elsewhere=True, real_time=False
    ) as session, anechoic.Sessions(server) as sessions:
        for _ in range(2):
            async with anechoic.Playback(server, session.join_token, client="television") as playback:
                assert playback.session == session.id and playback.format == MONO
                await session.feed(microphone=bytes(640), far_end=np.full(320, 1000, np.int16))
                async for samples in playback:
                    assert len(samples) == playback.chunk * RATE
                    break
                assert (await sessions.get(session.id)).playback_client == "television"
            while (await sessions.get(session.id)).playback_client:
                await asyncio.sleep(0.01)


@in_loop
async def test_a_wrong_token_is_refused(server):
    with pytest.raises(anechoic.NotFound) as caught:
        async with anechoic.Playback(server, b"guess"):
            pass
    assert caught.value.reason == "JOIN_TOKEN_UNKNOWN"
