"""Calls that are made by code: far end, near end, rooms and loudspeakers."""
import dataclasses

import numpy

from .corpus import floor
from .rooms import Room
from .signals import RATE, at_level, filtered, fitted, gain, resampled, voiced_frames, whispered


@dataclasses.dataclass
class Call:
    """The signals of a call. `near` and `echo` are parts of the microphone."""

    microphone: numpy.ndarray
    reference: numpy.ndarray | None = None
    near: numpy.ndarray | None = None
    rate: int = RATE
    facts: dict = dataclasses.field(default_factory=dict)

    def at_rate(self, rate):
        def convert(sound):
            return None if sound is None else resampled(sound, self.rate, rate)

        return Call(convert(self.microphone), convert(self.reference), convert(self.near), rate, self.facts)


class Scene:
    """A room with a microphone. Each method adds another sound to the call."""

    def __init__(self, corpus, random, seconds, rt60, index=0):
        self.corpus, self.random, self.seconds, self.index = corpus, random, seconds, index
        self.room = Room.drawn(random, rt60)
        self.microphone = floor(random, int(seconds * RATE), random.uniform(-72, -64))
        self.reference = self.near = self.reader = None
        self.facts = {"rt60": round(rt60, 2)}

    def call(self):
        return Call(self.microphone, self.reference, self.near, facts=self.facts)

    def far_voice(self):
        """A far end that talks all the time."""
        voice, self.reader = self.corpus.reader(self.random, self.seconds)
        self.facts["far"] = f"{self.reader.parent.name}/{self.reader.name}"
        return at_level(voice, self.random.uniform(-28, -20))

    def play(self, sound, distance, dbfs, lag=0.0, moves=0, played=None):
        """Plays a sound with a loudspeaker, so that its echo has a level in dBFS.

        The echo follows the reference by `lag` s more than the way takes. The loudspeaker goes to another place
        `moves` times, after 20 s, 40 s and so on. `played` is the sound of the loudspeaker if that distorts.
        """
        self.facts.update(distance=round(distance, 2), echo=round(dbfs, 1), lag=round(lag, 3))
        heard, steps = numpy.zeros(len(self.microphone)), moves + 1
        for step in range(steps):
            response = self.room.response(*self.room.places(distance))
            echo = filtered(played if played is not None else sound, response)
            heard += echo * _share(len(echo), step, steps)
        late = fitted(numpy.concatenate([numpy.zeros(int(lag * RATE)), heard]), len(heard))
        self.reference = sound
        self.microphone = self.microphone + at_level(late, dbfs)

    def talk(self, begin, end, dbfs, whisper=False, distance=None):
        """A near end that talks from `begin` to `end` s with a level in dBFS."""
        voice = self.corpus.near_talk(self.random, end - begin, self.reader)
        if whisper:
            voice = whispered(self.random, voice)
        distance = distance or self.random.uniform(0.3, 0.8)
        heard = filtered(voice, self.room.response(*self.room.places(distance)))
        silence = numpy.zeros(int(begin * RATE))
        near = fitted(numpy.concatenate([silence, at_level(heard, dbfs)]), len(self.microphone))
        self.facts.update(near=round(dbfs, 1), near_distance=round(distance, 2))
        self.near = near if self.near is None else self.near + near
        self.microphone = self.microphone + near


def _share(length, step, steps):
    """How much is heard of the place of a step: all of it for 20 s, with a cross-fade of 50 ms."""
    times = numpy.arange(length) / RATE
    begins = numpy.clip((times - 20 * step) / 0.05, 0, 1) if step else numpy.ones(length)
    ends = numpy.clip((times - 20 * (step + 1)) / 0.05, 0, 1) if step < steps - 1 else numpy.zeros(length)
    return begins - ends


def spread(index, step, low, high):
    """A value for a call of a set, so that the calls are spread evenly: the multiples of an irrational step."""
    return low + (high - low) * ((0.5 + index * step) % 1)


def rooms(scene):
    scene.play(scene.far_voice(), scene.random.uniform(0.3, 1.5), spread(scene.index, 0.5698, -40, -18))


def far_rooms(scene):
    scene.play(scene.far_voice(), scene.random.uniform(0.8, 3), spread(scene.index, 0.5698, -40, -18),
               lag=scene.random.uniform(0, 0.35))


def long(scene):
    scene.play(scene.far_voice(), scene.random.uniform(0.3, 1.5), spread(scene.index, 0.5698, -30, -18))


