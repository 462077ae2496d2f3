"""Sounds made by code: tones of lines and devices, instruments, wind, keys, dishes and fans, which no voice makes; and
whispers, made from voices."""

from __future__ import annotations

import numpy as np
from scipy import linalg, signal

RATE = 16000
# Major, minor, and five tones, in semitones.
_SCALES = ((0, 2, 4, 5, 7, 9, 11), (0, 2, 3, 5, 7, 8, 10), (0, 3, 5, 7, 10))


def colored(random: np.random.Generator, count: int) -> np.ndarray:
    """Returns stationary noise of a random color, with an effective value of 1."""
    spectrum = np.fft.rfft(random.normal(size=count))
    frequency = np.maximum(np.fft.rfftfreq(count, 1 / RATE), 20)
    spectrum *= frequency ** (-random.uniform(0, 1.2))
    noise = np.fft.irfft(spectrum, count)
    noise /= np.sqrt(np.mean(noise**2))
    if random.random() < 0.3:
        tone = random.choice([50, 60]) * random.integers(1, 9)
        noise += random.uniform(0.1, 1) * np.sin(2 * np.pi * tone * np.arange(count) / RATE)
    return noise


def clicks(random: np.random.Generator, count: int) -> np.ndarray:
    """Returns short resonant knocks at random times, as those of keys and dishes."""
    result = np.zeros(count + RATE, np.float32)
    time = np.arange(int(0.12 * RATE)) / RATE
    at = 0
    while at < count:
        knock = np.zeros(len(time))
        for _ in range(random.integers(1, 5)):
            decay, tone = random.uniform(0.002, 0.03), random.uniform(200, 7000)
            knock += np.exp(-time / decay) * np.sin(2 * np.pi * tone * time) * random.normal()
        knock += random.normal(size=len(time)) * np.exp(-time / 0.004)
        result[at : at + len(knock)] += knock * 10 ** (random.normal(0, 4) / 20)
        at += int(random.exponential(0.2) * RATE) + 300
    return result[:count]


def dishes(random: np.random.Generator, count: int) -> np.ndarray:
    """Returns plates, pans and cutlery that are struck, one after another or in quick succession, at times beside a tap."""
    result = np.zeros(count + RATE, np.float32)
    pieces = [_piece(random) for _ in range(random.integers(2, 8))]
    pace, at = random.uniform(0.05, 0.6), int(random.uniform(0, 0.3) * RATE)
    while at < count:
        piece, hit = pieces[random.integers(len(pieces))], at
        for bounce in range(random.geometric(0.5)):
            if hit >= count:
                break
            softer = 10 ** (random.normal(-4 * bounce, 5) / 20)
            result[hit : hit + len(piece)] += piece * softer
            hit += int(random.uniform(0.02, 0.15) * RATE)
        at += int(random.exponential(pace) * RATE) + 80
    result = result[:count] / (np.sqrt(np.mean(result[:count] ** 2)) + 1e-9)
    if random.random() < 0.3:
        result = result + colored(random, count) * _gusts(random, count, 2) * 10 ** (random.uniform(-20, 3) / 20)
    return result


def _piece(random: np.random.Generator) -> np.ndarray:
    """Returns 0.9 s of one piece of crockery or metal that is struck: partials in no order, the high ones fade sooner."""
    time = np.arange(int(0.9 * RATE)) / RATE
    ring, result = np.exp(random.uniform(np.log(0.02), np.log(0.4))), np.zeros(len(time))
    for _ in range(random.integers(3, 12)):
        tone = np.exp(random.uniform(np.log(250), np.log(7500)))
        decay = ring * random.uniform(0.3, 1) / (1 + tone / 3000)
        result += random.normal() * np.exp(-time / decay) * np.sin(2 * np.pi * tone * time + random.uniform(0, 6))
    result += random.normal(size=len(time)) * np.exp(-time / random.uniform(0.001, 0.01)) * random.uniform(0.2, 2)
    return (result * np.minimum(1, (time[-1] - time) / 0.05)).astype(np.float32)


def whispered(random: np.random.Generator, voice: np.ndarray) -> np.ndarray:
    """Returns a whisper: noise through the linear prediction of a voice, with less of its low frequencies."""
    size, step, order = RATE * 30 // 1000, RATE * 10 // 1000, 16
    window, result = signal.windows.hann(size, sym=False), np.zeros(len(voice) + size, np.float32)
    emphasized = signal.lfilter([1, -random.uniform(0.3, 0.97)], 1, voice)
    for start in range(0, len(voice) - size, step):
        part = emphasized[start : start + size] * window
        correlation = np.correlate(part, part, "full")[size - 1 : size + order]
        if correlation[0] < 1e-8:
            continue
        correlation[0] *= 1.001
        taps = linalg.solve_toeplitz(correlation[:-1], correlation[1:])
        power = max(0, correlation[0] - taps @ correlation[1:]) / size
        breath = random.normal(size=size) * np.sqrt(power)
        result[start : start + size] += signal.lfilter([1], np.concatenate([[1], -taps]), breath) * window
    return result[: len(voice)]


