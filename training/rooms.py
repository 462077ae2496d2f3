"""Rooms as boxes: impulse responses by image sources (Allen and Berkley, 1979) with absorption that rises with frequency,
followed by a diffuse tail, and the frequency responses of devices."""

from __future__ import annotations

import numpy as np
from scipy import fft, signal

RATE = 16000
SPEED_OF_SOUND = 343.0
_OVERSAMPLING = 4
# The bands in which walls reflect differently, as (low, high) in Hz.
_BANDS = ((0, 700), (700, 2500), (2500, 8000))
# The frequencies by which the tail of each band changes from place to place, in Hz.
_MIDDLES = np.array([350, 1500, 4000])
# The end of the image sources, in s. Images are complete up to there. In the last third the tail fades in.
_JOINT = 0.075
_FADE = 0.025
# The longest response, in s.
_LONGEST = 1.15


class Room:
    """A box with one microphone."""

    def __init__(self, random: np.random.Generator):
        self.random = random
        self.size = random.uniform((2.5, 2.5, 2.2), (8, 6, 3.5))
        self.decay = np.exp(random.uniform(np.log(0.12), np.log(1.0)))  # RT60 of the lowest band in s
        self.microphone = self._inside(self.size * random.uniform(0.15, 0.85, 3))
        # High frequencies decay faster.
        rise = random.uniform(1.0, 1.5, 2)
        self.decays = self.decay / np.array([1, rise[0], rise[0] * rise[1]])
        volume, (x, y, z) = self.size.prod(), self.size
        surface = 2 * (x * y + y * z + x * z)
        # By the formula of Eyring. Images lose a square root of the power in amplitude at each wall.
        self.reflections = np.exp(-0.5 * 0.161 * volume / (surface * self.decays))
        self._length = min(_LONGEST, 1.1 * self.decay + 0.03)
        self._prepare_images()
        self._place: np.ndarray | None = None

    def place(self, distance: tuple[float, float]) -> np.ndarray:
        """Returns a position that is about that far from the microphone, in m."""
        wanted = self.random.uniform(*distance)
        # The best of some directions, because walls are in the way of many.
        directions = self.random.normal(size=(8, 3)) * (1, 1, 0.4)
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        places = self._inside(self.microphone + wanted * directions)
        errors = np.abs(np.linalg.norm(places - self.microphone, axis=1) - wanted)
        return places[errors.argmin()]

    def near(self, position: np.ndarray, distance: float) -> np.ndarray:
        """Returns a position that is at most `distance` from another one."""
        return self._inside(position + self.random.uniform(-distance, distance, 3))

    def response(self, source: np.ndarray) -> np.ndarray:
        """Returns the impulse response from a position to the microphone, its direct sound at its distance."""
        early = self._images(source)
        count, joint = int(self._length * RATE), len(early[0])
        if count <= joint:
            return early.sum(0)[:count].astype(np.float32)
        result = np.zeros(count)
        fade, middle = int(_FADE * RATE), joint - int(_FADE * RATE) // 2
        rise = np.zeros(count)
        rise[joint - fade : joint] = np.sin(0.5 * np.pi * (np.arange(fade) + 0.5) / fade)
        rise[joint:] = 1
        fall = np.sqrt(1 - rise[:joint] ** 2)
        time = (np.arange(count) - middle) / RATE
        for part, tail, decay in zip(early, self._tail(source, count), self.decays):
            shape = 10 ** (-3 * time / decay)
            # The tail has the power of the images round the middle of the joint.
            near = slice(max(0, joint - 2 * fade), joint)
            level = np.sqrt((part[near] ** 2).sum() / (shape[near] ** 2).sum())
            result[:joint] += part * fall
            result += level * shape * rise * tail
        return result.astype(np.float32)

    def _prepare_images(self) -> None:
        """Finds the images that may arrive before the joint: twice the size of the box, a multiple of it in each
        direction, and whether they are mirrored."""
        farthest = _JOINT * SPEED_OF_SOUND
        reach = np.ceil(farthest / (2 * self.size)).astype(int) + 1
        index = np.stack(np.meshgrid(*(np.arange(-r, r + 1) for r in reach), indexing="ij"), -1).reshape(-1, 1, 3)
        mirror = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
        offset = (2 * index * self.size + 0 * mirror).reshape(-1, 3)
        sign = np.broadcast_to(1 - 2 * mirror, (len(index), 8, 3)).reshape(-1, 3)
        order = np.abs(2 * index - mirror).sum(-1).ravel()
        # No source of the box brings an image nearer than this.
        center = offset + sign * self.size / 2
        possible = np.linalg.norm(np.maximum(np.abs(center - self.microphone) - self.size / 2, 0), axis=1) < farthest
        self._offset, self._sign, self._order = offset[possible], sign[possible], order[possible]
        # Rooms are no perfect boxes: later images arrive a little off, at the same time wherever the source is.
        self._late = np.minimum(self._order, 8) * self.random.normal(0, 1.5, len(self._order))
        self._loss = self.reflections[:, None] ** self._order

    def _images(self, source: np.ndarray) -> np.ndarray:
        """Returns bands x samples: the response up to the joint."""
        distance = np.linalg.norm(self._offset + self._sign * source - self.microphone, axis=1) + 0.02
        time = distance / SPEED_OF_SOUND * RATE * _OVERSAMPLING + self._late
        count = int(_JOINT * RATE) * _OVERSAMPLING
        # Some ms more than are kept, because the filters of the bands are circular.
        longer = count + 240 * _OVERSAMPLING
        kept = (time >= 0) & (time < count)
        time = time[kept].astype(int)
        return np.stack([
            _band(low, high, np.bincount(time, loss[kept] / distance[kept], longer), _OVERSAMPLING)[: int(_JOINT * RATE)]
            for (low, high), loss in zip(_BANDS, self._loss)
        ])

    def _tail(self, source: np.ndarray, count: int) -> np.ndarray:
        """Returns bands x samples of noise with a power of 1, which changes with the position of the source as that of
        a diffuse field."""
        fast = fft.next_fast_len(count, real=True) + 1 & ~1
        noise = np.stack([_band(low, high, self.random.normal(size=fast))[:count] for low, high in _BANDS])
        noise /= np.sqrt((noise**2).mean(1, keepdims=True))
        if self._place is not None:
            way = np.linalg.norm(source - self._place)
            same = np.maximum(np.sinc(2 * _MIDDLES * way / SPEED_OF_SOUND), 0)[:, None]
            # Past the first zero little is left in common.
            same = np.where(2 * _MIDDLES[:, None] * way < SPEED_OF_SOUND, same, 0)
            noise = same * self._noise + np.sqrt(1 - same**2) * noise
        self._place, self._noise = source, noise
        return noise

    def _inside(self, position: np.ndarray) -> np.ndarray:
        return np.clip(position, 0.1, self.size - 0.1)


def _band(low: float, high: float, taps: np.ndarray, oversampling: int = 1) -> np.ndarray:
    """Filters a response to a band, and decimates it."""
    spectrum = fft.rfft(taps)
    frequency = fft.rfftfreq(len(taps), 1 / (RATE * oversampling))
    edge = lambda at: 1 / (1 + (frequency / at) ** 8) if at else np.zeros_like(frequency)
    spectrum *= edge(min(high, 7600)) - edge(low)
    count = len(taps) // oversampling
    return fft.irfft(spectrum[: count // 2 + 1], count) / oversampling


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