def double_talk(scene):
    """A far end that talks all the time, and a near end that talks with it from 20 to 40 s."""
    scene.play(scene.far_voice(), scene.random.uniform(0.3, 1.2), scene.random.uniform(-36, -20))
    scene.talk(20, 40, scene.random.uniform(-32, -20))


def near_alone(scene):
    """A near end and no sound of the far end: without a reference, or with one that is silent."""
    scene.talk(1, scene.seconds, scene.random.uniform(-36, -18))
    scene.reference = numpy.zeros(len(scene.microphone)) if scene.random.random() < 0.5 else None


def noise_alone(scene):
    sound, scene.facts["noise"] = scene.corpus.noise(scene.random, scene.seconds)
    scene.microphone = scene.microphone + gain(sound, scene.random.uniform(-20, 0))


def music_far_end(scene):
    sound, scene.facts["music"] = scene.corpus.music(scene.random, scene.seconds)
    scene.play(sound, scene.random.uniform(0.3, 1.5), scene.random.uniform(-36, -20))


def silence(scene):
    """Minutes of digital silence or of a quiet room, in turns, then a near voice."""
    begin = scene.seconds - 15
    if scene.index % 2 == 0:
        scene.microphone[:int(begin * RATE)] = 0
    scene.talk(begin, scene.seconds, scene.random.uniform(-34, -20))


def loud_reader(scene):
    scene.talk(1, scene.seconds, -8, distance=0.3)


def shouting(scene):
    scene.talk(1, scene.seconds, -3, distance=0.3)


def whisper(scene):
    scene.talk(1, scene.seconds, scene.random.uniform(-44, -36), whisper=True, distance=0.3)


def distorting(scene):
    """A loudspeaker that compresses its peaks: with 12 dB of drive, a memoryless curve."""
    sound = scene.far_voice()
    peak = numpy.abs(sound).max()
    played = numpy.tanh(4 * sound / peak) * peak / 4
    scene.play(sound, scene.random.uniform(0.2, 0.8), scene.random.uniform(-32, -18), played=played)


def path_change(scene):
    scene.play(scene.far_voice(), scene.random.uniform(0.3, 1.2), scene.random.uniform(-36, -20), moves=2)


def close(scene):
    """A loudspeaker at 5 cm, whose echo is 12 dB louder than the reference."""
    sound = gain(scene.far_voice(), -8)
    heard = float(numpy.mean(sound[numpy.repeat(voiced_frames(sound, RATE), RATE // 100)] ** 2))
    scene.play(sound, 0.05, 10 * numpy.log10(heard) + 12)


@dataclasses.dataclass(frozen=True)
class Kind:
    """A set of calls: how many, how long, in rooms of which reverberation times, at which rate."""

    make: object
    count: int
    seconds: int
    rt60: tuple = (0.25, 0.8)
    rate: int = RATE


KINDS = {
    "rooms": Kind(rooms, 8, 60),
    "far-rooms": Kind(far_rooms, 24, 60, (0.5, 0.95)),
    "long": Kind(long, 3, 600, (0.5, 0.5)),
    "double-talk": Kind(double_talk, 8, 60, (0.2, 0.6)),
    "near-alone": Kind(near_alone, 8, 60, (0.15, 0.6)),
    "noise-alone": Kind(noise_alone, 12, 60),
    "music-far-end": Kind(music_far_end, 8, 60),
    "silence": Kind(silence, 4, 195),
    "loud-reader": Kind(loud_reader, 6, 30, (0.15, 0.5)),
    "shouting": Kind(shouting, 6, 30, (0.15, 0.5)),
    "whisper": Kind(whisper, 6, 30, (0.15, 0.5)),
    "distorting": Kind(distorting, 8, 60, (0.2, 0.6)),
    "path-change": Kind(path_change, 8, 60, (0.2, 0.6)),
    "close": Kind(close, 6, 60, (0.2, 0.6)),
    "narrow": Kind(double_talk, 6, 60, (0.2, 0.6), 8000),
    "wide": Kind(double_talk, 6, 60, (0.2, 0.6), 48000),
}


def call(corpus, name, seed, index):
    """Makes a call of a set. The same seed makes the same call."""
    kind = KINDS[name]
    random = numpy.random.default_rng([seed, list(KINDS).index(name), index])
    scene = Scene(corpus, random, kind.seconds, spread(index, 0.7549, *kind.rt60), index)
    kind.make(scene)
    return scene.call().at_rate(kind.rate)
