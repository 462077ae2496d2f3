"""Scenes of a person who talks to a bot: turns, pauses, backchannels, coughs and keys, with the bot's echo and noise.

A scene is 24 s of the microphone and of the reference, with a label for each 10 ms of the microphone."""

from __future__ import annotations

import pickle
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy import signal

sys.path.append(str(Path(__file__).parent.parent))
import sounds as steady  # noqa: E402
from corpus import Corpus, recordings  # noqa: E402
from rooms import Room  # noqa: E402

import short_sounds  # noqa: E402
from voices import HOP, RATE, SENTENCES, WORDS, Voice, load  # noqa: E402

FRAMES = 2400
SILENCE, SPEECH, BACKCHANNEL, NO_SPEECH = range(4)
NO_PAUSE, HOLD, END = range(3)
# Ends count for this long, in frames.
_END_FRAMES = 200
# Things that make short sounds, among the recordings of noise.
_THINGS = "tuxpaint_sfx"
_TYPING = "bucklespring_typing"


@dataclass
class Material:
    """The sounds that scenes are made of."""

    sentences: list[Voice]
    words: list[Voice]
    bots: list[Voice]
    spoken: short_sounds.Spoken
    noise: list[np.ndarray]
    typing: list[np.ndarray]
    things: list[np.ndarray]

    @staticmethod
    def load(corpus: Path, held_out: bool, work: Path, random: np.random.Generator) -> "Material":
        """Reads the material for training, or that for measurements. The folder `work` keeps it for the next time."""
        cache = work / f"material{int(held_out)}.pickle"
        if cache.exists():
            return pickle.loads(cache.read_bytes())
        found: dict[str, list[np.ndarray]] = {_THINGS: [], _TYPING: [], "": []}
        for index, (name, samples) in enumerate(recordings(corpus, "noise")):
            if (index % 6 == 0) == held_out:
                source = name.split("/")[1]
                samples = samples.astype(np.float32) / 32768
                found[source if source in found else ""].append(samples)
        sentences = load(corpus, held_out)
        material = Material(
            sentences, load(corpus, held_out, WORDS), load(corpus, held_out, ("asterisk", "fillets-ng")) + sentences,
            short_sounds.Spoken(random, work / f"spoken{int(held_out)}"), found[""], found[_TYPING], found[_THINGS])
        cache.write_bytes(pickle.dumps(material))
        return material


@dataclass
class Scene:
    """The signals of a scene, their labels, and the sounds in it as (kind, first frame, frame after the last)."""

    microphone: np.ndarray
    reference: np.ndarray | None
    kinds: np.ndarray
    pauses: np.ndarray
    events: list[tuple[str, int, int]]


@dataclass
class _Timeline:
    near: np.ndarray = field(default_factory=lambda: np.zeros(FRAMES * HOP, np.float32))
    bot: np.ndarray = field(default_factory=lambda: np.zeros(FRAMES * HOP, np.float32))
    kinds: np.ndarray = field(default_factory=lambda: np.zeros(FRAMES, np.uint8))
    pauses: np.ndarray = field(default_factory=lambda: np.zeros(FRAMES, np.uint8))
    events: list[tuple[str, int, int]] = field(default_factory=list)

    def add(self, samples: np.ndarray, active: np.ndarray, at: int, kind: int, name: str) -> int:
        """Adds a sound of the person at a frame. Returns the frame after it."""
        end = min(at + len(active), FRAMES)
        part = samples[: (end - at) * HOP]
        self.near[at * HOP : at * HOP + len(part)] += part
        self.kinds[at:end][active[: end - at]] = kind
        self.events.append((name, at, end))
        return end


