"""The features of many calls at once on a GPU: equal to `features.features`, which defines them."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

import features

_WIDTH = 128  # the bands of a call, as a power of two
_BINS_WIDTH = 256


@triton.jit
def _follow_cross_power(
        error, echo, first, end, output, frames, BINS: tl.constexpr, WIDTH: tl.constexpr):
    """Writes the power of the smoothed cross spectrum of error and echo estimate of a call, from its first frame on."""
    call = tl.program_id(0)
    bins = tl.arange(0, WIDTH)
    inside = bins < BINS
    real = tl.zeros([WIDTH], tl.float32)
    imaginary = tl.zeros([WIDTH], tl.float32)
    for frame in range(tl.load(first + call), tl.load(end + call)):
        place = (call.to(tl.int64) * frames + frame) * BINS + bins
        a = tl.load(error + 2 * place, inside, 0.0)
        b = tl.load(error + 2 * place + 1, inside, 0.0)
        c = tl.load(echo + 2 * place, inside, 0.0)
        d = tl.load(echo + 2 * place + 1, inside, 0.0)
        real += 0.2 * (a * c + b * d - real)
        imaginary += 0.2 * (b * c - a * d - imaginary)
        tl.store(output + place, real * real + imaginary * imaginary, inside)


@triton.jit
def _follow_levels(
        bands, cross, dither, louder, first, begin, end, output, calls, frames,
        BANDS: tl.constexpr, WIDTH: tl.constexpr, DITHER_FRAMES: tl.constexpr, SMALLEST: tl.constexpr,
        LOUDEST: tl.constexpr, RISE: tl.constexpr, KEPT: tl.constexpr, SILENCE: tl.constexpr,
        SILENT_GAIN: tl.constexpr, FAR_ABOVE: tl.constexpr, NOISE_FRAMES: tl.constexpr,
        ONSET_FRAMES: tl.constexpr, MOST_ABOVE: tl.constexpr):
    """Writes the features of a call from frame `begin` to `end`; their state begins at `first`. See `FeatureState`."""
    call = tl.program_id(0)
    band = tl.arange(0, WIDTH)
    inside = band < BANDS
    size = calls.to(tl.int64) * frames * BANDS
    error = tl.full([WIDTH], SMALLEST, tl.float32)
    echo = tl.full([WIDTH], SMALLEST, tl.float32)
    floor = tl.full([WIDTH], 1e-2, tl.float32)
    far_above = tl.zeros([WIDTH], tl.float32)
    leakage = tl.full([WIDTH], 1e2, tl.float32)
    more = tl.load(louder + call)
    loudness = 0 * more + LOUDEST / 4
    since_silence = 0 * more + 1e9
    start, shown = tl.load(first + call), tl.load(begin + call)
    for frame in range(start, tl.load(end + call)):
        place = (call.to(tl.int64) * frames + frame) * BANDS + band
        e = tl.load(bands + place, inside, 0.0)
        d = tl.load(bands + size + place, inside, 0.0)
        m = tl.load(bands + 2 * size + place, inside, 0.0)
        r = tl.load(bands + 3 * size + place, inside, 0.0)
        power = tl.sum(m) / BANDS
        loudness = tl.maximum(tl.minimum(power, loudness * RISE), tl.maximum(loudness * KEPT, LOUDEST / 4))
        factor = tl.minimum(1.0, LOUDEST / loudness)
        silent = power < SILENCE
        since_silence = tl.where(silent, 0.0, since_silence + 1)
        added = tl.load(dither + ((frame - start) % DITHER_FRAMES) * BANDS + band, inside, 0.0) * more
        added = added * tl.where(silent, SILENT_GAIN, 1.0) / factor
        e += added
        m += added
        error += 0.2 * (e - error)
        echo += 0.2 * (d - echo)
        far_above = tl.where(error > FAR_ABOVE * floor, far_above + 1, 0.0)
        rise = tl.where(far_above > tl.maximum(NOISE_FRAMES, since_silence - ONSET_FRAMES), 1.05, 1.004)
        floor = tl.minimum(error, floor * rise) + SMALLEST
        ratio = (error + SMALLEST) / (echo + 1e-3 * error + SMALLEST)
        leakage = tl.minimum(ratio, leakage * 1.003 + 1e-6)
        coherence = tl.load(cross + place, inside, 0.0) / (error * echo + SMALLEST * (error + SMALLEST))
        level = tl.log(e + SMALLEST)
        shift = tl.log(factor) / 8 + 1.4
        above_leakage = (level - tl.log(leakage * echo + SMALLEST)) / 4
        if frame >= shown:
            row = output + ((frame - shown).to(tl.int64) * calls + call) * (7 * BANDS) + band
            tl.store(row, level / 8 + shift, inside)
            tl.store(row + BANDS, tl.log(d + SMALLEST) / 8 + shift, inside)
            tl.store(row + 2 * BANDS, tl.log(m + SMALLEST) / 8 + shift, inside)
            tl.store(row + 3 * BANDS, tl.log(r + SMALLEST) / 8 + 1.4, inside)
            tl.store(row + 4 * BANDS, tl.minimum(coherence, 2.0), inside)
            tl.store(row + 5 * BANDS, tl.minimum((level - tl.log(floor)) / 4, MOST_ABOVE), inside)
            tl.store(row + 6 * BANDS, tl.minimum(tl.maximum(above_leakage, -3.0), 3.0), inside)


def power(spectrum: torch.Tensor) -> torch.Tensor:
    return spectrum.real.square() + spectrum.imag.square()


class DeviceFeatures:
    """Computes features on a device. On a processor, Triton interprets the kernels (`TRITON_INTERPRET=1`)."""

    def __init__(self, device: str):
        self._averages = torch.tensor(features.AVERAGES, device=device)
        self._dither = torch.tensor(features.DITHER, device=device)

    def __call__(
            self, error: torch.Tensor, microphone: torch.Tensor, reference: torch.Tensor, louder: torch.Tensor,
            first: torch.Tensor, begin: torch.Tensor, count: int) -> torch.Tensor:
        """Returns `count` frames x calls x values from the frame `begin` of each call on, of spectra of calls x frames
        x bins. The state of the features begins at the frame `first` of each call. `louder` is a factor of the dither."""
        calls, frames, bins = error.shape
        echo, end = microphone - error, begin + count
        bands = torch.stack([power(spectrum) @ self._averages for spectrum in (error, echo, microphone, reference)])
        cross = torch.zeros(calls, frames, bins, device=error.device)
        _follow_cross_power[(calls,)](
            torch.view_as_real(error.contiguous()), torch.view_as_real(echo.contiguous()), first, end, cross, frames,
            bins, _BINS_WIDTH, num_warps=4)
        cross = cross @ self._averages
        found = torch.empty(count, calls, features.FEATURES * features.BANDS, device=error.device)
        _follow_levels[(calls,)](
            bands, cross, self._dither, louder, first, begin, end, found, calls, frames, features.BANDS, _WIDTH,
            features.DITHER_FRAMES, features.SMALLEST_POWER, features.LOUDEST, features.LOUDNESS_RISE,
            features.LOUDNESS_KEPT, features.SILENCE,
            features.SILENT_DITHER_GAIN, features.FAR_ABOVE,
            features.NOISE_FRAMES, features.ONSET_FRAMES, features.MAXIMUM_ABOVE_FLOOR, num_warps=4)
        return found
