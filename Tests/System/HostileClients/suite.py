"""Runs attacks on a server, and judges what they did to it and to the honest clients beside them."""

import json
import multiprocessing
import os
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass, field

import honest
import service
import tls as tls_clients

ATTACKS = []
# The limit of memory growth from one round to the next, as a factor. Less growth is a plateau.
PLATEAU = 1.03
# The part of its memory by which a server may have grown afterwards.
MEMORY_GROWTH = 0.1
# The threads that libgrpc starts for its own work when there is much of it: two for each core.
EXECUTOR_THREADS = 2 * os.cpu_count()
# The time in seconds within which memory has to come back. The server trims it every 5 s at least.
LONGEST_RETURN = 12
# The time in seconds within which a late frame is excused if the idle server beside was late too.
SAME_MOMENT = 0.3


@dataclass
class Attack:
    name: str
    run: object
    options: tuple = ()  # Or a function that returns them.
    memory: float = 48  # The maximum growth in MB.
    threads: int = 4  # The maximum growth, beside libgrpc's own pool.
    refusals: tuple = ()  # The statuses with which honest sessions may be refused meanwhile.
    tls: bool = False  # The server has a TLS listener. Honest sessions use a unix socket.
    full_only: bool = False  # Too slow for the short form.


@dataclass
class Report:
    """What an attack says about itself, in its own process."""
    address: str
    pid: int
    scale: float
    tls_address: str = ""
    http_address: str = ""
    certificates: object = None
    problems: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    stalls: list = field(default_factory=list)  # The times between which frames may be late.

    def count(self, full, least=1):
        """So many in the full form, and fewer in a short one."""
        return max(least, int(full * self.scale))

    def expect(self, condition, problem):
        if not condition:
            self.problems.append(problem)


def attack(**limits):
    """Declares an attack: a function that takes a Report, named as it is told of."""
    def declare(function):
        ATTACKS.append(Attack(function.__name__, function, **limits))
        return function
    return declare


