"""Judges whole calls, with everything at default: echo, false voice, and what is left of the near voice."""
import dataclasses
import statistics

from . import scenes
from .figures import (active_frames, false_times, false_voice, far_alone, level_change, lost_frames, lost_share,
                      seconds_a_minute, within)
from .runs import each_of
from .signals import FRAMES_A_SECOND, fitted, voiced_frames
from .table import head, number, row, worst_and_median

SETS = tuple(scenes.KINDS)
COLUMNS = ("calls", "far end alone, dB: worst 10 s; median", "residual, dBFS: worst 10 s; median",
           "false voice, s/min: worst; mean", "false muted talkers / 10 min", "moves of the aligner: calls; all",
           "near frames lost, %: worst; median", "near level, dB: lowest; median", "near voice found, %: least; median")


@dataclasses.dataclass
class Figures:
    """The figures of a call. Those of 10 s are lists, so that a drift shows."""

    facts: dict
    minutes: float
    reduction: list  # the output by the microphone in dB, where the near end is silent
    residual: list  # the output in dBFS, in the same parts
    false_voice: float  # seconds a minute
    false_voice_parts: list
    false_muted_talkers: int
    delays: list
    moves: int
    lost: float | None = None  # percent of the loud near frames
    lost_parts: list = dataclasses.field(default_factory=list)
    near_level: float | None = None
    near_level_parts: list = dataclasses.field(default_factory=list)
    found: float | None = None  # percent of the voiced near frames


def judge(runner, name, call):
    """Runs a call twice, the second time muted, and measures it."""
    session = runner.session(name, call.rate, call.microphone, call.reference)
    muted = runner.session(f"{name}-muted", call.rate, call.microphone, call.reference, ("--muted",))
    count = len(call.microphone) * FRAMES_A_SECOND // call.rate
    parts = far_alone(call.microphone, session.output, call.rate, call.near)
    false = false_voice(session.voices, call.near, call.rate, count)
    tens = [(begin, min(begin + 10, count / FRAMES_A_SECOND)) for begin in range(0, count // FRAMES_A_SECOND, 10)]
    figures = Figures(
        call.facts, count / FRAMES_A_SECOND / 60, [part[0] for part in parts], [part[1] for part in parts],
        seconds_a_minute(false), [float(within(false, *ten).sum()) / FRAMES_A_SECOND for ten in tens],
        len(false_times(muted.muted_talkers, call.near, call.rate, count)), session.delays, session.moves())
    if call.near is not None:
        near = fitted(call.near.clip(-1, 1), len(session.output))
        counted, lost = lost_frames(near, session.output, call.rate)
        voiced = voiced_frames(near, call.rate)
        figures.lost = lost_share(near, session.output, call.rate)
        figures.near_level = level_change(near, session.output, call.rate)
        figures.found = 100 * float(active_frames(session.voices, count)[voiced].mean())
        for ten in tens:
            loud = int(within(counted, *ten).sum())
            figures.lost_parts.append(100 * float(within(lost, *ten).sum()) / loud if loud else None)
            figures.near_level_parts.append(level_change(near, session.output, call.rate, *ten))
    return figures


def cells(figures):
    """The row of a set."""
    minutes = sum(each.minutes for each in figures)
    false = [each.false_voice for each in figures]
    moved = [each.moves for each in figures]
    # The median of the calls' own medians, so that long calls do not count more.
    reduction = [(max(each.reduction), statistics.median(each.reduction)) for each in figures if each.reduction]
    residual = [(max(each.residual), statistics.median(each.residual)) for each in figures if each.residual]

    def both(pairs):
        return (f"{number(max(worst for worst, _ in pairs))}; {number(statistics.median(m for _, m in pairs))}"
                if pairs else "–")

    return [len(figures), both(reduction), both(residual), f"{number(max(false))}; {number(statistics.fmean(false))}",
            number(sum(each.false_muted_talkers for each in figures) * 10 / minutes),
            f"{sum(map(bool, moved))}; {sum(moved)}", worst_and_median([each.lost for each in figures]),
            worst_and_median([each.near_level for each in figures], min),
            worst_and_median([each.found for each in figures], min)]


def measure(runner, corpus, arguments):
    """Prints a row for each set. Returns the figures of all calls."""
    head(("set", *COLUMNS))
    report = {}
    for name in arguments.only or SETS:
        figures = each_of(
            lambda index: judge(runner, f"{name}-{index}", scenes.call(corpus, name, arguments.seed, index)),
            range(arguments.count or scenes.KINDS[name].count))
        row((f"`{name}`", *cells(figures)))
        report[name] = [dataclasses.asdict(each) for each in figures]
    return report
