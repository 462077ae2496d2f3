"""Many voices, near and clean, at many levels: frames lost and the change of the level."""
import statistics

import numpy

from .corpus import floor, read, trimmed
from .figures import level_change, lost_share
from .rooms import Room
from .runs import each_of
from .signals import RATE, at_level, filtered
from .table import head, number, row, worst_and_median

COUNT = 120
SETS = ("-45", "-30", "-22", "-14", "-8", "-3")  # dBFS
SECONDS = 8
GAIN_CONTROLS = ("off", "on")


def prepared(random, path):
    """A voice of up to 8 s after half a second of room: dry in half of the cases, else 0.3 to 1.2 m away."""
    voice = trimmed(read(path))[:SECONDS * RATE]
    distance = 0.0
    if random.random() < 0.5:
        distance = random.uniform(0.3, 1.2)
        room = Room.drawn(random, random.uniform(0.15, 0.5))
        voice = filtered(voice, room.response(*room.places(distance)))
    return numpy.concatenate([numpy.zeros(RATE // 2), voice]), round(distance, 2)


def judged(runner, name, voice, noise, dbfs):
    """The figures of a voice at a level, with gain control off and on."""
    heard = at_level(voice, dbfs).clip(-1, 1)
    figures = {}
    for switch in GAIN_CONTROLS:
        session = runner.session(f"{name}-{-dbfs}-{switch}", RATE, heard + noise, options=("--gain-control", switch))
        figures[switch] = {"lost": lost_share(heard, session.output, RATE),
                           "level": level_change(heard, session.output, RATE)}
    return figures


def measure(runner, corpus, arguments):
    random = numpy.random.default_rng(arguments.seed)
    paths = corpus.one_of_each_voice(random, arguments.count or COUNT)
    made = [(path, *prepared(random, path)) for path in paths]
    noises = [floor(random, len(voice), -75) for _, voice, _ in made]
    head(("level of the voice, dBFS", *(f"frames lost, gain control {switch}, %: all; worst voice; median"
                                        for switch in GAIN_CONTROLS),
          *(f"level change, gain control {switch}, dB: lowest; median" for switch in GAIN_CONTROLS), "worst voice"))
    report = {}
    for dbfs in map(int, arguments.only or SETS):
        figures = each_of(lambda index: judged(runner, f"voice-{index}", made[index][1], noises[index], dbfs),
                          range(len(made)))
        worst = max(range(len(made)), key=lambda index: figures[index]["on"]["lost"])
        lost = {switch: [each[switch]["lost"] for each in figures] for switch in GAIN_CONTROLS}
        row((dbfs, *(f"{number(statistics.fmean(lost[switch]), 2)}; {worst_and_median(lost[switch])}"
                     for switch in GAIN_CONTROLS),
             *(worst_and_median([each[switch]["level"] for each in figures], min) for switch in GAIN_CONTROLS),
             "/".join(made[worst][0].parts[-3:])))
        report[str(dbfs)] = [{"file": "/".join(path.parts[-3:]), "distance": distance, **each}
                             for (path, _, distance), each in zip(made, figures)]
    return report
