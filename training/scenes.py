"""Calls made by code: a near talker, an echo, noise and competing voices, each known by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import soxr
from scipy import signal

from corpus import RATE, Corpus
from rooms import Room, equalizer

# Of a scene, in s.
LENGTH = 6.0


@dataclass
class Scene:
    """All signals have `LENGTH * RATE` samples at the microphone's level."""

    microphone: np.ndarray
    reference: np.ndarray
    near: np.ndarray
    rival: np.ndarray
    echo: np.ndarray

    def stack(self) -> np.ndarray:
        """Returns the signals as int16, in the order of the fields."""
        signals = (self.microphone, self.reference, self.near, self.rival, self.echo)
        return (np.clip(np.stack(signals), -1, 1) * 32767).astype(np.int16)


class SceneMaker:
    """Makes scenes at random from a corpus and a bank of measured room responses."""

    def __init__(self, corpus: Corpus, responses: list[np.ndarray], seed: int):
        self.corpus = corpus
        self.responses = responses
        self.random = np.random.default_rng(seed)
        lengths = np.sqrt([len(clip) for clip in corpus.noise])
        self._noise_shares = lengths / lengths.sum()

    def make(self) -> Scene:
        random = self.random
        kind = random.choice(
            ["double talk", "far end", "no echo", "near end", "noise"], p=[0.5, 0.17, 0.08, 0.2, 0.05])
        count = int(LENGTH * RATE)
        room = Room(random)
        level = 10 ** (self._level() / 20)
        silence = np.zeros(count, np.float32)
        color = equalizer(random, 3, (20, 150))

        reference, echo = silence, silence
        if kind in ("double talk", "far end", "no echo"):
            reference = self._far_end(count)
        if kind in ("double talk", "far end"):
            echo = _filtered(self._echo(room, reference), color)
            echo = scaled(echo, level * 10 ** (random.normal(2, 9) / 20))
        near = silence
        if kind in ("double talk", "no echo", "near end"):
            near = self._talk(count, random.uniform(0.4, 1))
            near = _filtered(_filtered(near, self._response(room, (0.2, 3))), color)
            near = scaled(near, level)
        rival = silence
        if random.random() < 0.15:
            rival = self._talk(count, random.uniform(0.3, 0.8))
            rival = _filtered(_filtered(rival, self._response(room, (1.5, 6))), color)
            rival = scaled(rival, level * 10 ** (-random.uniform(6, 22) / 20))
        noise = scaled(_filtered(self.noise(count, room), color), level * 10 ** (-self._noise_distance() / 20))
        noise += random.normal(0, 10 ** (random.uniform(-92, -68) / 20), count)

        gain = np.ones(count, np.float32)
        if random.random() < 0.1:  # a device that follows the level by itself
            gain *= self._wandering_gain(count)
        if random.random() < 0.05:
            gain *= self._gap(count)
        near, rival, echo, noise = near * gain, rival * gain, echo * gain, noise * gain
        microphone = near + rival + echo + noise
        peak = np.abs(microphone).max() + 1e-9
        clipping = random.random() < 0.04
        if peak > 0.99 and not clipping:
            near, rival, echo, microphone = (x * 0.99 / peak for x in (near, rival, echo, microphone))
        return Scene(np.clip(microphone, -1, 1), reference, near, rival, echo)

    # Voices and noise

    def _level(self) -> float:
        """Returns the level of the near talker, or what it would be, in dBFS."""
        return self.random.uniform(-56, -33) if self.random.random() < 0.15 else self.random.normal(-27, 6)

    def _clip(self, clips: list[np.ndarray], count: int, shares: np.ndarray | None = None) -> np.ndarray:
        """Returns a part of one recording at random, at most `count` samples."""
        clip = clips[self.random.choice(len(clips), p=shares)]
        start = self.random.integers(max(1, len(clip) - count))
        return clip[start : start + count].astype(np.float32) / 32768

    def _talk(self, count: int, share: float) -> np.ndarray:
        """Returns one talker with pauses, who talks for about `share` of the time."""
        result = np.zeros(count, np.float32)
        at = int(self.random.uniform(0, 1 - share) * count * 0.7)
        pitch = self.random.uniform(0.92, 1.08)
        while at < count:
            voice = self._clip(self.corpus.speech, int(self.random.uniform(1, 5) * RATE))
            voice = np.interp(np.arange(0, len(voice) - 1, pitch), np.arange(len(voice)), voice)
            voice = voice / (np.sqrt(np.mean(voice**2)) + 1e-6) * 10 ** (self.random.normal(0, 2) / 20)
            fade = min(80, len(voice) // 2)
            voice[:fade] *= np.linspace(0, 1, fade)
            voice[-fade:] *= np.linspace(1, 0, fade)
            part = voice[: count - at]
            result[at : at + len(part)] += part
            at += len(part) + int(self.random.exponential(0.3 + 2 * (1 - share)) * RATE)
        return result

    def _music(self, count: int) -> np.ndarray:
        clip = np.concatenate([self._clip(self.corpus.music, count) for _ in range(3)])
        return np.resize(clip, count)

    def _far_end(self, count: int) -> np.ndarray:
        """Returns what the loudspeaker plays, between -45 and -10 dBFS."""
        choice = self.random.random()
        if choice < 0.78:
            far = self._talk(count, self.random.uniform(0.5, 1))
        elif choice < 0.9:
            far = self._music(count)
        else:
            far = self._talk(count, 0.7)
            far = far + self._music(count) / 0.1 * 10 ** (-self.random.uniform(0, 15) / 20) * 0.3
        if self.random.random() < 0.3:
            far = far + 10 ** (self.random.uniform(-60, -30) / 20) * self._colored(count)
        if self.random.random() < 0.3:
            far = _filtered(far, equalizer(self.random, 3, (50, 300)))
        far = scaled(far.astype(np.float32), 10 ** (self.random.uniform(-40, -14) / 20))
        return np.clip(far, -1, 1)

    def _colored(self, count: int) -> np.ndarray:
        """Returns stationary noise of a random color, with an effective value of 1."""
        spectrum = np.fft.rfft(self.random.normal(size=count))
        frequency = np.maximum(np.fft.rfftfreq(count, 1 / RATE), 20)
        spectrum *= frequency ** (-self.random.uniform(0, 1.2))
        noise = np.fft.irfft(spectrum, count)
        if self.random.random() < 0.3:  # the hum of a motor or of the mains
            base, time = self.random.uniform(45, 240), np.arange(count) / RATE
            hum = sum(np.sin(2 * np.pi * base * k * time + self.random.uniform(0, 6)) / k for k in range(1, 8))
            noise = noise / noise.std() + hum * self.random.uniform(0.1, 1.5)
        return (noise / noise.std()).astype(np.float32)

    def _clicks(self, count: int) -> np.ndarray:
        """Returns the knocks of keys and dishes: decaying resonances at random times."""
        result = np.zeros(count + RATE, np.float32)
        time = np.arange(int(0.12 * RATE)) / RATE
        at = 0
        while at < count:
            knock = np.zeros(len(time))
            for _ in range(self.random.integers(1, 5)):
                decay, tone = self.random.uniform(0.002, 0.03), self.random.uniform(200, 7000)
                knock += np.exp(-time / decay) * np.sin(2 * np.pi * tone * time) * self.random.normal()
            knock += self.random.normal(size=len(time)) * np.exp(-time / 0.004)
            result[at : at + len(knock)] += knock * 10 ** (self.random.normal(0, 4) / 20)
            at += int(self.random.exponential(0.2) * RATE) + 300
        return result[:count]

    def _recorded(self, count: int) -> np.ndarray:
        """Returns recorded noise at another speed and with another color, with an effective value of 1."""
        pace = np.exp(self.random.uniform(-0.35, 0.35))
        needed = int(count * pace) + 2
        parts = np.concatenate([self._clip(self.corpus.noise, needed, self._noise_shares) for _ in range(4)])
        noise = np.interp(np.arange(count) * pace, np.arange(len(parts)), parts, period=len(parts))
        noise = _filtered(noise, equalizer(self.random, 5, (20, 100)))
        return noise / (np.sqrt(np.mean(noise**2)) + 1e-6)

    def noise(self, count: int, room: Room | None = None) -> np.ndarray:
        """Returns noise of any kind with an effective value of 1, music as in a room."""
        room = room or Room(self.random)
        choice = self.random.random()
        if choice < 0.45:
            noise = self._recorded(count)
            if self.random.random() < 0.3:
                noise = noise + self._recorded(count) * 10 ** (-self.random.uniform(0, 12) / 20)
        elif choice < 0.65:
            noise = self._colored(count)
        elif choice < 0.77:
            noise = sum(scaled(self._talk(count, 0.9), 1) for _ in range(self.random.integers(4, 9)))
        elif choice < 0.9:
            noise = _filtered(self._music(count), room.response(room.place((1, 5))))
        else:
            noise = self._clicks(count)
        noise = noise / (np.sqrt(np.mean(noise**2)) + 1e-6)
        if self.random.random() < 0.3:
            noise = noise + self._colored(count) * 10 ** (-self.random.uniform(0, 20) / 20)
        return noise.astype(np.float32)

    def _noise_distance(self) -> float:
        """Returns how much softer than the talker the noise is, in dB."""
        return self.random.uniform(-6, 20) if self.random.random() < 0.6 else self.random.uniform(20, 50)

    def _wandering_gain(self, count: int) -> np.ndarray:
        points = self.random.normal(0, 4, 8).cumsum() / 2
        return 10 ** (np.interp(np.arange(count), np.linspace(0, count, 8), points) / 20).astype(np.float32)

    def _gap(self, count: int) -> np.ndarray:
        """Returns the gain of a microphone of which 10 to 80 ms are lost: it fades to silence and back in 5 ms."""
        at, length, fade = self.random.integers(count), self.random.integers(160, 1280), np.linspace(0, 1, 80)
        shape = np.concatenate([1 - fade, np.zeros(length), fade])[: count - at]
        return np.concatenate([np.ones(at), shape, np.ones(count)])[:count].astype(np.float32)

    # Paths

    def _response(self, room: Room, distance: tuple[float, float]) -> np.ndarray:
        """Returns a response from a talker, normalized to its energy."""
        if self.responses and self.random.random() < 0.15:
            response = self.responses[self.random.integers(len(self.responses))]
        else:
            response = room.response(room.place(distance))
        return response / np.sqrt((response**2).sum())

    def _echo(self, room: Room, reference: np.ndarray) -> np.ndarray:
        """Returns the loudspeaker's sound at the microphone."""
        random = self.random
        played = self._loudspeaker(reference)
        distance = (0.04, 0.4) if random.random() < 0.6 else (0.4, 3)
        place = room.place(distance)
        first = room.response(place)
        # The aligner leaves the echo some ms behind the reference, sometimes more.
        lead = int(abs(random.normal(0, 4 if random.random() < 0.85 else 40)) * RATE / 1000)
        direct = int(np.abs(first).argmax())
        delay = lambda response: np.concatenate([np.zeros(lead, np.float32), response[max(0, direct - 16):]])
        echo = _filtered(played, delay(first))
        change = random.random()
        if change < 0.15:  # something moved at once
            second = _filtered(played, delay(room.response(room.near(place, 0.5))))
            at = int(random.uniform(0.15, 0.85) * len(echo))
            blend = np.clip((np.arange(len(echo)) - at) / random.uniform(80, 3000), 0, 1).astype(np.float32)
            echo = echo * (1 - blend) + second * blend
        elif change < 0.35:  # something moves all the time
            stations = 6
            weights = np.maximum(0, 1 - np.abs(
                np.linspace(0, stations - 1, len(echo))[None] - np.arange(stations)[:, None])).astype(np.float32)
            result, position = np.zeros_like(echo), place
            for weight in weights:
                result += weight * _filtered(played, delay(room.response(position)))
                position = room.near(position, random.choice([0.01, 0.04, 0.15]))
            echo = result
        if random.random() < 0.1:  # the drift that the aligner does not correct
            drift = 1 + random.uniform(-60, 60) * 1e-6
            echo = np.append(soxr.resample(echo, RATE * drift, RATE), np.zeros(RATE, np.float32))[: len(echo)]
        if random.random() < 0.06:  # the playback stops for a moment, but not the reference
            at = int(random.uniform(0, 0.9) * len(echo))
            echo[at : at + int(random.uniform(0.01, 0.15) * RATE)] = 0
        return echo

    def _loudspeaker(self, reference: np.ndarray) -> np.ndarray:
        """Returns what a loudspeaker makes of the reference: distortion and a frequency response."""
        random = self.random
        peak = np.abs(reference).max() + 1e-6
        played = _filtered(reference, equalizer(random, 2, (30, 200))) / peak
        choice = random.random()
        if choice < 0.25:
            pass
        elif choice < 0.5:
            drive = 10 ** (random.uniform(-10, 12) / 20)
            played = np.tanh(played * drive) / drive
        elif choice < 0.65:
            limit = 10 ** (random.uniform(-14, 0) / 20)
            played = np.clip(played, -limit, limit)
        elif choice < 0.85:  # an asymmetric sigmoid (Comminiello et al., 2013)
            drive = 10 ** (random.uniform(-10, 3) / 20)
            bent = 1.5 * played * drive - 0.3 * (played * drive) ** 2
            played = 4 * (2 / (1 + np.exp(-np.where(bent > 0, 4, 0.5) * bent)) - 1) / drive
        else:
            a, b = random.normal(0, 0.15, 2)
            played = played + a * played**2 + b * played**3
        return _filtered(played.astype(np.float32), equalizer(random, 4, (80, 700)))


def _filtered(samples: np.ndarray, response: np.ndarray) -> np.ndarray:
    return signal.fftconvolve(samples, response)[: len(samples)].astype(np.float32)


def scaled(samples: np.ndarray, level: float) -> np.ndarray:
    """Scales to an effective value over the parts that are not silent."""
    power = np.add.reduceat(samples.astype(np.float64) ** 2, np.arange(0, len(samples), 320)) / 320
    active = power[power > 1e-3 * power.max()] if power.max() > 0 else power
    return (samples * (level / np.sqrt(active.mean() + 1e-12))).astype(np.float32)
