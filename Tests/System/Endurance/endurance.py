"""Plays hours of sound through a server whose clients come, go and fail, and compares the last hour with the
first; or does one operation after another many times, and looks for what stays. docs/testing.md explains both."""

import collections
import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "Tests/System/HostileClients")]
import honest  # noqa: E402
import lanes  # noqa: E402
import leaks  # noqa: E402
import service  # noqa: E402
from hours import Comparison, Hour  # noqa: E402
from lib.usage import Arguments, number  # noqa: E402
from target import Target  # noqa: E402

RESIDENTS = ("plain", "webrtc")
HOUR = 3600  # The seconds of an hour of sound.
WARMING = 60  # The seconds of sound between two looks at who is warm.
TICK = 1  # The seconds between two looks at the server.
RELOAD = 5  # The seconds between two reloads.
RESTS = 4  # How often the clients rest between the first hour and the last.
# The seconds within which all clients rest. In real time, the longest sessions play a minute of sound.
UNTIL_REST = 300
SHOWN = 20  # The problems that are printed.


class Endurance:
    def __init__(self, options):
        self.options = options
        self.target = Target(options.server)
        self.idle = service.Server(options.server)
        count = options.clients + len(RESIDENTS)
        self.shared = lanes.Shared(count)
        self.problems, self.failed = [], collections.Counter()
        self.done, self.digests = collections.Counter(), {}
        self.hours = [Hour()]
        self.last_reload = self.last_tick = time.monotonic()
        self.used = self.target.processor_seconds()

    def begin(self):
        real_time = self.options.real_time
        sounds = self.target.sounds(media_clock=not real_time)
        made = [
            lanes.Churn(self.shared, lane, self.target.addresses, sounds, real_time)
            for lane in range(self.options.clients)
        ] + [
            lanes.Resident(self.shared, self.options.clients + place, self.target.addresses, sounds, real_time, kind)
            for place, kind in enumerate(RESIDENTS)
        ]
        self.processes = [lanes.start(lane) for lane in made]
        self.probe = subprocess.Popen(
            [sys.executable, honest.__file__, "times", self.target.server.address, self.idle.address],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.probe.stdout.readline()

    def take_reports(self):
        hour = self.hours[-1]
        while self.shared.reader.poll():
            report = self.shared.reader.recv()
            if report.problem:
                self.failed[report.operation] += 1
                self.problems.append(f"{report.operation}: {report.problem}")
            if report.echo is not None:
                hour.echo.setdefault(report.operation, []).append(report.echo)
                hour.voice.setdefault(report.operation, []).append(report.voice)
                continue
            self.done[report.operation] += 1
            hour.operations += 1
            if report.digest:
                key = (report.operation, report.seconds)
                if self.digests.setdefault(key, report.digest) != report.digest:
                    self.problems.append(f"{report.operation} of {report.seconds} s has other sound than before")

    def look(self):
        """Looks at the server, and brings its load nearer to the one that is wanted."""
        now, used = time.monotonic(), self.target.processor_seconds()
        load = (used - self.used) / (now - self.last_tick) / self.target.threads
        rest = self.shared.rest
        # A second of sound takes some hundredth of a second; nobody rests for longer than a second.
        rest.value = min(1, max(0, rest.value + 0.02 * (load - self.options.load / 100)))
        holding, hour = self.target.holding(), self.hours[-1]
        hour.memory.append(holding.memory)
        hour.threads.append(holding.threads)
        hour.descriptors.append(holding.descriptors)
        hour.loads.append(load)
        self.last_tick, self.used = now, used

    def play(self, seconds):
        """Lets the clients play so many seconds of sound."""
        end = self.shared.seconds + seconds
        while self.shared.seconds < end:
            time.sleep(TICK)
            self.look()
            self.take_reports()
            if time.monotonic() > self.last_reload + RELOAD:
                self.last_reload = time.monotonic()
                self.target.reload()
                self.hours[-1].reloads += 1
            self.expect_all_run()

    def expect_all_run(self):
        if not self.target.server.is_alive:
            sys.exit(f"the server died: {self.target.server.fate}")
        if not all(process.is_alive() for process in self.processes):
            self.give_up("a client ended")

    def give_up(self, reason):
        self.take_reports()
        sys.exit("\n".join([reason, *self.problems[-SHOWN:]]))

    def rest(self):
        """Lets the clients rest, and returns what the server holds then."""
        self.shared.pause.set()
        end = time.monotonic() + UNTIL_REST
        while not all(self.shared.is_resting):
            self.expect_all_run()
            if time.monotonic() > end:
                self.give_up(f"not all clients rested within {UNTIL_REST} s")
            time.sleep(0.05)
            self.take_reports()
        holding = self.target.at_rest(len(RESIDENTS) + 1)
        self.take_reports()
        self.shared.pause.clear()
        self.used = self.target.processor_seconds()
        self.last_tick = time.monotonic()
        return holding

    def tell(self, number):
        hour = self.hours[-1]
        rest = f", at rest {hour.rest.memory:.2f} MB, {hour.rest.threads} threads, {hour.rest.descriptors} " \
            "descriptors" if hour.rest else ""
        print(
            f"hour {number}: {hour.ended - hour.began:.0f} s, {hour.operations} operations, load "
            f"{100 * sum(hour.loads) / max(1, len(hour.loads)):.0f} %, {sorted(hour.memory)[len(hour.memory) // 2]:.2f}"
            f" MB{rest}, {len(self.problems)} problems", flush=True)

    def run(self):
        self.begin()
        self.hours[-1].began = time.monotonic()
        deadline = time.monotonic() + self.options.minutes * 60
        # Before the first hour: each operation once by each client, and as many events of the lasting sessions as
        # the server keeps.
        while not all(self.shared.is_warm):
            self.play(WARMING)
        self.rest()
        total = self.options.hours
        resting = {1, total, *(round(total * part / RESTS) for part in range(1, RESTS))}
        self.hours.clear()
        for number in range(1, total + 1):
            self.hours.append(Hour(began=time.monotonic()))
            self.play(HOUR)
            self.hours[-1].ended = time.monotonic()
            is_over = time.monotonic() > deadline
            if number in resting or is_over:
                self.hours[-1].rest = self.rest()
            self.tell(number)
            if is_over and number > 1:
                break
        return self.finish()

    def finish(self):
        self.shared.stop.set()
        for process in self.processes:
            process.join(60)
        self.take_reports()
        if any(process.is_alive() for process in self.processes):
            self.problems.append("a client did not end within 60 s")
        times = json.loads(self.probe.communicate(timeout=60)[0])
        if times["faults"][0]:
            self.problems.append(f"the session in real time {times['faults'][0]}")
        played = self.shared.seconds / 3600
        longest = max(self.shared.media[-len(RESIDENTS):]) / 3600
        print(f"\n{played:.1f} hours of sound, {longest:.1f} of them in the longest session; "
              f"{sum(self.done.values())} operations of {len(self.done)} kinds, {sum(self.failed.values())} failed; "
              f"{len(self.digests)} kinds and lengths of sessions with equal output")
        table = Comparison(self.hours[0], self.hours[-1], not self.options.untimed)
        table.counts()
        table.memory()
        table.delays(*times["delays"])
        table.sound()
        if not self.target.server.stop():
            self.problems.append(f"the server did not stop in order: {self.target.server.fate}")
        self.idle.stop()
        for fault in [*table.faults, *self.problems[:SHOWN]]:
            print(f"- {fault}")
        return not (table.faults or self.problems)


def build():
    """Returns the path of a release build of the server."""
    command = [ROOT / "scripts/build", "release", "anechoic-server"]
    return Path(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()) / command[-1]


def main():
    parser = Arguments(prog="scripts/test endurance", description=__doc__)
    parser.add_argument("--server", metavar="FILE")
    parser.add_argument("--hours", type=number(int, 2, 10_000), default=24)
    parser.add_argument("--minutes", type=number(int, 1, 100_000), default=100_000)
    parser.add_argument("--clients", type=number(int, 1, 1000), default=6)
    parser.add_argument("--load", type=number(int, 1, 100), default=60)
    parser.add_argument("--real-time", action="store_true")
    parser.add_argument("--untimed", action="store_true")
    parser.add_argument("--operations", type=number(int, 1, 1_000_000))
    parser.add_argument("names", metavar="OPERATION", nargs="*")
    options = parser.parse_args()
    if options.names and not options.operations:
        parser.error("names of operations need --operations")
    unknown = [name for name in options.names if name not in leaks.names()]
    if unknown:
        parser.error(f"there is no operation {unknown[0]}; use {' '.join(leaks.names())}")
    options.server = options.server or build()
    parser.need_programs(options.server)
    if options.operations:
        sys.exit(0 if leaks.run(options.server, options.operations, options.names) else 1)
    sys.exit(0 if Endurance(options).run() else 1)


if __name__ == "__main__":
    main()
