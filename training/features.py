"""The features of a call, the input of the mask network: equal to `SpectralFeatures` in the engine."""

from __future__ import annotations

import numpy as np

HOP = 160
SIZE = 2 * HOP
BINS = HOP + 1
# Bins below 3 kHz are bands of their own. Above, the bands widen.
SINGLE_BINS = 60
WIDE_BANDS = 20
BANDS = SINGLE_BINS + WIDE_BANDS
FEATURES = 7
SMALLEST_POWER = 1e-10
# A dither that is added to the powers of error and microphone, so that no pause is digital silence.
DITHER_POWER = 1e-8
DITHER_FRAMES = 64
# The mean power of the bands to which the loudest frames of louder calls are normalized, -24 dBFS. The loudness rises by
# at most 3 dB in a frame, and falls by 10 dB in a second: equal to `LevelNormalization` in the engine.
LOUDEST = 0.004
LOUDNESS_RISE, LOUDNESS_KEPT = 2, 0.977
# The maximum of the level above the floor, 43 dB, as its feature has it: equal to `SpectralFeatures` in the engine.
MAXIMUM_ABOVE_FLOOR = 2.5
# An error that stays further above its floor since a silence is a noise that has started: the floor rises faster.
SILENCE = 2e-8
# The gain of the dither in silence, for powers.
SILENT_DITHER_GAIN = 10
FAR_ABOVE = 100
NOISE_FRAMES = 75
ONSET_FRAMES = 20


def _centers() -> np.ndarray:
    widths = np.linspace(2.6, 7.4, WIDE_BANDS)
    above = SINGLE_BINS - 1 + np.cumsum(widths) / widths.sum() * (BINS - SINGLE_BINS)
    return np.concatenate([np.arange(SINGLE_BINS), above])


def _weights() -> np.ndarray:
    """Returns bands x bins: each bin belongs to its two nearest bands, as linear interpolation wants it."""
    centers, weights = _centers(), np.zeros((BANDS, BINS), np.float32)
    for bin in range(BINS):
        right = min(int(np.searchsorted(centers, bin)), BANDS - 1)
        left = max(right - 1, 0)
        span = centers[right] - centers[left]
        share = min(1.0, (bin - centers[left]) / span) if span > 0 else 1.0
        weights[left, bin] += 1 - share
        weights[right, bin] += share
    return weights


# Gains of bands become gains of bins by `gains @ INTERPOLATION`; powers of bins become mean powers of bands by
# `powers @ AVERAGES`.
INTERPOLATION = _weights()
AVERAGES = (INTERPOLATION / INTERPOLATION.sum(1, keepdims=True)).T.copy()
WINDOW = np.sqrt(np.hanning(SIZE + 1)[:SIZE]).astype(np.float32)


def spectra(samples: np.ndarray) -> np.ndarray:
    """Returns calls x frames x BINS. Frame k covers the samples of the frames k - 1 and k, and is scaled so that
    white noise has its own power in each bin."""
    frames = np.concatenate([np.zeros_like(samples[:, :HOP]), samples], 1).reshape(len(samples), -1, HOP)
    return windowed(np.concatenate([frames[:, :-1], frames[:, 1:]], 2))


def windowed(blocks: np.ndarray) -> np.ndarray:
    """Returns the spectra of blocks of SIZE samples."""
    return (np.fft.rfft(blocks * WINDOW) / np.sqrt(HOP)).astype(np.complex64)


def power(spectrum: np.ndarray) -> np.ndarray:
    return spectrum.real**2 + spectrum.imag**2


