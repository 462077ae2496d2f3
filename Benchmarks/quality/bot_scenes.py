"""Scenes of a bot that talks: its echo, a sound that is no turn, and a person who interrupts."""
import pathlib
import sys

import numpy

from .rooms import Room
from .signals import RATE, at_level, filtered, noise

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "training" / "turns"))
import short_sounds  # noqa: E402

SECONDS = 14
SOUNDS = ("echo alone", "cough", "keys", "knock", "mhm", "laughter")
SHORTEST, LONGEST = 1.2, 3.0  # the interruption, s
# A bot talks for as many frames after each that is louder than this, as in a session.
FRAME, AUDIBLE, HOLD = RATE // 100, 1e-5, 30


class Scene:
    """A scene of 14 s. In a fifth of the scenes, the interruption is in the first second."""

    def __init__(self, random, voices, spoken, index):
        self.sound = SOUNDS[index % len(SOUNDS)]
        self.is_first_second = random.random() < 0.2
        room = Room.drawn(random, random.uniform(0.2, 0.5))
        self.reference = self._bot(random, voices)
        echo = filtered(self.reference, room.response(*room.places(random.uniform(0.3, 1.2))))
        echo = numpy.roll(at_level(echo, random.uniform(-40, -20)), int(random.uniform(0.02, 0.12) * RATE))
        near = numpy.zeros(SECONDS * RATE)
        self.begin = random.uniform(0.3, 0.9) if self.is_first_second else random.uniform(7.5, 10)
        voice = voices[random.integers(len(voices))]
        while not voice.active[:30].all():
            voice = voices[random.integers(len(voices))]
        spoken_part = voice.samples[:int(random.uniform(SHORTEST, LONGEST) * RATE)]
        self.end = self.begin + len(spoken_part) / RATE
        place(near, at_level(spoken_part, random.uniform(-29, -23)), self.begin)
        other = self._other(random, spoken)
        if other is not None:
            place(near, at_level(other, random.uniform(-34, -26)),
                  random.uniform(8, 11) if self.is_first_second else random.uniform(1.5, 5.5))
        near = filtered(near, room.response(*room.places(random.uniform(0.4, 1))))[:SECONDS * RATE]
        near *= 10 ** (-26 / 20) / (numpy.sqrt((near[near != 0] ** 2).mean()) + 1e-9) * 0.5
        self.microphone = near + echo[:len(near)] + noise(random, len(near), random.uniform(-70, -50))[:len(near)]

    @staticmethod
    def _bot(random, voices):
        parts, length = [numpy.zeros(RATE // 5)], RATE // 5
        while length < SECONDS * RATE:
            parts.append(voices[random.integers(len(voices))].samples)
            length += len(parts[-1])
        return at_level(numpy.concatenate(parts)[:SECONDS * RATE], -24)

    def _other(self, random, spoken):
        """The sound that must not interrupt, or None."""
        if self.sound == "echo alone":
            return None
        if self.sound == "mhm":
            return short_sounds.hum(random) if random.random() < 0.6 else spoken.take(random)
        make = {"cough": short_sounds.cough, "knock": short_sounds.knock, "laughter": short_sounds.laugh,
                "keys": lambda generator: short_sounds.keys(generator, [])}
        return make[self.sound](random)

    def judged(self, events):
        """How many interruptions are false, and how late the true one was heard; None if not within a second.

        A person who begins in a pause of the bot interrupts it when it goes on. If it does not, the start of the turn
        counts."""
        times = [event for event in events if event.kind == "turnInterruption"]
        due = self._due()
        awaited = times if due is not None else [event for event in events if event.kind == "turnStarted"]
        due = self.begin if due is None else due
        true = [event.reported - due for event in awaited if -0.05 <= event.reported - due <= 1]
        false = [event for event in times if not -0.05 <= event.reported - self.begin <= self.end - self.begin + 0.6]
        return {"false": len(false), "delay": max(true[0], 0) if true else None}

    def _due(self):
        """When the person first talks beside the bot, in seconds; None if the bot is silent."""
        frames = self.reference[:len(self.reference) // FRAME * FRAME].reshape(-1, FRAME)
        talks = (frames**2).mean(1) > AUDIBLE
        first, end = (int(time * RATE / FRAME) for time in (self.begin, self.end))
        if talks[max(0, first - HOLD):first + 1].any():
            return self.begin
        later = numpy.flatnonzero(talks[first:end])
        return (first + later[0]) * FRAME / RATE if len(later) else None


def place(sound, part, second):
    """Adds a part to a sound at a time."""
    first = int(second * RATE)
    end = min(first + len(part), len(sound))
    sound[first:end] += part[:end - first]
