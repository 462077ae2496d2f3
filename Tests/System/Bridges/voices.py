"""Voices for tests: espeak-ng at any rate, as samples in -1...1."""

import subprocess
import wave
from functools import cache
from io import BytesIO

import numpy as np


@cache
def spoken(text: str, rate: int, voice: str = "en-us", speed: int = 160) -> np.ndarray:
    """Returns a spoken text with a peak of 0.5."""
    data = subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "--stdout", text], check=True,
                          capture_output=True).stdout
    with wave.open(BytesIO(data)) as file:
        own = file.getframerate()
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768
    times = np.arange(0, len(samples) / own, 1 / rate)
    # Enough for a voice: a short average keeps the images of the interpolation down.
    result = np.interp(times, np.arange(len(samples)) / own, samples)
    return 0.5 * result / np.max(np.abs(result))


def level(samples: np.ndarray) -> float:
    """Returns the level in dB below full scale."""
    return float(10 * np.log10(np.mean(np.square(samples)) + 1e-12))


def pcm(samples: np.ndarray) -> bytes:
    return (np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()


def from_pcm(data: bytes) -> np.ndarray:
    return np.frombuffer(data[: len(data) // 2 * 2], "<i2") / 32768


_DECODED = {}


def _decoded(law: str) -> np.ndarray:
    """Returns the samples of the 256 codes of G.711."""
    if law not in _DECODED:
        codes = np.arange(256)
        if law == "ulaw":
            bits = ~codes & 0xFF
            magnitude = ((((bits & 15) << 3) + 0x84) << ((bits >> 4) & 7)) - 0x84
            sign = np.where(bits & 0x80, -1, 1)
        else:
            bits = codes ^ 0x55
            segment = (bits >> 4) & 7
            step = ((bits & 15) << 4) + 8
            magnitude = np.where(segment == 0, step, (step + 0x100) << np.maximum(segment - 1, 0))
            sign = np.where(bits & 0x80, 1, -1)
        _DECODED[law] = sign * magnitude / 32768
    return _DECODED[law]


def from_g711(data: bytes, law: str = "ulaw") -> np.ndarray:
    return _decoded(law)[np.frombuffer(data, np.uint8)]


def g711(samples: np.ndarray, law: str = "ulaw") -> bytes:
    """Returns the nearest codes."""
    decoded = _decoded(law)
    order = np.argsort(decoded, kind="stable")
    middles = (decoded[order][1:] + decoded[order][:-1]) / 2
    return order[np.searchsorted(middles, samples)].astype(np.uint8).tobytes()
