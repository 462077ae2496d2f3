"""Processes that use a server for as long as they are told to, and rest when they are told to."""

import array
import math
import multiprocessing
import os
import random
import time
import traceback
from dataclasses import dataclass

import service
from operations import OPERATIONS, Client
from sound import samples_of
from stream import Failure, Stream

LENGTHS = (0.2, 1, 5, 20, 60)  # The seconds of sessions.
SHORTEST_SLEEP = 0.005
# The seconds of the sample in which the level of the echo is measured, and that of the voice. They lie within those in
# which nothing else sounds, because the output is later than the microphone.
ECHO_MEASURED, VOICE_MEASURED = (0.7, 8.4), (9.2, 13.8)
SAMPLE_SECONDS = 20
HISTORY = 1000  # The events of a session that a server keeps for those who come later.


class Shared:
    """What the lanes and the process that leads them tell each other."""

    def __init__(self, lanes):
        self.media = multiprocessing.Array("d", lanes, lock=False)  # Seconds of sound by lane.
        self.is_resting = multiprocessing.Array("b", lanes, lock=False)
        self.rest = multiprocessing.Value("d", 0, lock=False)  # Seconds to sleep for each second of sound.
        self.is_warm = multiprocessing.Array("b", lanes, lock=False)
        self.pause, self.stop = multiprocessing.Event(), multiprocessing.Event()
        self.reader, self.writer = multiprocessing.Pipe(duplex=False)
        self.lock = multiprocessing.Lock()

    @property
    def seconds(self):
        return sum(self.media)

    def tell(self, report):
        with self.lock:
            self.writer.send(report)

    def wait_until_all_are_warm(self, lane):
        self.is_warm[lane] = 1
        while not all(self.is_warm):
            time.sleep(0.1)

    def wait_while_paused(self, lane, connection=None):
        """Returns whether the lane goes on. Answers the pings of the server meanwhile."""
        self.is_resting[lane] = self.pause.is_set()
        while self.pause.is_set() and not self.stop.is_set():
            time.sleep(0.02)
            if connection:
                connection.pump()
        self.is_resting[lane] = 0
        return not self.stop.is_set()


@dataclass
class Report:
    """One operation that is over, or one round of a session that goes on."""
    operation: str
    seconds: float  # Of sound, in which a session of this kind has the same digest.
    digest: str = ""
    problem: str = ""
    echo: float = None  # The level of what is left of the echo, in dB against the microphone.
    voice: float = None


class Pace:
    """Counts the sound of a lane, and slows it down: to real time, or to the load that is wanted."""

    def __init__(self, shared, lane, real_time):
        self.shared, self.lane, self.real_time = shared, lane, real_time
        self.owed, self.due = 0.0, time.monotonic()

    def advance(self, seconds):
        self.shared.media[self.lane] += seconds
        if self.real_time:
            now = time.monotonic()
            self.due = max(self.due + seconds, now - 1)
            time.sleep(max(0, self.due - now))
            return
        self.owed += seconds * self.shared.rest.value * all(self.shared.is_warm)
        if self.owed > SHORTEST_SLEEP:
            time.sleep(min(self.owed, 1))
            self.owed = 0


def power(samples, span):
    begin, end = (int(second * service.RATE) for second in span)
    return sum(value * value for value in samples[begin:end]) + 1e-9


class Churn:
    """A lane that does operations at random."""

    def __init__(self, shared, lane, addresses, sounds, real_time):
        self.shared, self.lane = shared, lane
        self.client = Client(addresses, sounds, Pace(shared, lane, real_time), lane)
        self.random = random.Random(lane)
        self.has_digests = not real_time

    def run(self):
        names = list(OPERATIONS)
        weights = [operation.weight for operation in OPERATIONS.values()]
        for name in names:
            self.once(name)
        self.shared.wait_until_all_are_warm(self.lane)
        while self.shared.wait_while_paused(self.lane):
            self.once(self.random.choices(names, weights)[0])

    def once(self, name):
        self.client.seconds = self.random.choice(LENGTHS)
        report = Report(name, self.client.seconds)
        digest, report.problem = attempt(lambda: OPERATIONS[name].run(self.client))
        report.digest = digest if digest and self.has_digests else ""
        self.shared.tell(report)


class Resident:
    """A lane with one session that lasts until the end, and hears the sample again and again."""

    def __init__(self, shared, lane, addresses, sounds, real_time, kind):
        self.shared, self.lane, self.kind = shared, lane, kind
        self.address, self.sound = addresses[0], sounds[kind]
        self.pace = Pace(shared, lane, real_time)
        self.output = array.array("h")

    def run(self):
        microphone = samples_of("microphone")
        before = [power(microphone, span) for span in (ECHO_MEASURED, VOICE_MEASURED)]
        stream = Stream(self.address, self.sound.request(), keep=self.output.frombytes).begun()
        while True:
            for message in self.sound.messages:
                if not self.shared.wait_while_paused(self.lane, stream.connection):
                    stream.finish()
                    return
                if not stream.call.send_data(message, timeout=60):
                    self.shared.tell(Report(self.kind, 0, problem=f"a resident ended: {stream.call.text}"))
                    return
                stream.connection.pump()
                self.pace.advance(self.sound.seconds_each)
            self.shared.is_warm[self.lane] |= stream.events >= HISTORY
            self.measure(before)

    def measure(self, before):
        """Tells the echo and the voice of each whole round that has arrived."""
        whole = SAMPLE_SECONDS * service.RATE
        while len(self.output) >= whole:
            piece = self.output[:whole]
            del self.output[:whole]
            echo, voice = (
                10 * math.log10(power(piece, span) / level)
                for span, level in zip((ECHO_MEASURED, VOICE_MEASURED), before))
            self.shared.tell(Report(self.kind, 0, echo=echo, voice=voice))


def attempt(work):
    """Does some work. Returns its result, and the problem, or nothing of either."""
    try:
        return work(), ""
    except Failure as failure:
        return None, str(failure)
    except Exception:
        return None, traceback.format_exc(limit=-2)


def spawn(work):
    """Does some work in a process of its own, which gives way to the server, and ends with this program."""
    def body():
        service.end_with_parent()
        os.nice(5)
        work()

    process = multiprocessing.get_context("fork").Process(target=body, daemon=True)
    process.start()
    return process


def start(lane):
    """Runs a lane in a process of its own."""
    def work():
        try:
            lane.run()
        except Exception:
            lane.shared.tell(Report("lane", 0, problem=traceback.format_exc(limit=-3)))
        lane.shared.is_resting[lane.lane] = 1

    return spawn(work)