def wind(random: np.random.Generator, count: int) -> np.ndarray:
    """Returns wind at a microphone: low noise in gusts, at times with a howl."""
    cut = np.exp(random.uniform(np.log(60), np.log(500)))
    low = signal.sosfilt(signal.butter(random.integers(1, 4), cut, fs=RATE, output="sos"), random.normal(size=count))
    result = low / np.sqrt(np.mean(low**2)) * _gusts(random, count, random.uniform(3, 12))
    if random.random() < 0.3:
        middle = np.exp(random.uniform(np.log(200), np.log(900)))
        resonance = signal.iirpeak(middle, random.uniform(3, 15), RATE)
        howl = signal.lfilter(*resonance, random.normal(size=count))
        howl *= _gusts(random, count, 6) / np.sqrt(np.mean(howl**2))
        result = result + random.uniform(0.1, 0.7) * howl
    return result


def rain(random: np.random.Generator, count: int) -> np.ndarray:
    """Returns rain on a roof, a window or leaves: drops of any size over the hiss of those far away."""
    drops = np.zeros(count)
    times = random.integers(count, size=int(count / RATE * np.exp(random.uniform(np.log(5), np.log(2000)))) + 1)
    np.add.at(drops, times, random.normal(size=len(times)) * np.exp(random.normal(0, random.uniform(0.3, 1.5), len(times))))
    ground = np.zeros(int(0.04 * RATE))
    time = np.arange(len(ground)) / RATE
    for _ in range(random.integers(2, 7)):
        tone, decay = np.exp(random.uniform(np.log(150), np.log(7000))), random.uniform(0.0005, 0.008)
        ground += np.sin(2 * np.pi * tone * time + random.uniform(0, 6)) * np.exp(-time / decay) * random.uniform(0.2, 1)
    near = signal.fftconvolve(drops, ground)[:count]
    far = colored(random, count) * _gusts(random, count, random.uniform(0, 2))
    return near / (np.sqrt(np.mean(near**2)) + 1e-9) + far * 10 ** (random.uniform(-20, 10) / 20)


def _gusts(random: np.random.Generator, count: int, spread: float) -> np.ndarray:
    """Returns a gain that wanders by `spread` dB, some times a second."""
    points = 2 + int(count / RATE * random.uniform(1, 6))
    return 10 ** (np.interp(np.arange(count), np.linspace(0, count, points), random.normal(0, spread, points)) / 20)


def tones(random: np.random.Generator, count: int) -> np.ndarray:
    """Returns the tones of a line or of a device: steady, in beeps, as dialled digits, or gliding."""
    time = np.arange(count) / RATE
    choice = random.random()
    if choice < 0.3:  # one or two steady tones, which may beat
        first = np.exp(random.uniform(np.log(80), np.log(4000)))
        others = [first * random.uniform(1.001, 1.5)] if random.random() < 0.5 else []
        result = _sines(random, time, [first, *others])
    elif choice < 0.6:  # beeps: lines, appliances, trucks
        pitches = random.choice([425, 440, 480, 350, 620, 950, 1400, 1800, 2000, 2700], random.integers(1, 3), False)
        if random.random() < 0.6:
            pitches = np.exp(random.uniform(np.log(150), np.log(4000), random.integers(1, 3)))
        period, share = random.uniform(0.2, 3), random.uniform(0.1, 0.7)
        result = _sines(random, time, pitches) * _smooth((time / period + random.random()) % 1 < share)
    elif choice < 0.75:  # dialled digits
        result, at = np.zeros(count), 0
        while at < count:
            length, pause = int(random.uniform(0.06, 0.25) * RATE), int(random.uniform(0.05, 0.4) * RATE)
            part = time[at : at + length]
            pitches = [random.choice([697, 770, 852, 941]), random.choice([1209, 1336, 1477, 1633])]
            result[at : at + length] = _sines(random, part, pitches)
            at += length + pause
    else:  # sirens, whistles, motors that change their speed
        points = random.integers(2, 12)
        middle = np.exp(random.uniform(np.log(150), np.log(2500)))
        octaves = np.interp(np.arange(count), np.linspace(0, count, points), random.uniform(-1, 1, points))
        phase = 2 * np.pi * np.cumsum(middle * 2 ** (octaves * random.uniform(0.05, 1))) / RATE
        partials = random.integers(1, 8)
        fall = random.uniform(0.3, 2)
        result = sum(np.sin(k * phase) / k**fall for k in range(1, partials + 1))
    return result + 1e-3 * random.normal(size=count)


def _sines(random: np.random.Generator, time: np.ndarray, pitches: list[float]) -> np.ndarray:
    return sum(random.uniform(0.3, 1) * np.sin(2 * np.pi * pitch * time + random.uniform(0, 6)) for pitch in pitches)


def _smooth(gate: np.ndarray) -> np.ndarray:
    return signal.fftconvolve(gate.astype(np.float32), np.ones(80) / 80, "same")


