"""Makes scenes to isolate a voice in: a talker near by whose voice is kept, others farther away, and a television."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import signal

sys.path.append(str(Path(__file__).parent.parent))
from corpus import OVERLAPS, RATE, Corpus, recordings  # noqa: E402
from inputs import BANDS, INPUTS, bands, levels, loudness  # noqa: E402
from prepare_voices import bands_of, heard  # noqa: E402
from rooms import Room, equalizer  # noqa: E402
from scenes import SceneMaker, scaled  # noqa: E402
from speakers import Speaker, load, other_voice  # noqa: E402

FRAMES = 1200
COUNT = FRAMES * RATE // 100
# The frames of the recording that a voice is enrolled with.
ENROLLED = 300
_PACES = (0.83, 0.87, 0.91, 0.95, 1.0, 1.0, 1.0, 1.06, 1.1, 1.15, 1.21)
# RT60, in s.
_SHORTEST_DECAY, _LONGEST_DECAY = 0.17, 0.8
# Magnitudes are stored to this power, relative to the loudness.
COMPRESSION = 0.3


@dataclass
class Voice:
    """A speaker at a pace, with recordings for a scene and others to be enrolled with."""

    speaker: Speaker
    pace: float
    clips: list[np.ndarray]
    others: list[np.ndarray]


class TalkMaker:
    """Makes scenes at random."""

    def __init__(self, speakers: list[Speaker], noise: list[np.ndarray], music: list[np.ndarray], seed: int):
        self.random = np.random.default_rng(seed)
        # Speakers with many recordings are chosen more often, but not much more often.
        self.speakers = [speaker for speaker in speakers if speaker.seconds >= 4]
        shares = np.sqrt([min(speaker.seconds, 60) for speaker in self.speakers])
        self.shares = shares / shares.sum()
        clips = [clip for speaker in self.speakers for clip in speaker.clips]
        self.noises = SceneMaker(Corpus(clips, noise, music), [], seed)

    def voice(self, avoid: str = "") -> Voice:
        """Returns a speaker, whose recordings are split between scene and enrolment."""
        random = self.random
        while True:
            speaker = self.speakers[random.choice(len(self.speakers), p=self.shares)]
            if speaker.name != avoid:
                break
        pace = random.choice(_PACES)
        clips = list(speaker.clips)
        random.shuffle(clips)
        if len(clips) == 1:
            middle = len(clips[0]) // 2
            return Voice(speaker, pace, [clips[0][:middle]], [clips[0][middle:]])
        half = max(1, len(clips) // 2)
        return Voice(speaker, pace, clips[:half], clips[half:])

    def enrolment(self, voice: Voice) -> np.ndarray:
        """Returns the inputs of the encoder for the recording that a voice is enrolled with."""
        needed = int(ENROLLED * RATE / 100 * voice.pace) + 2
        samples = np.resize(np.concatenate(voice.others), max(needed, min(sum(map(len, voice.others)), 10 * needed)))
        start = self.random.integers(len(samples) - needed + 1)
        sound = other_voice(samples[start : start + needed], voice.pace)
        return bands_of(heard(sound[: ENROLLED * RATE // 100], self.random))

    def talk(self, voices: list[Voice], turns: list[tuple[float, float]]) -> np.ndarray:
        """Returns voices that talk within turns, of seconds, one voice in each part."""
        result = np.zeros(COUNT, np.float32)
        for begin, end in turns:
            at, end = int(begin * RATE), min(int(end * RATE), COUNT)
            while at < end - RATE // 5:
                voice = voices[self.random.integers(len(voices))]
                clip = voice.clips[self.random.integers(len(voice.clips))]
                length = int(self.random.uniform(1, 5) * RATE * voice.pace)
                start = self.random.integers(max(1, len(clip) - length))
                part = other_voice(clip[start : start + length], voice.pace)[: end - at]
                part = part * 10 ** (self.random.normal(0, 1.5) / 20)
                fade = min(80, len(part) // 2)
                part[:fade] *= np.linspace(0, 1, fade)
                part[-fade:] *= np.linspace(1, 0, fade)
                result[at : at + len(part)] += part
                at += len(part) + int(self.random.exponential(0.5) * RATE)
        return result

    def turns(self) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
        """Returns when the kept talker talks and when the others do: one after the other, or both at once."""
        random, length = self.random, COUNT / RATE
        choice = random.random()
        if choice < 0.1:
            return [(random.uniform(0, 2), length)], []
        if choice < 0.16:
            return [], [(random.uniform(0, 2), length)]
        kept, others = [], []
        at, keeps = random.uniform(0, 1), random.random() < 0.62
        while at < length:
            lasts = random.uniform(1, 4)
            if random.random() < 0.2 and at > 2:  # both
                kept.append((at, at + lasts))
                others.append((at + random.uniform(-0.3, 0.3), at + lasts))
            else:
                (kept if keeps else others).append((at, at + lasts))
            at += lasts + max(0, random.normal(0.2, 0.5))
            keeps = not keeps
        if random.random() < 0.25 and kept:  # the others, or a television, go on all the time from some moment on
            others = [(random.uniform(0, length / 2), length)]
        return kept, [(max(0, begin), end) for begin, end in others]

    def television(self, speech: np.ndarray) -> np.ndarray:
        """Returns a television: speech with music, compressed, through a small loudspeaker."""
        random = self.random
        on = np.flatnonzero(speech)
        sound = scaled(speech, 1) if len(on) else speech
        if len(on) and random.random() < 0.7:
            music = scaled(self.noises._music(COUNT), 10 ** (-random.uniform(-3, 18) / 20))
            music[: on[0]] = 0
            sound = sound + music
        drive = 10 ** (random.uniform(-6, 3) / 20)
        sound = np.tanh(sound * drive) / drive
        return signal.fftconvolve(sound, equalizer(random, 4, (80, 500)))[:COUNT].astype(np.float32)

    def make(self) -> dict[str, np.ndarray]:
        random, room = self.random, self.room()
        own = self.voice()
        others = [self.voice(own.speaker.name) for _ in range(random.choice([1, 2, 3], p=[0.7, 0.2, 0.1]))]
        turns, turns_of_others = self.turns()
        distance = random.uniform(0.2, 1.0) if random.random() < 0.93 else random.uniform(1.0, 1.6)
        beside = random.random() < 0.1  # another voice is as near as the kept one: for enrolled voices alone
        away = random.uniform(0.2, 1.2) if beside else random.uniform(max(1.8, 2 * distance), 4.5)
        color = equalizer(random, 3, (20, 150))
        level = 10 ** (random.uniform(-50, -12) / 20)
        lower = random.uniform(-4, 6) if beside else random.uniform(3, 20) if random.random() < 0.9 else random.uniform(-3, 3)
        is_television = random.random() < 0.3
        kept = self.placed(self.talk([own], turns), room, distance, color, level)
        talk = self.talk(others, turns_of_others)
        talk = self.television(talk) if is_television else talk
        removed = self.placed(talk, room, away, color, level * 10 ** (-lower / 20))
        distance_of_noise = random.uniform(3, 45) if random.random() < 0.7 else 60
        noise = scaled(self.noises.noise(COUNT, room), level * 10 ** (-distance_of_noise / 20))
        noise += random.normal(0, 10 ** (random.uniform(-100, -72) / 20), COUNT)
        return self.stored(kept, removed, noise, own, others, beside)

    def room(self) -> Room:
        """Returns a room in which distances can be heard: without reverberation a voice far away is just softer."""
        while True:
            room = Room(self.random)
            if _SHORTEST_DECAY < room.decay < _LONGEST_DECAY:
                return room

    def placed(
        self, talk: np.ndarray, room: Room, distance: float, color: np.ndarray, level: float) -> np.ndarray:
        """Returns a talker at the microphone."""
        if not talk.any():
            return talk
        response = np.convolve(room.response(room.place((distance, distance))), color)
        return scaled(signal.fftconvolve(talk, response)[:COUNT], level)

    def stored(
        self, kept: np.ndarray, removed: np.ndarray, noise: np.ndarray, own: Voice, others: list[Voice], beside: bool
    ) -> dict[str, np.ndarray]:
        """Returns what training needs of a scene."""
        powers = bands(kept + removed + noise)
        loudest = loudness(powers)
        compressed = lambda part: ((bands(part) / loudest[:, None]) ** (COMPRESSION / 2)).astype(np.float16)
        names = {own.speaker.name, *(voice.speaker.name for voice in others)}
        absent = self.voice()
        while absent.speaker.name in names:
            absent = self.voice()
        return {
            "inputs": levels(powers, loudest).astype(np.float16), "kept": compressed(kept), "removed": compressed(removed),
            "own": self.enrolment(own), "absent": self.enrolment(absent), "beside": np.array(beside)}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("corpus", type=Path)
    options.add_argument("folder", type=Path, help="the folder of the files of scenes")
    options.add_argument("--files", type=int, default=40)
    options.add_argument("--count", type=int, default=100, help="scenes of a file")
    options.add_argument("--held-out", action="store_true")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    overlaps = set(OVERLAPS.read_text().splitlines())
    sounds = [
        [samples for index, (name, samples) in enumerate(recordings(chosen.corpus, kind))
         if name not in overlaps and (index % 10 == 7) == chosen.held_out]
        for kind in ("noise", "music")]
    maker = TalkMaker(load(chosen.corpus, chosen.held_out), *sounds, chosen.seed)
    chosen.folder.mkdir(exist_ok=True)
    for index in range(chosen.files):
        made = [maker.make() for _ in range(chosen.count)]
        file = chosen.folder / f"{chosen.seed}-{index}.npz"
        np.savez(file.with_suffix(".part.npz"), **{name: np.stack([scene[name] for scene in made]) for name in made[0]})
        file.with_suffix(".part.npz").rename(file)


if __name__ == "__main__":
    main()