def run_in_child(this, server, scale):
    """Runs the attack in a process that gives way to the honest clients, and returns its report."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    report = Report(
        server.address, server.process.pid, scale, server.tls_address, server.http_address,
        server.certificates)

    def body():
        service.end_with_parent()
        os.nice(10)
        try:
            this.run(report)
        except Exception:
            report.problems.append(f"the attack failed: {traceback.format_exc(limit=-3)}")
        sender.send((report.problems, report.notes, report.stalls))

    child = multiprocessing.get_context("fork").Process(target=body)
    child.start()
    sender.close()
    most_threads = server.threads
    while not receiver.poll(0.02):
        if server.is_alive:
            most_threads = max(most_threads, server.threads)
    try:
        report.problems, report.notes, report.stalls = receiver.recv()
    except EOFError:
        report.problems.append("the attack's process died")
    child.join()
    return report, most_threads


class Bystanders:
    """The honest clients, as processes of their own."""

    def __init__(self, server, idle):
        program = [sys.executable, honest.__file__]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.times = subprocess.Popen([*program, "times", server.address, idle.address], **pipes)
        self.bytes = subprocess.Popen([*program, "bytes", server.address], **pipes)
        self.times.stdout.readline()

    def finish(self):
        """Returns what both have seen, or nothing of one that does not end."""
        results = []
        for process in (self.times, self.bytes):
            try:
                process.stdin.close()
                process.stdin = None
                results.append(json.loads(process.communicate(timeout=60)[0] or "null"))
            except (subprocess.TimeoutExpired, json.JSONDecodeError):
                process.kill()
                results.append(None)
        return results


def late_frames(times, stalls):
    """Delays of frames that neither the idle server nor a stall explains."""
    attacked, idle = times["delays"]
    busy = [sent for sent, delay in idle if delay > honest.LATE] + times["lagged"]
    return [
        delay for sent, delay in attacked
        if delay > honest.LATE
        and not any(-SAME_MOMENT < moment - sent < delay + SAME_MOMENT for moment in busy)
        and not any(begin <= sent <= end for begin, end in stalls)
    ]


def settle(server, target):
    """Waits a while for memory to come back. Returns what is held then."""
    end = time.monotonic() + LONGEST_RETURN
    while server.is_alive and server.own_memory > target and time.monotonic() < end:
        time.sleep(0.1)
    return server.own_memory


class Case:
    """One attack on one fresh server."""

    def __init__(self, this, executable, idle, digest, scale, untimed):
        self.untimed = untimed
        self.attack, self.idle, self.digest, self.scale = this, idle, digest, scale
        options = this.options() if callable(this.options) else this.options
        certificates = tls_clients.Certificates() if this.tls else None
        self.server = service.Server(executable, *options, certificates=certificates)
        self.problems, self.notes = [], []
        self.is_late = False

    def run(self):
        for _ in range(2):
            honest.digest(self.server.address)
        bystanders = Bystanders(self.server, self.idle)
        time.sleep(0.5)
        stalls = []
        if self.server.is_alive:
            stalls = self.attack_in_rounds()
        times, sessions = bystanders.finish()
        if not self.server.is_alive:
            self.problems = [f"the server died: {self.server.fate}"]
            return
        self.judge_sessions(sessions)
        self.judge_times(times, stalls)
        if not self.server.stop():
            self.problems.append(f"the server did not stop in order: {self.server.fate}")

    def attack_in_rounds(self):
        server, stalls = self.server, []
        resident, before = server.memory, server.own_memory
        threads, descriptors = server.threads, server.descriptors
        most = before + resident * MEMORY_GROWTH
        last = before
        for turn in range(1, 4):
            server.reset_peak()
            report, most_threads = run_in_child(self.attack, server, self.scale)
            stalls += report.stalls
            self.problems += report.problems
            if turn == 1:
                self.notes += report.notes
            if not server.is_alive:
                return stalls
            peak = server.peak_memory
            if peak > resident + self.attack.memory:
                self.problems.append(f"memory rose from {resident:.0f} to {peak:.0f} MB")
            held = settle(server, most)
            if turn == 1:
                self.notes.append(
                    f"memory {resident:.0f}, at most {peak:.0f}, then {resident - before + held:.0f} MB")
            if most_threads > threads + self.attack.threads + EXECUTOR_THREADS:
                self.problems.append(f"{threads} threads became {most_threads}")
            if held <= most:
                break
            if turn > 1 and held <= last * PLATEAU:
                self.notes.append(f"a plateau: {held - before:.0f} MB more after round {turn}")
                break
            last = held
        else:
            self.problems.append(f"memory stays: {held - before:.0f} MB more in the end")
        end = time.monotonic() + 5
        while server.descriptors > descriptors + 10 and time.monotonic() < end:
            time.sleep(0.1)
        if server.descriptors > descriptors + 10:
            self.problems.append(f"{descriptors} open files became {server.descriptors}")
        return stalls

    def judge_sessions(self, sessions):
        if not sessions:
            return self.problems.append("the honest sessions did not end")
        refused = [status for _, status in sessions if status in self.attack.refusals]
        wrong = [
            (digest or "")[:8] + f" status {status}" for digest, status in sessions
            if (digest, status) != (self.digest, 0) and status not in self.attack.refusals
        ]
        if wrong:
            self.problems.append(f"{len(wrong)} of {len(sessions)} sessions had other bytes: {wrong[0]}")
        if sessions[-1][1] != 0:
            self.problems.append(f"after the attack a session is refused: {sessions[-1][1]}")
        self.notes.append(f"{len(sessions) - len(refused)} honest sessions")

    def judge_times(self, times, stalls):
        if not times:
            return self.problems.append("the honest real-time session did not end")
        if times["faults"][0]:
            self.problems.append(f"the honest real-time session {times['faults'][0]}")
        late = late_frames(times, stalls)
        if late:
            told = f"{len(late)} of {times['frames']} frames were late, by up to {max(late):.2f} s"
            self.is_late = not self.problems and not self.untimed
            (self.notes if self.untimed else self.problems).append(told)


def run(names, executable, scale, untimed=False):
    """Runs the attacks with these names, or all that are not left out. Returns whether the server
    withstood them."""
    chosen = []
    for this in ATTACKS:
        is_too_long = this.full_only and scale < 1
        if this.name in names or not (names or is_too_long):
            chosen.append(this)
        elif not names:
            print(f"left out  {this.name:22} too long for the short form", flush=True)
    idle = service.Server(executable)
    digest, status = honest.digest(idle.address)
    if status != 0:
        raise RuntimeError(f"an idle server ends an honest session with {status}")
    failures = 0
    began = time.monotonic()
    for this in chosen:
        # On a busy machine a frame may be late without a fault. A fault occurs again.
        for _ in range(3):
            start = time.monotonic()
            case = Case(this, executable, idle, digest, scale, untimed)
            case.run()
            if not case.is_late:
                break
        failures += bool(case.problems)
        seconds = time.monotonic() - start
        print(
            f"{'not ok' if case.problems else 'ok':6}  {this.name:24} {seconds:5.1f} s  "
            + "; ".join(case.notes), flush=True)
        for problem in case.problems[:6]:
            print(f"        - {problem}", flush=True)
    idle.stop()
    print(f"{len(chosen) - failures} of {len(chosen)} attacks withstood, "
          f"{time.monotonic() - began:.0f} s", flush=True)
    return failures == 0
