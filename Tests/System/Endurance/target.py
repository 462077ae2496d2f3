"""The server that is tested: its settings, which are read again and again, and what it holds."""

import os
import re
import signal
import tempfile
import time
import urllib.request
from dataclasses import dataclass

import service
from lanes import Pace, Shared
from operations import Client
from stream import Failure, Stream
import sound

# The seconds after which a server has given back what it can: it waits 10 s for lost clients, and trims its
# memory every 5 s.
SETTLED = 12
CALM = 60  # The seconds within which sessions have to end.
# The threads that the pools of libgrpc and of Swift's runtime start when there is much to do: two for each core.
POOLS = 2 * os.cpu_count()


@dataclass
class Holding:
    memory: float  # MB, without the pages of files.
    threads: int
    descriptors: int


class Target:
    """A server with every kind of listener, and with settings in a file."""

    def __init__(self, executable, threads=2, options=()):
        self.folder = tempfile.TemporaryDirectory(prefix="anechoic-endurance-")
        self.settings = os.path.join(self.folder.name, "server.yaml")
        self.turns = 0
        self.write()
        self.server = service.Server(
            executable, "--config", self.settings, "--threads", str(threads), "--http-listen", "127.0.0.1:0",
            "--audit-log", os.path.join(self.folder.name, "audit.log"), "--allow-recording", *options)
        self.threads = threads
        self.addresses = (self.server.address, self.server.http_address)

    def write(self):
        """Other settings at each turn. Every fifth file is wrong."""
        limit = "none" if self.turns % 5 == 4 else 900 + self.turns % 7
        level = ("info", "notice", "warning")[self.turns % 3]
        with open(self.settings, "w") as file:
            file.write(f"limits:\n  max_sessions: {limit}\nlog:\n  level: {level}\n")

    def reload(self):
        """Waits until the server has read its settings, and its metrics say so."""
        before = self.metric("anechoic_reloads_total")
        self.turns += 1
        self.write()
        self.server.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 60
        while self.metric("anechoic_reloads_total") <= before:
            if time.monotonic() > end:
                raise Failure("the settings were not read again")
            time.sleep(0.002)

    def metric(self, name):
        """The sum of a metric over its labels."""
        url = f"http://{self.addresses[1]}/metrics"
        with urllib.request.urlopen(url, timeout=60) as answer:
            text = answer.read().decode()
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.MULTILINE))

    def processor_seconds(self):
        with open(f"/proc/{self.server.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def holding(self):
        return Holding(self.server.own_memory, self.server.threads, self.server.descriptors)

    def at_rest(self, sessions):
        """What it holds when only so many sessions run, and nobody asks for anything."""
        end = time.monotonic() + CALM
        while (running := self.metric("anechoic_sessions")) > sessions:
            if time.monotonic() > end:
                raise Failure(f"{running:.0f} sessions run at rest, not {sessions}")
            time.sleep(0.2)
        time.sleep(SETTLED)
        seen = []
        for _ in range(20):
            seen.append(self.holding())
            time.sleep(0.1)
        return Holding(*(min(getattr(one, name) for one in seen) for name in ("memory", "threads", "descriptors")))

    def sounds(self, media_clock=True):
        """The sounds of all kinds. Lets the server make the packets of Opus."""
        sounds = sound.every_kind(media_clock)
        packets = []
        request = sounds["plain"].request()
        request.start.pacing = service.voice.PACING_MEDIA_CLOCK
        request.start.outputs.processed.encoding = service.audio_pb2.AUDIO_ENCODING_OPUS
        stream = Stream(self.addresses[0], request, keep=packets.append)
        stream.feed(sounds["plain"], 20, Pace(Shared(1), 0, real_time=False))
        stream.finish()
        sounds["opus"] = sound.opus(media_clock, packets)
        return sounds

    def client(self, sounds, lane=0):
        return Client(self.addresses, sounds, Pace(Shared(lane + 1), lane, real_time=False), lane)