class Maker:
    """Makes scenes, each from its own number."""

    def __init__(self, material: Material):
        self.material = material

    def scene(self, seed: int) -> Scene:
        random = np.random.default_rng(seed)
        time = _Timeline()
        has_bot = random.random() < 0.6
        speaker, bot = self._speaker(random), self.material.bots[random.integers(len(self.material.bots))]
        (self._dialogue if has_bot else self._monologue)(random, time, speaker, bot)
        return self._record(random, time, has_bot)

    # Timelines

    def _speaker(self, random: np.random.Generator) -> list[Voice]:
        """Returns utterances of one speaker, where the speaker is known."""
        voice = self.material.sentences[random.integers(len(self.material.sentences))]
        folder = voice.name.rsplit("/", 1)[0]
        return [other for other in self.material.sentences if other.name.rsplit("/", 1)[0] == folder]

    def _monologue(self, random, time: _Timeline, speaker: list[Voice], bot: Voice) -> None:
        at = int(random.uniform(10, 200))
        while at < FRAMES - 60:
            if random.random() < 0.45:
                at = self._noise(random, time, at) + int(random.uniform(40, 150))
                continue
            pause = random.choice([random.uniform(60, 160), random.uniform(160, 400)])
            at = self._turn(random, time, at, speaker) + int(pause)

    def _dialogue(self, random, time: _Timeline, speaker: list[Voice], bot: Voice) -> None:
        at = int(random.uniform(0, 60))
        while at < FRAMES - 100:
            length = int(random.uniform(150, 700))
            choice, begin = random.random(), at + int(random.uniform(15, max(40, length * 0.7)))
            if choice < 0.25:
                end = self._speak(random, time, bot, at, length)
                if random.random() < 0.5:
                    end = self._turn(random, time, end + int(random.uniform(15, 150)), speaker)
            elif choice < 0.47:
                end = max(self._speak(random, time, bot, at, length), self._noise(random, time, begin))
            elif choice < 0.67:
                end = max(self._speak(random, time, bot, at, length), self._backchannel(random, time, begin))
            else:
                goes_on = random.random() < 0.3
                heard = int(random.uniform(15, 100))
                self._speak(random, time, bot, at, length if goes_on else begin - at + heard)
                end = self._turn(random, time, begin, speaker)
            at = end + int(random.uniform(15, 200))

    def _speak(self, random, time: _Timeline, bot: Voice, at: int, length: int) -> int:
        """Adds the bot's voice. Returns the frame after it."""
        end = min(at + length, FRAMES)
        start = random.integers(max(1, len(bot.samples) - length * HOP))
        samples = np.resize(bot.samples[start:], (end - at) * HOP) if end > at else bot.samples[:0]
        time.bot[at * HOP : end * HOP] = samples
        time.events.append(("bot", at, end))
        return end

    def _noise(self, random, time: _Timeline, at: int) -> int:
        samples = short_sounds.noise(random, self.material.typing, self.material.things)
        return self._short(random, time, at, samples, NO_SPEECH, "noise", random.normal(0, 6))

    def _backchannel(self, random, time: _Timeline, at: int) -> int:
        samples = short_sounds.backchannel(random, self.material.spoken)
        return self._short(random, time, at, samples, BACKCHANNEL, "backchannel", random.normal(-5, 4))

    def _short(self, random, time: _Timeline, at: int, samples: np.ndarray, kind: int, name: str, level: float) -> int:
        """Adds a short sound `level` dB above speech."""
        if at >= FRAMES - 20 or len(samples) < 3 * HOP or np.abs(samples).max() < 1e-4:
            return at
        count = -(-len(samples) // HOP)
        frames = np.pad(samples, (0, count * HOP - len(samples))).reshape(count, HOP)
        power = (frames**2).mean(1)
        active = power > power.max() * 10**-2.5
        for start in range(count):  # gaps within it belong to it
            if not active[start] and active[:start].any() and active[start : start + 25].any() and kind != NO_SPEECH:
                active[start] = True
        samples = frames.ravel() * 0.08 * 10 ** (level / 20) / np.sqrt(power[active].mean() + 1e-12)
        return time.add(samples.astype(np.float32), active, at, kind, name)

    def _turn(self, random, time: _Timeline, at: int, speaker: list[Voice]) -> int:
        """Adds a turn. Returns the frame after it."""
        if at >= FRAMES - 40:
            return at
        if random.random() < 0.15 and self.material.words:
            voice = self.material.words[random.integers(len(self.material.words))]
        else:
            voice = speaker[random.integers(len(speaker))]
        voice = _faster(voice, random.uniform(0.87, 1.16)) if random.random() < 0.6 else voice
        voice = _last_part(random, voice) if len(voice.active) > 500 and random.random() < 0.5 else voice
        samples, active = _with_pauses(random, voice)
        level = 10 ** (random.normal(0, 2) / 20)
        end = time.add(level * samples, active, at, SPEECH, "turn")
        part = time.pauses[at:end]
        part[(~active[: end - at])] = HOLD
        if at + len(active) <= FRAMES:
            time.pauses[end : end + _END_FRAMES] = END
        return end

    # Recordings

    def _record(self, random, time: _Timeline, has_bot: bool) -> Scene:
        room = Room(random)
        near, echo = time.near, np.zeros_like(time.bot)
        if random.random() < 0.9:
            near = _through(near, room.response(room.place((0.2, 2.0))))
        has_reference = has_bot or random.random() < 0.5
        reference = time.bot * 10 ** (random.uniform(-6, 12) / 20)
        if has_bot and random.random() < 0.8:
            played = np.tanh(reference * 3) / 3 if random.random() < 0.3 else reference
            echo = _through(played, room.response(room.place((0.1, 2.0))))
            echo = np.roll(echo, int(random.uniform(0, 0.15) * RATE))
            power = np.sqrt((echo**2).mean() / max(1e-3, (time.bot != 0).mean()) + 1e-12)
            echo *= 0.05 / power * 10 ** (random.uniform(-24, 8) / 20)
        microphone = near / (np.sqrt((near**2).sum() / max(1, (time.kinds == SPEECH).sum() * HOP)) + 1e-6) * 0.05 + echo
        bed = _noise_bed(random, self.material.noise, len(microphone))
        microphone += bed * 0.05 * 10 ** (-random.uniform(6, 45) / 20)
        microphone *= 10 ** (random.uniform(-18, 9) / 20)
        microphone = np.clip(microphone, -1, 1).astype(np.float32)
        # Labels of what cannot be heard would teach nothing: pauses end where another sound begins.
        pauses = time.pauses.copy()
        pauses[(time.kinds != SILENCE) & (pauses != NO_PAUSE)] = NO_PAUSE
        later = np.flatnonzero((pauses == END) & (np.cumsum(time.kinds == SPEECH) == 0))
        pauses[later] = NO_PAUSE
        heard = reference.astype(np.float32) if has_reference else None
        return Scene(microphone, heard, time.kinds, pauses, time.events)


def _through(samples: np.ndarray, response: np.ndarray) -> np.ndarray:
    """Returns a signal through a response, without the delay of the direct sound."""
    direct = int(np.abs(response).argmax())
    return signal.fftconvolve(samples, response)[direct : direct + len(samples)]


def _faster(voice: Voice, factor: float) -> Voice:
    """Returns an utterance that is faster and higher by a factor."""
    count = int(len(voice.active) / factor)
    places = np.minimum((np.arange(count) * factor).astype(int), len(voice.active) - 1)
    active = voice.active[places]
    active[0] = active[-1] = True
    return Voice(voice.name, signal.resample(voice.samples, count * HOP).astype(np.float32), active)


def _last_part(random: np.random.Generator, voice: Voice) -> Voice:
    """Returns the end of a long utterance, from the end of one of its pauses on."""
    gaps = [end for _, end in voice.gaps(15) if end < len(voice.active) - 60]
    if not gaps:
        return voice
    start = gaps[random.integers(len(gaps))]
    return Voice(voice.name, voice.samples[start * HOP :], voice.active[start:])


def _with_pauses(random: np.random.Generator, voice: Voice) -> tuple[np.ndarray, np.ndarray]:
    """Returns an utterance some of whose pauses are longer, and that may also pause where it hardly does."""
    samples, active = voice.samples, voice.active
    gaps = voice.gaps(10)
    chosen = [gap for gap in gaps if random.random() < 0.35]
    frames = samples.reshape(-1, HOP)
    power = (frames**2).mean(1)
    for _ in range(random.choice([0, 1, 2, 3], p=[0.4, 0.3, 0.2, 0.1])):  # the softest place of a stretch
        if len(active) > 120:
            first = random.integers(30, len(active) - 60)
            place = first + int(power[first : first + 25].argmin())
            if active[place - 1 : place + 2].all():
                chosen.append((place, place + 1))
    for start, end in sorted(chosen, reverse=True):
        place = (start + end) // 2
        length = int(np.clip(random.lognormal(np.log(50), 0.7), 12, 200))
        silence = voice.silence(random, length * HOP)
        samples = np.concatenate([samples[: place * HOP], silence.astype(np.float32), samples[place * HOP :]])
        active = np.concatenate([active[:place], np.zeros(length, bool), active[place:]])
    tail = voice.silence(random, 100 * HOP) * np.linspace(1, 0, 100 * HOP) ** 2
    samples = np.concatenate([samples, tail.astype(np.float32)])
    return samples, active


def _noise_bed(random: np.random.Generator, noise: list[np.ndarray], count: int) -> np.ndarray:
    """Returns noise with an effective value of 1."""
    if random.random() < 0.55:
        clip = noise[random.integers(len(noise))]
        bed = np.resize(np.roll(clip, random.integers(len(clip))), count).astype(float)
    else:
        bed = steady.colored(random, count)
    return bed / (np.sqrt((bed**2).mean()) + 1e-9)
