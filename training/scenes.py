"""Calls made by code: a near talker, an echo, noise and competing voices, each known by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import soxr
from scipy import ndimage, signal

from corpus import RATE, Corpus
from rooms import Room, equalizer
from sounds import clicks, colored, dishes, instrument, rain, tones, whispered, wind

# Of a scene, in s.
LENGTH = 6.0
COUNT = int(LENGTH * RATE)
# The longest part of the call before a scene, in s: the canceller converges in it, and it is not used for training.
LONGEST_BEFORE = 15.0
_KINDS = ("double talk", "far end", "no echo", "near end", "noise")
_SHARES = (0.42, 0.2, 0.06, 0.2, 0.12)
# How often there is noise of each kind: beside a talker, and alone.
_NOISES = {
    "recorded": (0.35, 0.19), "colored": (0.15, 0.06), "babble": (0.12, 0.1), "music": (0.1, 0.2), "clicks": (0.08, 0.05),
    "instrument": (0.05, 0.12), "tones": (0.02, 0.06), "wind": (0.05, 0.1), "rain": (0.04, 0.07), "dishes": (0.04, 0.05)}
# The kinds that are made by code.
_MADE = {
    "colored": colored, "clicks": clicks, "instrument": instrument, "tones": tones, "wind": wind, "rain": rain,
    "dishes": dishes}
# A talker above this level in dBFS is loud.
_LOUD = -18.0
# The share of near talkers that are not loud who whisper.
_WHISPERING = 0.06


@dataclass
class Scene:
    """All signals have `COUNT` samples at the microphone's level."""

    microphone: np.ndarray
    reference: np.ndarray
    near: np.ndarray
    competing: np.ndarray
    echo: np.ndarray
    # Microphone and reference before the scene, while nobody talks at the near end: 2 x a whole number of frames.
    before: np.ndarray

    def stack(self) -> np.ndarray:
        """Returns the signals of the scene as int16, in the order of the fields."""
        return _as_int16(np.stack((self.microphone, self.reference, self.near, self.competing, self.echo)))

    def stack_before(self) -> np.ndarray:
        """Returns the call before the scene as int16, at the end of `LONGEST_BEFORE` of digital silence."""
        result = np.zeros((2, int(LONGEST_BEFORE * RATE)), np.int16)
        count = self.before.shape[1]
        result[:, result.shape[1] - count :] = _as_int16(self.before)
        return result


def _as_int16(signals: np.ndarray) -> np.ndarray:
    return (np.clip(signals, -1, 1) * 32767).astype(np.int16)


@dataclass(frozen=True)
class Sort:
    """A sort of scenes to measure with. A property that is None is left to chance."""

    kind: str | None = None
    is_loud: bool | None = None
    is_soft: bool | None = None
    has_competing: bool | None = None
    is_settled: bool | None = None
    is_whispered: bool | None = None
    noise: str | None = None


SORTS = {
    "any": Sort(), "loud": Sort("near end", is_loud=True, has_competing=False), "noise": Sort("noise"),
    "settled": Sort("far end", has_competing=False, is_settled=True),
    "cold": Sort("far end", has_competing=False, is_settled=False),
    "interrupted": Sort("double talk", is_settled=False), "near": Sort("near end"),
    "soft": Sort("near end", is_loud=False, is_soft=True),
    "whispered": Sort("near end", is_loud=False, is_whispered=True, has_competing=False),
    "dishes": Sort("noise", noise="dishes"),
    # The name of this sort is that of files and of columns of log.csv.
    "rivals": Sort("near end", is_loud=False, has_competing=True)}


