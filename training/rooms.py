"""Rooms as boxes: impulse responses by image sources (Allen and Berkley, 1979), with absorption that rises with
frequency, and from measured responses."""

from __future__ import annotations

import numpy as np
from scipy import signal

RATE = 16000
SPEED_OF_SOUND = 343.0
_OVERSAMPLING = 4
# The bands in which walls reflect differently, as (low, high) in Hz.
_BANDS = ((0, 700), (700, 2500), (2500, 8000))


class Room:
    """A box with one microphone."""

    def __init__(self, random: np.random.Generator):
        self.random = random
        self.size = random.uniform((2.5, 2.5, 2.2), (8, 6, 3.5))
        self.decay = np.exp(random.uniform(np.log(0.12), np.log(0.7)))  # RT60 in s
        self.microphone = self._inside(self.size * random.uniform(0.15, 0.85, 3))
        volume, (x, y, z) = self.size.prod(), self.size
        surface = 2 * (x * y + y * z + x * z)
        absorption = min(0.9, 0.161 * volume / (surface * self.decay))
        rise = random.uniform(1.0, 1.5, 2)
        self.reflections = [np.sqrt(1 - min(0.95, absorption * factor)) for factor in (1, rise[0], rise[0] * rise[1])]

    def place(self, distance: tuple[float, float]) -> np.ndarray:
        """Returns a position that is about that far from the microphone, in m."""
        wanted = self.random.uniform(*distance)
        direction = self.random.normal(size=3) * (1, 1, 0.4)
        return self._inside(self.microphone + wanted * direction / np.linalg.norm(direction))

    def near(self, position: np.ndarray, distance: float) -> np.ndarray:
        """Returns a position that is at most `distance` from another one."""
        return self._inside(position + self.random.uniform(-distance, distance, 3))

    def response(self, source: np.ndarray) -> np.ndarray:
        """Returns the impulse response from a position to the microphone, its direct sound at its distance."""
        length = min(1.0, 1.1 * self.decay + 0.03)
        reach = np.ceil(length * SPEED_OF_SOUND / (2 * self.size)).astype(int)
        # A box's images repeat with twice its size. More than this many are too faint to hear.
        reach = np.minimum(reach, 14)
        index = np.stack(np.meshgrid(*(np.arange(-r, r + 1) for r in reach), indexing="ij"), -1).reshape(-1, 1, 3)
        mirror = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
        images = 2 * index * self.size + np.where(mirror, -source, source)
        order = (np.abs(2 * index - mirror)).sum(-1).ravel()
        distance = np.linalg.norm(images - self.microphone, axis=-1).ravel() + 0.02
        time = distance / SPEED_OF_SOUND * RATE * _OVERSAMPLING
        # Rooms are no perfect boxes: later images arrive a little off.
        time += np.minimum(order, 8) * self.random.normal(0, 1.5, len(time))
        count = int(length * RATE) * _OVERSAMPLING
        kept = (time >= 0) & (time < count - 1)
        time, order, distance = time[kept].astype(int), order[kept], distance[kept]
        result = np.zeros(count // _OVERSAMPLING)
        for (low, high), reflection in zip(_BANDS, self.reflections):
            taps = np.bincount(time, reflection**order / distance, count)
            result += _band(low, high, taps)
        return result.astype(np.float32)

    def _inside(self, position: np.ndarray) -> np.ndarray:
        return np.clip(position, 0.1, self.size - 0.1)


def _band(low: float, high: float, taps: np.ndarray) -> np.ndarray:
    """Filters an oversampled response to a band, and decimates it."""
    spectrum = np.fft.rfft(taps)
    frequency = np.fft.rfftfreq(len(taps), 1 / (RATE * _OVERSAMPLING))
    edge = lambda at: 1 / (1 + (frequency / at) ** 8) if at else np.zeros_like(frequency)
    spectrum *= edge(min(high, 7600)) - edge(low)
    count = len(taps) // _OVERSAMPLING
    return np.fft.irfft(spectrum[: count // 2 + 1], count) / _OVERSAMPLING


def equalizer(random: np.random.Generator, spread: float, low_cut: tuple[float, float], taps: int = 128) -> np.ndarray:
    """Returns a minimum-phase filter of a device: smooth deviations of `spread` dB, and a high-pass."""
    size = 1024
    frequency = np.fft.rfftfreq(size, 1 / RATE)
    points = np.geomspace(60, 8000, 9)
    decibels = np.interp(np.log(frequency + 1), np.log(points + 1), random.normal(0, spread, len(points)))
    cut = np.exp(random.uniform(*np.log(low_cut)))
    decibels -= 10 * random.choice([1, 2]) * np.log10(1 + (cut / np.maximum(frequency, 1)) ** 4)
    decibels = np.maximum(decibels, -60)
    cepstrum = np.fft.irfft(decibels * np.log(10) / 20)
    cepstrum[1 : size // 2] *= 2
    cepstrum[size // 2 + 1 :] = 0
    response = np.fft.irfft(np.exp(np.fft.rfft(cepstrum)))[:taps]
    return (response * signal.windows.hann(2 * taps)[taps:]).astype(np.float32)
