"""Turns: how often their ends are found too early and how late, and which sounds interrupt a bot that talks."""
import pathlib
import statistics
import sys

import numpy

from . import smart_turn
from .bot_scenes import Scene
from .runs import each_of
from .signals import RATE, noise
from .table import head, number, row
from .turn_figures import best, ends, outcome

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "training" / "turns"))
from short_sounds import Spoken  # noqa: E402
from voices import HOP, load  # noqa: E402

SETS = ("ends", "interruptions")
SCENES = 100
PROBABILITIES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
TIME_OUTS = numpy.arange(0.1, 3.01, 0.05)  # s
LEAST = 1.5  # the shortest turn, s
TAIL = 3.2  # the silence after a turn, s
A_SESSION = 10  # turns in a session
SOON = 0.2  # s


class Turns:
    """Turns one after the other, as the microphone of a session hears them."""

    def __init__(self, random, voices):
        self.spans, self.pauses, self.voices, parts, at = [], [], voices, [], 0
        for voice in voices:
            parts += [voice.samples, voice.silence(random, int(TAIL * RATE))]
            begin, end = at / RATE, (at + len(voice.samples)) / RATE
            self.spans.append((begin, end))
            self.pauses.append([(stop - start) * HOP / RATE for start, stop in voice.gaps(8)])
            at += len(voice.samples) + int(TAIL * RATE)
        self.sound = numpy.concatenate(parts) + noise(random, at, -72)[:at]


def of_ends(runner, voices, arguments):
    """The table of ends: a time-out, this engine and, if asked for, Smart Turn."""
    random = numpy.random.default_rng(arguments.seed)
    sets = [Turns(random, voices[first:first + A_SESSION]) for first in range(0, len(voices), A_SESSION)]
    pauses = [each for turns in sets for each in turns.pauses]
    systems = {"time-out": [outcome([([], None)] * len(pauses), pauses, longest) for longest in TIME_OUTS]}
    ours, started = [], []
    for probability in PROBABILITIES:
        options = ("--turns", "--turn-end-probability", str(probability))
        sessions = each_of(lambda index: runner.session(f"turns-{index}", RATE, sets[index].sound, options=options),
                           range(len(sets)))
        found = [each for session, turns in zip(sessions, sets)
                 for each in ends(session.turns, turns.spans, TAIL)]
        ours += [outcome(found, pauses, longest) for longest in TIME_OUTS if longest <= 2]
        started += onsets(sessions, sets) if not started else []
    systems["turn_detection"] = ours
    if arguments.smart_turn:
        heard = [voice for turns in sets for voice in turns.voices]
        systems["Smart Turn v3"] = smart_turn.outcomes(heard, pauses, outcome)
    head((f"{len(pauses)} turns", "cut off at a mean delay of 300 ms, %", "600 ms, %",
          "mean delay at 5 % cut off, s", "10 %, s"))
    report = {name: best(outcomes) for name, outcomes in systems.items()}
    for name, figures in report.items():
        cut = [figures[key] for key in ("cut_at_300", "cut_at_600")]
        row((name, *(number(None if share is None else 100 * share) for share in cut),
             *(number(figures[key], 2) for key in ("delay_at_5", "delay_at_10"))))
    print()
    late = sorted(each for each in started if each is not None)
    head((f"{len(started)} starts", "time until TurnStarted, ms: median; worst tenth", "not within 0.5 s"))
    shown = (statistics.median(late), late[-1 - len(late) // 10])
    row(("after silence", "; ".join(number(1000 * each, 0) for each in shown), len(started) - len(late)))
    print()
    return report


def onsets(sessions, sets):
    """How long after the first voice of each turn its start was reported; None if not within half a second."""
    found = []
    for session, turns in zip(sessions, sets):
        for begin, _ in turns.spans:
            times = [event.reported - begin for event in session.turns if event.kind == "turnStarted"]
            found.append(min((time for time in times if 0 <= time <= 0.5), default=None))
    return found


def interruptions(runner, voices, arguments):
    """The table of a bot that talks: what interrupts it."""
    count = arguments.count or SCENES
    spoken = Spoken(numpy.random.default_rng(5), pathlib.Path("/tmp") / f"spoken-{arguments.seed}", 60)
    made = [Scene(numpy.random.default_rng([arguments.seed, index]), voices, spoken, index) for index in range(count)]
    sessions = each_of(
        lambda index: runner.session(f"bot-{index}", RATE, made[index].microphone, made[index].reference,
                                     ("--turns",)), range(count))
    found = [scene.judged(session.turns) for scene, session in zip(made, sessions)]
    kinds = sorted({scene.sound for scene in made})
    head(("a bot talks", "scenes", "false interruptions", "interruptions not heard",
          f"heard within {1000 * SOON:.0f} ms, %", "time until heard, ms: median; worst tenth"))
    for kind in (*kinds, "all"):
        chosen = [each for scene, each in zip(made, found) if kind in (scene.sound, "all")]
        delays = sorted(each["delay"] for each in chosen if each["delay"] is not None)
        soon = sum(delay <= SOON for delay in delays) / len(chosen)
        row((kind, len(chosen), sum(each["false"] for each in chosen), len(chosen) - len(delays), number(100 * soon),
             f"{number(1000 * statistics.median(delays), 0)}; {number(1000 * delays[-1 - len(delays) // 10], 0)}"
             if delays else "–"))
    first = [each for scene, each in zip(made, found) if scene.is_first_second]
    print(f"\nOf {len(first)} interruptions in the first second, "
          f"{sum(each['delay'] is not None for each in first)} are heard.")
    return [{"sound": scene.sound, "first_second": scene.is_first_second, **each} for scene, each in zip(made, found)]


def measure(runner, corpus, arguments):
    voices = [voice for voice in load(corpus.training, True) if len(voice.active) * HOP / RATE >= LEAST]
    numpy.random.default_rng(arguments.seed).shuffle(voices)
    chosen, report = arguments.only or SETS, {}
    if "ends" in chosen:
        report["ends"] = of_ends(runner, voices[:arguments.count], arguments)
    if "interruptions" in chosen:
        report["interruptions"] = interruptions(runner, voices, arguments)
    return report