class SceneMaker:
    """Makes scenes at random from a corpus and a bank of measured room responses."""

    def __init__(self, corpus: Corpus, responses: list[np.ndarray], seed: int):
        self.corpus = corpus
        self.responses = responses
        self.random = np.random.default_rng(seed)
        lengths = np.sqrt([len(clip) for clip in corpus.noise])
        self._noise_shares = lengths / lengths.sum()

    def make(self, sort: Sort = SORTS["any"]) -> Scene:
        random = self.random
        kind = sort.kind or random.choice(_KINDS, p=_SHARES)
        has_talker = kind in ("double talk", "no echo", "near end")
        before = self._before(sort) if kind in ("double talk", "far end", "no echo") else 0
        whole = before + COUNT
        room = Room(random)
        decibels = self.level(sort.is_loud, sort.is_soft)
        level = 10 ** (decibels / 20)
        color = equalizer(random, 3, (20, 150))

        reference = echo = np.zeros(whole, np.float32)
        if kind in ("double talk", "far end", "no echo"):
            reference = self._far_end(whole)
        if kind in ("double talk", "far end"):
            echo = _filtered(self._echo(room, reference, before), color)
            echo = scaled(echo, level * 10 ** (random.normal(2, 9) / 20))
        # There may be a competing voice where nobody talks near by.
        chance = 0.34 if has_talker else 0.1 if kind == "far end" else 0
        has_competing = random.random() < chance if sort.has_competing is None else sort.has_competing
        near = competing = np.zeros(COUNT, np.float32)
        if has_talker:
            near = self._talk(COUNT, random.uniform(0.3, 0.7) if has_competing else random.uniform(0.4, 1))
            by_chance = decibels <= _LOUD and random.random() < _WHISPERING
            if by_chance if sort.is_whispered is None else sort.is_whispered:
                near = whispered(random, near)
            if random.random() < (0.5 if decibels > _LOUD else 0.07):
                near = _compressed(near, random)
            response = self._simulated(room, (0.3, 1)) if has_competing else self._response(room, (0.2, 3))
            near = scaled(_filtered(_filtered(near, response), color), level)
        if has_competing:
            competing = self._talk(COUNT, random.uniform(0.3, 0.8))
            competing = _filtered(_filtered(competing, self._simulated(room, (1.5, 4))), color)
            competing = scaled(competing, level * 10 ** (-random.uniform(3, 20) / 20))
        distance = self.noise_distance() if kind != "noise" else random.uniform(-8, 25)
        noise = _filtered(self.noise(whole, room, alone=kind == "noise", kind=sort.noise), color)
        noise = scaled(noise, level * 10 ** (-distance / 20))
        noise += random.normal(0, 10 ** (random.uniform(-92, -68) / 20), whole)

        gain = np.ones(COUNT, np.float32)
        if random.random() < 0.1:  # a device that follows the level by itself
            gain *= self._wandering_gain(COUNT)
        if random.random() < 0.05:
            gain *= self._gap(COUNT)
        earlier = np.stack([echo[:before] + noise[:before], reference[:before]])
        parts = [near * gain, competing * gain, echo[before:] * gain, noise[before:] * gain]
        return self.mixed(parts, reference[before:], earlier, decibels)

    def mixed(self, parts: list[np.ndarray], reference: np.ndarray, before: np.ndarray, decibels: float) -> Scene:
        """Returns the scene of a microphone, the sum of near talker, competing voice, echo and noise. The microphone may be
        overdriven: its distortion of the sum is applied to each part as a gain. `decibels` is the level of the talker."""
        random = self.random
        microphone = sum(parts)
        most = max(np.abs(microphone).max(), np.abs(before[0]).max(initial=0)) + 1e-9
        choice, limit = random.random(), np.inf
        if decibels > _LOUD and choice < 1 / 3:
            limit = 0.999  # of the converter
        elif decibels > _LOUD and choice < 2 / 3:  # a device that holds the peaks down
            peaks = ndimage.maximum_filter1d(np.abs(microphone), RATE // 50)
            held = 0.97 / np.maximum(ndimage.uniform_filter1d(peaks, RATE // 100), 0.97)
            parts, before = [part * held for part in parts], before * np.array([[held[0]], [1]])
        elif random.random() < 0.06:
            limit = min(0.999, most * 10 ** (-random.uniform(1, 15) / 20))  # of what comes before it
        else:
            factor = min(1, 0.99 / most)
            parts, before = [part * factor for part in parts], before * np.array([[factor], [1]])
        if np.isfinite(limit):
            saturate = np.tanh if random.random() < 0.4 else lambda values: np.clip(values, -1, 1)
            shape = lambda values: saturate(values / limit) * limit / np.where(values == 0, limit, values)
            shares = np.where(microphone == 0, 1, shape(microphone))
            parts = [part * shares for part in parts]
            before = np.stack([saturate(before[0] / limit) * limit, before[1]])
        near, competing, echo, _ = parts
        before = before.astype(np.float32)
        return Scene(np.clip(sum(parts), -1, 1), reference, near, competing, echo, before)

    # Voices and noise

    def level(self, is_loud: bool | None = None, is_soft: bool | None = None) -> float:
        """Returns the level of the near talker in dBFS, also for scenes without one."""
        if is_loud is None:
            is_loud = self.random.random() < 0.25
        if is_loud:
            return self.random.uniform(_LOUD, -3)
        if is_soft is None:
            is_soft = self.random.random() < 0.2
        level = self.random.uniform(-56, -33) if is_soft else self.random.normal(-27, 6)
        return min(level, _LOUD)

    def _before(self, sort: Sort) -> int:
        """Returns the samples of the call before the scene: none, or 3 to 15 s in whole frames."""
        is_settled = self.random.random() < 0.6 if sort.is_settled is None else sort.is_settled
        return self.random.integers(300, int(LONGEST_BEFORE * 100)) * RATE // 100 if is_settled else 0

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
        """Returns the signal of the loudspeaker, between -45 and -10 dBFS."""
        choice = self.random.random()
        if choice < 0.66:
            far = self._talk(count, self.random.uniform(0.5, 1))
        elif choice < 0.83:
            far = self._music(count)
        elif choice < 0.88:
            far = (instrument if self.random.random() < 0.6 else tones)(self.random, count)
        else:
            far = self._talk(count, 0.7)
            far = far + self._music(count) / 0.1 * 10 ** (-self.random.uniform(0, 15) / 20) * 0.3
        if self.random.random() < 0.3:
            far = far + 10 ** (self.random.uniform(-60, -30) / 20) * colored(self.random, count)
        if self.random.random() < 0.3:
            far = _filtered(far, equalizer(self.random, 3, (50, 300)))
        far = scaled(far.astype(np.float32), 10 ** (self.random.uniform(-40, -14) / 20))
        return np.clip(far, -1, 1)

    def _recorded(self, count: int) -> np.ndarray:
        """Returns recorded noise at another speed and with another color, with an effective value of 1."""
        pace = np.exp(self.random.uniform(-0.35, 0.35))
        needed = int(count * pace) + 2
        parts = np.concatenate([self._clip(self.corpus.noise, needed, self._noise_shares) for _ in range(4)])
        noise = np.interp(np.arange(count) * pace, np.arange(len(parts)), parts, period=len(parts))
        noise = _filtered(noise, equalizer(self.random, 5, (20, 100)))
        return noise / (np.sqrt(np.mean(noise**2)) + 1e-6)

    def noise(
        self, count: int, room: Room | None = None, alone: bool = False, kind: str | None = None) -> np.ndarray:
        """Returns noise of a kind, or of any, with an effective value of 1. `alone` is noise without any talker."""
        random = self.random
        room = room or Room(random)
        shares = np.array([both[alone] for both in _NOISES.values()])
        kind = kind or random.choice(list(_NOISES), p=shares / shares.sum())
        if kind == "recorded":
            noise = self._recorded(count)
            if random.random() < 0.3:
                noise = noise + self._recorded(count) * 10 ** (-random.uniform(0, 12) / 20)
        elif kind == "babble":
            noise = sum(scaled(self._talk(count, 0.9), 1) for _ in range(random.integers(4, 9)))
        elif kind == "music":
            noise = self._music(count)
        else:
            noise = _MADE[kind](random, count)
        # Some music comes from the room, some from the line, such as music on hold.
        if kind in ("music", "instrument", "tones", "dishes") and random.random() < 0.65:
            noise = _filtered(noise, room.response(room.place((0.5, 5))))
        noise = noise / (np.sqrt(np.mean(noise**2)) + 1e-6)
        if random.random() < 0.3:
            noise = noise + colored(random, count) * 10 ** (-random.uniform(0, 20) / 20)
        return noise.astype(np.float32)

    def noise_distance(self) -> float:
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
        """Returns a measured or a simulated response from a talker, normalized to its energy, or none: a talker in a
        studio, or a synthesized one."""
        if self.random.random() < 0.1:
            return np.ones(1, np.float32)
        if self.responses and self.random.random() < 0.15:
            response = self.responses[self.random.integers(len(self.responses))]
            return response / np.sqrt((response**2).sum())
        return self._simulated(room, distance)

    def _simulated(self, room: Room, distance: tuple[float, float]) -> np.ndarray:
        """Returns the response from a talker in a room, normalized to its energy."""
        response = room.response(room.place(distance))
        return response / np.sqrt((response**2).sum())

    def _echo(self, room: Room, reference: np.ndarray, before: int) -> np.ndarray:
        """Returns the loudspeaker's sound at the microphone. The path changes in the scene or within the last second
        before it, which begins after `before` samples, if at all."""
        random = self.random
        played = self._loudspeaker(reference)
        # As many near loudspeakers as far ones.
        distance = np.exp(random.uniform(np.log(0.03), np.log(3))) if random.random() < 0.5 else random.uniform(0.4, 3)
        place = room.place((distance, distance))
        first = room.response(place)
        # The aligner leaves the echo 24 ms behind the reference, sometimes less or more. As a call begins, it does not
        # know the delay.
        choice = random.random()
        if before == 0 and random.random() < 0.3:
            lead = random.uniform(0, 350)
        else:
            lead = random.normal(24, 4) if choice < 0.6 else random.normal(0, 4 if choice < 0.8 else 40)
        lead = int(abs(lead) * RATE / 1000)
        direct = int(np.abs(first).argmax())
        delay = lambda response: np.concatenate([np.zeros(lead, np.float32), response[max(0, direct - 16):]])
        echo = _filtered(played, delay(first))
        change, count = random.random(), len(echo)
        at = before + int(random.uniform(-1 if before else 0.9, 5.1) * RATE)
        if change < 0.15:  # something moved at once
            second = _filtered(played, delay(room.response(room.near(place, 0.5))))
            blend = np.clip((np.arange(count) - at) / random.uniform(80, 3000), 0, 1).astype(np.float32)
            echo = echo * (1 - blend) + second * blend
        elif change < 0.33:  # something moves all the time, or from a moment before the scene on
            start = at if before and random.random() < 0.6 else 0
            echo = self._moving(room, played, place, delay, echo, max(0, start))
        elif change < 0.37:  # the volume changes
            blend = np.clip((np.arange(count) - at) / 800, 0, 1)
            echo = (echo * 10 ** (blend * random.uniform(-12, 12) / 20)).astype(np.float32)
        if random.random() < 0.1:  # the drift that the aligner does not correct
            drift = 1 + random.uniform(-60, 60) * 1e-6
            echo = np.append(soxr.resample(echo, RATE * drift, RATE), np.zeros(RATE, np.float32))[: len(echo)]
        if random.random() < 0.06:  # the playback stops for a moment, but not the reference
            at = before + int(random.uniform(0, 0.9) * COUNT)
            echo[at : at + int(random.uniform(0.01, 0.15) * RATE)] = 0
        return echo

    def _moving(
        self, room: Room, played: np.ndarray, place: np.ndarray, delay: Callable[[np.ndarray], np.ndarray],
        echo: np.ndarray, start: int) -> np.ndarray:
        """Returns an echo whose path moves from `start` on, a station every 1.2 s: until then it is `echo`."""
        step, position = int(1.2 * RATE), place
        result, middle = echo.copy(), start
        result[start:] *= np.maximum(0, 1 - np.arange(len(echo) - start) / step).astype(np.float32)
        while (middle := middle + step) < len(echo) + step:
            position = room.near(position, self.random.choice([0.01, 0.04, 0.15]))
            response = delay(room.response(position))
            begin, end = middle - step, min(middle + step, len(echo))
            history = max(0, begin - len(response))
            part = _filtered(played[history:end], response)[begin - history :]
            result[begin:end] += part * (1 - np.abs(np.arange(begin, end) - middle) / step).astype(np.float32)
        return result

    def _loudspeaker(self, reference: np.ndarray) -> np.ndarray:
        """Returns the output of a loudspeaker for the reference: distortion and a frequency response."""
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


def _compressed(voice: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Returns a voice whose peaks are compressed, as devices and recordings have it, so that it is louder."""
    drive = 10 ** (random.uniform(-8, 6) / 20)
    return np.tanh(voice * drive / (np.sqrt(np.mean(voice**2)) + 1e-6)).astype(np.float32)


def _filtered(samples: np.ndarray, response: np.ndarray) -> np.ndarray:
    return signal.fftconvolve(samples, response)[: len(samples)].astype(np.float32)


def scaled(samples: np.ndarray, level: float) -> np.ndarray:
    """Scales to an effective value over the parts that are not silent."""
    return (samples * factor_to(samples, level)).astype(np.float32)


def factor_to(samples: np.ndarray, level: float) -> float:
    """Returns the factor that gives the parts that are not silent an effective value."""
    power = np.add.reduceat(samples.astype(np.float64) ** 2, np.arange(0, len(samples), 320)) / 320
    active = power[power > 1e-3 * power.max()] if power.max() > 0 else power
    return level / np.sqrt(active.mean() + 1e-12)