def _dither() -> np.ndarray:
    """Returns DITHER_FRAMES x BANDS powers, which are distributed exponentially: equal to `FeatureDither` in the engine."""
    state, values = 1, []
    for _ in range(DITHER_FRAMES * BANDS):
        state = (state * 1664525 + 1013904223) % 2**32
        values.append(-DITHER_POWER * np.log((state // 256 + 0.5) / 2**24))
    return np.array(values, np.float32).reshape(DITHER_FRAMES, BANDS)


DITHER = _dither()


class FeatureState:
    """The state of the features between frames, for a batch of calls."""

    def __init__(self, calls: int):
        shape = (calls, BANDS)
        self.error = np.full(shape, SMALLEST_POWER, np.float32)
        self.echo = np.full(shape, SMALLEST_POWER, np.float32)
        self.cross = np.zeros((calls, BINS), np.complex64)
        self.floor = np.full(shape, 1e-2, np.float32)
        self.frames_far_above_floor = np.zeros(shape, np.float32)
        self.since_silence = np.full((calls, 1), np.inf, np.float32)
        self.leakage = np.full(shape, 1e2, np.float32)
        self.loudness = np.full((calls, 1), LOUDEST / 4, np.float32)
        self.factor = np.ones((calls, 1), np.float32)

    def frame(self, error: np.ndarray, echo: np.ndarray, bands: np.ndarray, dither: np.ndarray) -> np.ndarray:
        """Returns calls x FEATURES x BANDS. `bands` has the band powers of error, echo estimate, microphone and
        reference, `dither` that of the dither."""
        bands = self.add_dither(bands, dither)
        self.advance(bands)
        self.cross += 0.2 * (error * echo.conj() - self.cross)
        # The power of the error beside the smallest power bounds the effect of rounding where the echo is almost silent.
        least = SMALLEST_POWER * (self.error + SMALLEST_POWER)
        coherence = (power(self.cross) @ AVERAGES) / (self.error * self.echo + least)
        return self.rows(bands, np.minimum(coherence, 2))

    def add_dither(self, bands: np.ndarray, dither: np.ndarray) -> np.ndarray:
        """Updates the level normalization, and returns the band powers of a frame with the dither, which is raised by as
        much as the normalization lowers the call."""
        power = bands[2].mean(1, keepdims=True)
        rising = np.minimum(power, self.loudness * LOUDNESS_RISE)
        falling = np.maximum(self.loudness * np.float32(LOUDNESS_KEPT), np.float32(LOUDEST / 4))
        self.loudness = np.maximum(rising, falling)
        self.factor = np.minimum(1, LOUDEST / self.loudness)
        silent = power < SILENCE
        self.since_silence = np.where(silent, 0, self.since_silence + 1)
        bands = bands.copy()
        bands[[0, 2]] += np.where(silent, np.float32(SILENT_DITHER_GAIN), 1) * dither / self.factor
        return bands

    def advance(self, bands: np.ndarray) -> None:
        """Updates the state with the band powers of a frame, with the dither."""
        e, d = bands[0], bands[1]
        self.error += 0.2 * (e - self.error)
        self.echo += 0.2 * (d - self.echo)
        self.frames_far_above_floor = np.where(self.error > FAR_ABOVE * self.floor, self.frames_far_above_floor + 1, 0)
        least = np.maximum(NOISE_FRAMES, self.since_silence - ONSET_FRAMES)
        rise = np.where(self.frames_far_above_floor > least, np.float32(1.05), np.float32(1.004))
        self.floor = np.minimum(self.error, self.floor * rise) + SMALLEST_POWER
        ratio = (self.error + SMALLEST_POWER) / (self.echo + 1e-3 * self.error + SMALLEST_POWER)
        self.leakage = np.minimum(ratio, self.leakage * 1.003 + 1e-6)

    def rows(self, bands: np.ndarray, coherence: np.ndarray) -> np.ndarray:
        """Returns the features of the frame of the last call of `advance`."""
        levels = np.log(bands + SMALLEST_POWER)
        above_floor = np.minimum((levels[0] - np.log(self.floor)) / 4, MAXIMUM_ABOVE_FLOOR)
        above_leakage = levels[0] - np.log(self.leakage * self.echo + SMALLEST_POWER)
        shift = np.array([1, 1, 1, 0], np.float32)[:, None, None] * np.log(self.factor) / 8 + np.float32(1.4)
        rows = [*(levels / 8 + shift), coherence, above_floor, np.clip(above_leakage / 4, -3, 3)]
        return np.stack(rows, 1)


def features(error: np.ndarray, microphone: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Returns calls x frames x FEATURES x BANDS, of spectra of calls x frames x BINS."""
    echo = microphone - error
    bands = np.stack([power(z) @ AVERAGES for z in (error, echo, microphone, reference)])
    state = FeatureState(len(error))
    return np.stack([
        state.frame(error[:, k], echo[:, k], bands[:, :, k], DITHER[k % DITHER_FRAMES]) for k in range(error.shape[1])
    ], 1)
