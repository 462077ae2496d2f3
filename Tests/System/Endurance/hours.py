"""What a server did and held in each hour of sound, and how its last hour compares with its first."""

import statistics
from dataclasses import dataclass, field

from target import POOLS

# The part by which memory may have grown.
GROWTH = 0.01
# The most by which the 99th percentile of the delay may have grown, as a factor and in ms.
SLOWER, SLOWER_MS = 1.5, 2
# The most by which the echo may have become louder, and the voice may differ, in dB.
LOUDER_DB, OTHER_DB = 0.5, 0.1


@dataclass
class Hour:
    began: float = 0  # By the monotonic clock.
    ended: float = 0
    memory: list = field(default_factory=list)  # MB, each second.
    threads: list = field(default_factory=list)
    descriptors: list = field(default_factory=list)
    loads: list = field(default_factory=list)
    operations: int = 0
    reloads: int = 0
    echo: dict = field(default_factory=dict)  # dB by resident session.
    voice: dict = field(default_factory=dict)
    rest: object = None  # The Holding after it, if the clients rested then.


def mean(values):
    return statistics.fmean(values) if values else float("nan")


def percentile(delays, hour):
    """The 99th percentile in ms of a session in real time, whose delays have the times of sending."""
    chosen = sorted(delay for sent, delay in delays if hour.began <= sent < hour.ended)
    return 1000 * chosen[len(chosen) * 99 // 100] if chosen else float("nan")


class Comparison:
    """A table of the first and the last hour, and the faults that it shows."""

    def __init__(self, first, last, is_timed):
        self.first, self.last, self.is_timed = first, last, is_timed
        self.faults = []
        print(f"\n{'':38}{'first':>10}{'last':>10}")

    def row(self, title, first, last, form=".1f", fault=""):
        print(f"{title:38}{first:10{form}}{last:10{form}}{'  ' + fault if fault else ''}")
        if fault:
            self.faults.append(f"{title}: {fault}")

    def counts(self):
        self.row("seconds", *(hour.ended - hour.began for hour in (self.first, self.last)), ".0f")
        self.row("operations", self.first.operations, self.last.operations, "d")
        self.row("reloads", self.first.reloads, self.last.reloads, "d")
        self.row("load of the threads, %", *(100 * mean(hour.loads) for hour in (self.first, self.last)), ".0f")

    def memory(self):
        first, last = self.first.rest, self.last.rest
        grown = last.memory / first.memory - 1
        self.row("memory at rest, MB", first.memory, last.memory, ".2f",
                 f"{100 * grown:+.1f} %" if grown > GROWTH else "")
        self.row("memory at work, median, MB", *(
            statistics.median(hour.memory) for hour in (self.first, self.last)), ".2f")
        for name, more in (("threads", POOLS), ("descriptors", 0)):
            before, after = getattr(first, name), getattr(last, name)
            self.row(f"{name} at rest", before, after, "d", "more" if after > before + more else "")
            self.row(f"{name} at work, most", max(getattr(self.first, name)), max(getattr(self.last, name)), "d")

    def delays(self, tested, idle):
        first, last = (percentile(tested, hour) for hour in (self.first, self.last))
        first_idle, last_idle = (percentile(idle, hour) for hour in (self.first, self.last))
        # A busy machine slows the idle server, too. That part does not count.
        is_slow = last - max(0, last_idle - first_idle) > first * SLOWER + SLOWER_MS
        self.row("delay in real time, p99, ms", first, last, ".1f",
                 "slower" if is_slow and self.is_timed else "")
        self.row("the same of an idle server, ms", first_idle, last_idle)

    def sound(self):
        for kind in sorted(self.first.echo):
            first, last = (mean(hour.echo.get(kind)) for hour in (self.first, self.last))
            self.row(f"echo of {kind}, dB", first, last, ".2f", "" if last <= first + LOUDER_DB else "louder")
            first, last = (mean(hour.voice.get(kind)) for hour in (self.first, self.last))
            self.row(f"voice of {kind}, dB", first, last, ".2f",
                     "" if abs(last - first) <= OTHER_DB else "differs")
