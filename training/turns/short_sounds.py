"""Sounds of people and things that take no turn: backchannels, laughter, coughs, keys and knocks, made by code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import soundfile
from scipy import signal

sys.path.append(str(Path(__file__).parent.parent))
import sounds  # noqa: E402

RATE = 16000
_WORDS = ("mhm", "mm-hmm", "uh-huh", "hmm", "mm", "m-hm", "aha", "mmm")
_VOICES = ("en-us", "en-gb", "en-gb-scotland", "de", "fr", "it", "nl", "pl", "sv", "es")
_VARIANTS = ("", "+f1", "+f2", "+f3", "+f4", "+m1", "+m2", "+m3", "+m4", "+m5", "+m6", "+m7")
_FORMANTS = {"a": (730, 1090, 2440), "e": (530, 1840, 2480), "o": (570, 840, 2410), "i": (300, 2100, 2900),
             "u": (310, 870, 2250), "@": (500, 1500, 2500)}


def _resonate(source: np.ndarray, formants: list[tuple[float, float]]) -> np.ndarray:
    """Returns a source through resonances, as pairs of their frequency and their bandwidth in Hz."""
    for frequency, width in formants:
        radius = np.exp(-np.pi * width / RATE)
        angle = 2 * np.pi * min(frequency, 7000) / RATE
        turned = 2 * radius * np.cos(angle)
        source = signal.lfilter([1 - turned + radius**2], [1, -turned, radius**2], source)
    return source


def _glottis(random: np.random.Generator, pitch: np.ndarray) -> np.ndarray:
    """Returns pulses of a glottis with this pitch in Hz at each sample, with jitter and breath."""
    jitter = signal.lfilter([0.02], [1, -0.98], random.normal(size=len(pitch))) * random.uniform(0, 0.15)
    phase = np.cumsum(pitch * (1 + jitter)) / RATE % 1
    open_share = random.uniform(0.4, 0.7)
    pulse = np.where(phase < open_share, np.sin(np.pi * phase / open_share) ** 2, 0)
    return np.diff(pulse, prepend=0) + random.uniform(0.005, 0.04) * random.normal(size=len(pitch)) * pulse


def _shape(random: np.random.Generator, count: int) -> np.ndarray:
    """Returns an envelope that rises and falls."""
    rise, fall = int(count * random.uniform(0.1, 0.4)) + 1, int(count * random.uniform(0.2, 0.5)) + 1
    envelope = np.ones(count)
    envelope[:rise] = np.sin(np.linspace(0, np.pi / 2, rise)) ** 2
    envelope[-fall:] *= np.cos(np.linspace(0, np.pi / 2, fall)) ** 2
    return envelope


def _contour(random: np.random.Generator, count: int, base: float) -> np.ndarray:
    points = random.integers(2, 5)
    octaves = np.interp(np.arange(count), np.linspace(0, count, points), random.normal(0, 0.18, points))
    return base * 2**octaves


def hum(random: np.random.Generator) -> np.ndarray:
    """Returns "mhm" or "hmm" with a closed mouth: one or two voiced sounds of the nose, with breath between them."""
    base = np.exp(random.uniform(np.log(85), np.log(280)))
    nose = [(random.uniform(220, 330), random.uniform(40, 90)), (random.uniform(900, 1300), random.uniform(120, 300)),
            (random.uniform(2000, 2600), random.uniform(200, 400))]
    parts = []
    syllables = random.choice([1, 2, 2, 3], p=[0.3, 0.3, 0.3, 0.1])
    for index in range(syllables):
        count = int(random.uniform(0.09, 0.3 if syllables > 1 else 0.55) * RATE)
        pitch = _contour(random, count, base * 2 ** (index * random.normal(0.15, 0.2)))
        sound = _resonate(_glottis(random, pitch), nose)
        sound = signal.lfilter(*signal.butter(1, random.uniform(400, 900), fs=RATE), sound)
        parts.append(sound / (np.abs(sound).max() + 1e-9) * _shape(random, count))
        if index + 1 < syllables:
            gap = int(random.uniform(0.02, 0.12) * RATE)
            breath = _resonate(random.normal(size=gap), [(1500, 600)])
            parts.append(breath / (np.abs(breath).max() + 1e-9) * random.uniform(0.01, 0.12))
    return np.concatenate(parts)


def laugh(random: np.random.Generator) -> np.ndarray:
    """Returns laughter: "ha" or "he" again and again, each softer and lower than the one before, voiced or not."""
    base = np.exp(random.uniform(np.log(110), np.log(420)))
    vowel = _FORMANTS[random.choice(list(_FORMANTS))]
    size = random.uniform(0.9, 1.25)
    formants = [(frequency * size, random.uniform(60, 180)) for frequency in vowel]
    pace, parts, level = random.uniform(0.13, 0.26), [], 1.0
    is_voiced = random.random() < 0.8
    for index in range(random.integers(2, 9)):
        count = int(pace * random.uniform(0.35, 0.6) * RATE)
        breath = int(pace * RATE) - count
        pitch = _contour(random, count, base * 2 ** (-0.06 * index))
        voice = _resonate(_glottis(random, pitch), formants) if is_voiced else random.normal(size=count)
        puff = _resonate(random.normal(size=breath + count), formants)
        puff *= np.concatenate([np.linspace(0, 1, breath), np.linspace(1, 0.1, count)])
        puff *= random.uniform(0.05, 0.4) / (np.abs(puff).max() + 1e-9)
        if is_voiced:
            puff[breath:] += voice / (np.abs(voice).max() + 1e-9) * _shape(random, count)
        parts.append(puff * level)
        level *= random.uniform(0.75, 1.02)
    return np.concatenate(parts)


class Spoken:
    """Backchannels spoken by eSpeak NG, each made once."""

    def __init__(self, random: np.random.Generator, folder: Path, count: int = 240):
        folder.mkdir(parents=True, exist_ok=True)
        self._sounds = []
        for index in range(count):
            file = folder / f"{index}.wav"
            if not file.exists():
                voice = random.choice(_VOICES) + random.choice(_VARIANTS)
                pitch, speed, word = random.integers(10, 90), random.integers(110, 230), random.choice(_WORDS)
                subprocess.run(
                    ["espeak-ng", "-v", voice, "-p", str(pitch), "-s", str(speed), "-w", str(file), str(word)],
                    check=True)
            samples, rate = soundfile.read(file)
            samples = signal.resample_poly(samples, RATE, rate)
            loud = np.flatnonzero(np.abs(samples) > 0.02 * np.abs(samples).max())
            if len(loud):
                self._sounds.append(samples[loud[0] : loud[-1]])

    def take(self, random: np.random.Generator) -> np.ndarray:
        """Returns one of them, at another speed."""
        return signal.resample(sound := self._sounds[random.integers(len(self._sounds))],
                               int(len(sound) * random.uniform(0.8, 1.25)))


def backchannel(random: np.random.Generator, spoken: Spoken) -> np.ndarray:
    """Returns a sign of attention or laughter."""
    choice = random.random()
    return hum(random) if choice < 0.5 else spoken.take(random) if choice < 0.75 else laugh(random)


def cough(random: np.random.Generator) -> np.ndarray:
    """Returns one to four coughs: a burst, a rush of breath, and often a voiced end."""
    tract = [
        (random.uniform(350, 800), random.uniform(150, 400)), (random.uniform(1000, 1800), random.uniform(200, 500)),
        (random.uniform(2200, 3400), random.uniform(300, 700))]
    parts = []
    for _ in range(random.choice([1, 1, 2, 2, 3, 4])):
        count = int(random.uniform(0.18, 0.5) * RATE)
        time = np.arange(count) / RATE
        rush = np.exp(-time / random.uniform(0.02, 0.06)) + random.uniform(0.15, 0.5) * np.exp(
            -time / random.uniform(0.08, 0.25))
        sound = _resonate(random.normal(size=count), tract) * rush * (1 - np.exp(-time / random.uniform(0.001, 0.006)))
        sound /= np.abs(sound).max() + 1e-9
        if random.random() < 0.55:
            start, pitch = int(count * random.uniform(0.2, 0.5)), random.uniform(90, 350)
            voiced = _resonate(_glottis(random, _contour(random, count - start, pitch)), tract)
            voiced *= _shape(random, count - start)
            sound[start:] += random.uniform(0.1, 0.5) * voiced / (np.abs(voiced).max() + 1e-9)
        parts += [sound * random.uniform(0.5, 1), np.zeros(int(random.uniform(0.03, 0.35) * RATE))]
    return np.concatenate(parts[:-1])


def throat(random: np.random.Generator) -> np.ndarray:
    """Returns a throat that is cleared, or a sniff: rough noise, with a creaky voice or without."""
    count = int(random.uniform(0.2, 0.7) * RATE)
    tract = [(random.uniform(250, 700), 300), (random.uniform(1000, 2500), 600)]
    rough = _resonate(random.normal(size=count), tract)
    if random.random() < 0.5:
        creak = _resonate(_glottis(random, _contour(random, count, random.uniform(35, 75))), tract)
        rough = rough / np.abs(rough).max() + random.uniform(0.3, 2) * creak / (np.abs(creak).max() + 1e-9)
    rough *= _shape(random, count)
    return rough / np.abs(rough).max()


def knock(random: np.random.Generator) -> np.ndarray:
    """Returns knocks on wood, cups that are put down, a door: decaying resonances."""
    modes = [(np.exp(random.uniform(np.log(70), np.log(3500))), random.uniform(0.008, 0.12), random.uniform(0.2, 1))
             for _ in range(random.integers(2, 7))]
    result = np.zeros(int(1.6 * RATE))
    at = 0
    for _ in range(random.choice([1, 2, 3, 4])):
        time = np.arange(int(0.4 * RATE)) / RATE
        hit = sum(weight * np.exp(-time / decay) * np.sin(2 * np.pi * pitch * time) for pitch, decay, weight in modes)
        click = random.normal(size=len(time)) * np.exp(-time / random.uniform(0.002, 0.02))
        hit = hit + random.uniform(0.05, 0.8) * click
        end = min(at + len(hit), len(result))
        result[at:end] += (hit * random.uniform(0.5, 1))[: end - at]
        at += int(random.uniform(0.1, 0.4) * RATE)
        if at >= len(result):
            break
    loud = np.flatnonzero(np.abs(result) > 0.01 * np.abs(result).max())
    return result[: loud[-1]]


def keys(random: np.random.Generator, typing: list[np.ndarray]) -> np.ndarray:
    """Returns keys that are typed for a while, recorded or made."""
    count = int(random.uniform(0.15, 1.6) * RATE)
    if typing and random.random() < 0.6:
        clip = typing[random.integers(len(typing))]
        start = random.integers(max(1, len(clip) - count))
        return clip[start : start + count].astype(float)
    return sounds.clicks(random, count).astype(float)


def noise(random: np.random.Generator, typing: list[np.ndarray], things: list[np.ndarray]) -> np.ndarray:
    """Returns a sound that is no speech."""
    choice = random.random()
    if choice < 0.35:
        return cough(random)
    if choice < 0.47:
        return throat(random)
    if choice < 0.67:
        return keys(random, typing)
    if choice < 0.87 or not things:
        return knock(random)
    thing = things[random.integers(len(things))]
    return thing[: int(random.uniform(0.15, 1.2) * RATE)].astype(float)
