"""Sessions that begin in the middle of a near voice."""
import statistics

import numpy

from . import scenes
from .corpus import floor, read, trimmed
from .figures import level_change, time_until
from .runs import each_of
from .signals import FRAMES_A_SECOND, RATE, at_level, loud_frames
from .table import head, number, row, times

COUNT = 66
WINDOWS = (("first quarter second", 0, 0.25), ("second quarter", 0.25, 0.5), ("second half second", 0.5, 1),
           ("whole first second", 0, 1))
LEVEL = -26.0


def cut(random, voice, seconds=3):
    """The voice from the middle of a word on: a random frame that is within 20 dB of the loudest."""
    loud = loud_frames(voice, RATE)
    loud[max(0, len(loud) - seconds * FRAMES_A_SECOND):] = False
    places = numpy.flatnonzero(loud)
    if not len(places):
        return None
    start = int(places[random.integers(len(places))]) * RATE // FRAMES_A_SECOND
    return voice[start:start + seconds * RATE]


def voices(corpus, random, count):
    """Beginnings in clean voices: those of --quality first, each as often as needed."""
    paths = corpus.near_voices() + corpus.one_of_each_voice(random, 40)
    found = []
    while len(found) < count and paths:
        voice = cut(random, at_level(trimmed(read(paths[len(found) % len(paths)])), LEVEL))
        if voice is None:
            paths.pop(len(found) % len(paths))
        else:
            found.append(voice)
    return found


def measure(runner, corpus, arguments):
    random = numpy.random.default_rng(arguments.seed)
    made = voices(corpus, random, arguments.count or COUNT)
    if arguments.echo:
        return {**with_echo(runner, corpus, random, made), **interrupted(runner, corpus, random, made)}
    noises = [floor(random, len(voice)) for voice in made]
    sessions = each_of(
        lambda index: runner.session(f"beginning-{index}", RATE, made[index] + noises[index],
                                     options=("--gain-control", "off")), range(len(made)))
    return {"beginnings": changes([(voice, session.output) for voice, session in zip(made, sessions)])}


def changes(pairs):
    """Prints and returns the changes of the level of the voices, in dB."""
    head(("change of the voice, gain control off, dB", *(name for name, _, _ in WINDOWS)))
    columns = []
    for _, start, end in WINDOWS:
        found = [level_change(voice, output, RATE, start, end) for voice, output in pairs]
        columns.append(sorted(each for each in found if each is not None))
    row(("median", *(number(statistics.median(column)) for column in columns)))
    row(("worst tenth", *(number(column[len(column) // 10]) for column in columns)))
    row(("worst", *(number(column[0]) for column in columns)))
    return {name: column for (name, _, _), column in zip(WINDOWS, columns)}


def _echo(corpus, random, seconds):
    """A far end that begins with the call, and its room."""
    scene = scenes.Scene(corpus, random, seconds, random.uniform(0.2, 0.6))
    scene.play(scene.far_voice(), random.uniform(0.3, 1.2), random.uniform(-38, -26), lag=random.uniform(0, 0.1))
    return scene


def with_echo(runner, corpus, random, made):
    """The same voices, with a far end that begins with the call."""
    echoes = [_echo(corpus, random, len(voice) / RATE) for voice in made]
    sessions = each_of(
        lambda index: runner.session(f"beginning-echo-{index}", RATE, made[index] + echoes[index].microphone,
                                     echoes[index].reference, ("--gain-control", "off")), range(len(made)))
    return {"beginnings with echo": changes([(voice, session.output) for voice, session in zip(made, sessions)])}


def interrupted(runner, corpus, random, made):
    """A person who begins to talk in the first 3 s of the echo: the time until a voice is reported.

    A voice that the session reported before counts at once, if it lasts.
    """
    calls = []
    for voice in made:
        scene = _echo(corpus, random, 8)
        begin = int(random.uniform(0.3, 3) * RATE)
        near = numpy.zeros(len(scene.microphone))
        near[begin:begin + len(voice)] = voice
        calls.append((scene, near, begin))

    def run(index):
        scene, near, _ = calls[index]
        return runner.session(f"interrupted-{index}", RATE, scene.microphone + near, scene.reference)

    sessions = each_of(run, range(len(calls)))
    late = [time_until(session.voices, begin / RATE) for session, (_, _, begin) in zip(sessions, calls)]
    times("a person interrupts in the first 3 s of echo", late)
    return {"interrupted": late}
