"""The voices, music and noise that sessions are made of, chosen by seeds."""
import json

import numpy

from .signals import RATE, at_level, fitted, frame_powers, noise, resampled, voiced_frames

SUFFIXES = (".flac", ".opus", ".wav")


def read(path, rate=RATE):
    """The sound of a file as one channel."""
    import soundfile

    sound, found = soundfile.read(str(path), dtype="float64", always_2d=True)
    return resampled(sound.mean(axis=1), found, rate)


def trimmed(sound, rate=RATE):
    """The sound without the silence at its ends."""
    frames = numpy.flatnonzero(voiced_frames(sound, rate))
    step = rate // 100
    return sound[frames[0] * step:(frames[-1] + 1) * step] if len(frames) else sound[:0]


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)


class Corpus:
    """The recordings of the folders of --quality and --training."""

    def __init__(self, quality, training):
        self.quality, self.training = quality, training
        # Readers: the folders of one voice each. Those of many voices have the voices as single files.
        self.readers = {}
        for path in files(training / "speech"):
            self.readers.setdefault(path.parent, []).append(path)
        crowd = [each for each in self.readers if each.parent.name == "picovoice-wakeword" or each.name == "picovoice"]
        self.crowd = sorted(path for each in crowd for path in self.readers.pop(each))

    def near_voices(self):
        """The clean near voices of the recordings in --quality, of 16 kHz."""
        folder = self.quality / "dev"
        items = json.loads((folder / "manifest.json").read_text())["items"]
        named = [folder / item["near"] for item in items if item.get("near") and item["sample_rate"] == RATE]
        return sorted({*(path for path in named if path.exists()), *folder.glob("Dnsclean*.wav")})

    def one_of_each_voice(self, random, count):
        """Files of `count` voices: a file of each near voice and reader first, then of the crowd."""
        chosen = list(self.near_voices())
        chosen += [paths[random.integers(len(paths))] for _, paths in sorted(self.readers.items())]
        random.shuffle(chosen)
        crowd = list(self.crowd)
        random.shuffle(crowd)
        third = max(0, min(len(crowd), count // 3))
        return (chosen[:count - third] + crowd[:third] + chosen[count - third:])[:count]

    def reader(self, random, seconds, avoid=None):
        """One reader who talks for `seconds`, with pauses of 0.2 to 0.8 s, and the reader's folder.

        Not klettres, which are single letters.
        """
        def length(paths):
            return sum(path.stat().st_size for path in paths if path.suffix == ".opus") / 4000 + 8 * sum(
                path.suffix == ".flac" for path in paths)

        able = [each for each, paths in sorted(self.readers.items())
                if length(paths) > 25 and each != avoid and each.parent.name != "klettres"]
        folder = able[random.integers(len(able))]
        return self.talk(random, self.readers[folder], seconds), folder

    def near_talk(self, random, seconds, avoid=None):
        """One near voice that talks for `seconds`: of --quality in half of the cases, otherwise a reader."""
        if random.random() < 0.5:
            voices = self.near_voices()
            return self.talk(random, [voices[random.integers(len(voices))]], seconds)
        return self.reader(random, seconds, avoid)[0]

    def talk(self, random, paths, seconds):
        """The recordings in random order, again if they do not suffice, with pauses between them."""
        parts, length, order = [], 0, []
        while length < seconds * RATE:
            if not order:
                order = list(random.permutation(len(paths)))
            words = trimmed(read(paths[order.pop()]))
            if len(words) < RATE // 5:
                continue
            pause = numpy.zeros(int(random.uniform(0.2, 0.8) * RATE))
            parts += [at_level(words, -26), pause]
            length += len(words) + len(pause)
        return numpy.concatenate(parts)[:int(seconds * RATE)]

    def music(self, random, seconds):
        """A piece of music from its middle, and its name."""
        pieces = [path for path in files(self.training / "music") if path.stat().st_size > 200_000]
        path = pieces[random.integers(len(pieces))]
        sound = read(path)
        start = random.integers(max(1, len(sound) - int(seconds * RATE)))
        return at_level(repeated(sound[start:], int(seconds * RATE)), -26), path.stem

    def noise(self, random, seconds):
        """A noise of the household or of outdoors, and its name."""
        beds = [path for path in files(self.training / "noise")
                if path.stat().st_size > 60_000 and "esc50" not in str(path)]
        path = beds[random.integers(len(beds))]
        return at_level(repeated(read(path), int(seconds * RATE)), -26), path.stem


def repeated(sound, length):
    """The sound, as often as needed to have `length` samples."""
    return fitted(numpy.tile(sound, -(-length // max(1, len(sound)))), length)


def floor(random, length, dbfs=-68.0):
    """The noise of a microphone in a quiet room."""
    return noise(random, length, dbfs, slope=1.5)


def is_silent(sound, rate=RATE):
    return not len(sound) or frame_powers(sound, rate).max(initial=0) < 1e-10
