"""Measures of sound: delay by cross-correlation, levels, and equal samples."""

import json
import wave

import numpy as np

RATE = 48000


def read_wave(path):
    """The samples of a mono file of 16 bits, and its rate."""
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2"), file.getframerate()


def write_wave(path, rate, *channels):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(len(channels))
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.stack(channels, 1).astype("<i2").tobytes())


def read_floats(path, channels):
    """The samples of a recording of 32-bit floats, with or without a WAV header."""
    content = path.read_bytes()
    if content[:4] == b"RIFF":
        content = content[content.index(b"data") + 8:]
    size = 4 * channels
    return np.frombuffer(content[: len(content) // size * size], "<f4").reshape(-1, channels)


def read_segments(path):
    """The first part of each kind, in seconds."""
    return {kind: parts[0] for kind, parts in json.loads(path.read_text()).items()}


def lag(source, delayed, longest=RATE // 4):
    """By how many samples `delayed` follows `source`, and how alike they then are, 0 to 1."""
    size = 1 << (len(source) + len(delayed)).bit_length()
    product = np.fft.rfft(delayed, size) * np.conj(np.fft.rfft(source, size))
    correlation = np.fft.irfft(product, size)[:longest]
    best = int(np.argmax(correlation))
    count = min(len(source), len(delayed) - best)
    energy = np.sum(source[:count] ** 2.0) * np.sum(delayed[best : best + count] ** 2.0)
    return best, float(correlation[best] / np.sqrt(energy + 1e-20))


def decibels(samples):
    return 10 * np.log10(np.mean(np.square(samples, dtype=np.float64)) + 1e-20)


def silences(samples, longer_than=0):
    """The beginnings and ends of all runs of exact zeros that are longer than a time in seconds."""
    runs = np.flatnonzero(np.diff(np.concatenate(([0], samples == 0, [0])))).reshape(-1, 2)
    return runs[runs[:, 1] - runs[:, 0] > longer_than * RATE]


def longest_silence(samples):
    """The length of the longest run of exact zeros, in seconds."""
    return max((end - begin for begin, end in silences(samples)), default=0) / RATE