def instrument(random: np.random.Generator, count: int) -> np.ndarray:
    """Returns notes of one instrument, one at a time or in chords, in a scale or in any order."""
    result = np.zeros(count + 6 * RATE, np.float32)
    steps = _SCALES[random.integers(len(_SCALES))] if random.random() < 0.7 else tuple(range(12))
    base = np.exp(random.uniform(np.log(60), np.log(500)))
    pace = random.uniform(0.12, 0.9)
    notes = (_Blown, _Plucked, _String, _Bar)[random.choice(4, p=[0.35, 0.25, 0.25, 0.15])](random)
    at = int(random.uniform(0, 0.5) * RATE)
    while at < count:
        length = int(min(2.5, pace * random.choice([1, 1, 2, 4]) + notes.rings) * RATE)
        for _ in range(random.choice([1, 1, 1, 3])):
            pitch = base * 2 ** ((random.choice(steps) + 12 * random.integers(0, 3)) / 12)
            result[at : at + length] += notes.note(pitch, length) * 10 ** (random.normal(0, 3) / 20)
        at += int(pace * random.choice([1, 1, 2, 4]) * RATE)
    return result[:count] + 1e-4 * random.normal(size=count)


class _Blown:
    """Notes that are blown or bowed: steady partials, with breath."""

    rings = 0.05

    def __init__(self, random: np.random.Generator):
        self._random = random
        self._step = 2 if random.random() < 0.2 else 1  # of a clarinet
        self._fall, self._vibrato = random.uniform(0.5, 2), random.uniform(0, 0.008)
        self._breath = random.uniform(0, 0.05)

    def note(self, pitch: float, length: int) -> np.ndarray:
        time = (np.arange(length) / RATE).astype(np.float32)
        cycles = pitch * time - self._vibrato * pitch / (2 * np.pi * 5.5) * np.cos(34.56 * time)
        phase = (2 * np.pi * (cycles % 1)).astype(np.float32)
        note = np.zeros(length, np.float32)
        for k in range(1, min(12, int(7500 / pitch) + 1), self._step):
            note += np.sin(k * phase + np.float32(self._random.uniform(0, 6))) * np.float32(k**-self._fall)
        note *= np.minimum(1, time / self._random.uniform(0.01, 0.12)) * np.minimum(1, (time[-1] - time) / 0.04)
        return note + self._breath * self._random.normal(size=length)


class _Plucked:
    """Notes that are plucked or struck: partials that decay, the higher the sooner, and that may be a little too high."""

    def __init__(self, random: np.random.Generator):
        self._random = random
        self._fall, self._decay = random.uniform(0.5, 2), random.uniform(0.15, 2)
        self._stiffness = 10 ** random.uniform(-4.5, -2.8) if random.random() < 0.6 else 0
        self._damping = random.uniform(0, 0.8)
        self.rings = 2 * self._decay

    def note(self, pitch: float, length: int) -> np.ndarray:
        time = (np.arange(length) / RATE).astype(np.float32)
        note = np.zeros(length, np.float32)
        for k in range(1, 13):
            partial = k * pitch * np.sqrt(1 + self._stiffness * k * k)
            if partial > 7800:
                break
            fading = np.exp(-time * np.float32((1 + self._damping * (k - 1)) / self._decay)) * np.float32(k**-self._fall)
            note += np.sin((2 * np.pi * ((partial * time) % 1)).astype(np.float32) + np.float32(k)) * fading
        return note * np.minimum(1, time / 0.002)


class _String:
    """Notes of a plucked string (K. Karplus and A. Strong, 1983)."""

    rings = 1.2

    def __init__(self, random: np.random.Generator):
        self._random = random
        self._kept, self._blend = random.uniform(0.98, 0.999), random.uniform(0.3, 0.7)

    def note(self, pitch: float, length: int) -> np.ndarray:
        line = self._random.uniform(-1, 1, max(2, round(RATE / pitch)))
        turns = []
        for _ in range(length // len(line) + 1):
            turns.append(line)
            line = self._kept * (self._blend * line + (1 - self._blend) * np.roll(line, -1))
        return np.concatenate(turns)[:length].astype(np.float32)


class _Bar:
    """Notes of a bar, plate or bell: few partials, far from harmonic."""

    _PARTIALS = ((1, 2.756, 5.404), (1, 3.98, 9.2), (0.5, 1, 1.19, 1.5, 2, 2.66), (1, 1.5, 1.98, 2.44))

    def __init__(self, random: np.random.Generator):
        self._random = random
        self._partials = self._PARTIALS[random.integers(len(self._PARTIALS))]
        self._decay, self._fall = random.uniform(0.1, 1.5), random.uniform(0.3, 1.5)
        self.rings = self._decay

    def note(self, pitch: float, length: int) -> np.ndarray:
        time = (np.arange(length) / RATE).astype(np.float32)
        parts = (np.sin(2 * np.pi * pitch * ratio * time) * np.exp(-time * (1 + ratio) / (2 * self._decay))
                 * ratio**-self._fall for ratio in self._partials if pitch * ratio < 7800)
        return sum(parts, np.zeros(length, np.float32)).astype(np.float32)
