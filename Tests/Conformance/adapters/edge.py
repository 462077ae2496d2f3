"""`anechoic-edge` with a microphone of PulseAudio. The output is what a program reads from the agent's voice.

Each sample of the output is placed by its value, which says which sample of the microphone it is.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import grpc
import numpy as np
from anechoic.v1 import sessions_pb2
from common import PERIOD, arguments, log, microphone, tell

SET_MUTE = "/anechoic.v1.SessionService/SetMute"
ALSA = """\
<confdir:alsa.conf>
pcm.counting {{
  type pulse
  server "unix:{folder}/pulse.sock"
  device counting
}}
"""
PULSE = """\
load-module module-pipe-source source_name=counting file={folder}/microphone format=s16le rate={rate} channels=1
load-module module-native-protocol-unix socket={folder}/pulse.sock auth-anonymous=1 auth-cookie-enabled=0
"""
PARTS = (
    ("not answered", "lost"), ("trying again", "reconnecting"), ("the session goes on", "resumed"),
    ("a new session started", "restarted"),
)


class Microphone:
    """A source of PulseAudio. It is silent until `begin`."""

    def __init__(self, folder: Path, rate: int) -> None:
        self.rate, self.begins = rate, threading.Event()
        self.began = 0.0
        (folder / "pulse.pa").write_text(PULSE.format(folder=folder, rate=rate))
        (folder / "client.conf").write_text("autospawn = no\nenable-shm = no\n")
        self.environment = {
            **os.environ, "HOME": str(folder), "PULSE_RUNTIME_PATH": str(folder),
            "PULSE_CLIENTCONFIG": f"{folder}/client.conf"}
        with (folder / "pulse.log").open("wb") as file:
            self.process = subprocess.Popen(
                ["pulseaudio", "-n", "-F", str(folder / "pulse.pa"), "--daemonize=no", "--exit-idle-time=-1",
                 "--realtime=no", "--high-priority=no", "--disable-shm=yes", "--use-pid-file=no"],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        for _ in range(1000):
            if (folder / "pulse.sock").exists():
                break
            time.sleep(0.01)
        self.fifo = os.open(folder / "microphone", os.O_WRONLY)
        threading.Thread(target=self._feed, daemon=True).start()

    def begin(self) -> None:
        self.begins.set()
        while not self.began:
            time.sleep(0.001)

    def _feed(self) -> None:
        frame, position, next_time = self.rate // 100, None, time.monotonic()
        while self.process.poll() is None:
            if position is None and self.begins.is_set():
                position, self.began = 0, time.monotonic()
            samples = np.zeros(frame, "<i2") if position is None else microphone(position, frame)
            try:
                os.write(self.fifo, samples.tobytes())
            except BrokenPipeError:
                return
            position = None if position is None else position + frame
            next_time += 0.01
            time.sleep(max(0.0, next_time - time.monotonic()))


class Agent:
    """The agent, its configuration and its log."""

    def __init__(self, folder: Path, options: argparse.Namespace, environment: dict[str, str]) -> None:
        self.voice, self.control = folder / "voice", folder / "agent.sock"
        os.mkfifo(self.voice)
        (folder / "asound.conf").write_text(ALSA.format(folder=folder))
        configuration = {
            "server": {"address": options.server}, "session": {"id": options.session},
            "audio": {"rate": options.rate, "output-channels": 1},
            "routes": {"ports": [{"id": "desk", "input": "counting", "output": "null"}]},
            "programs": {"voice": f"fifo:{self.voice}"}, "mute": {"start-muted": options.mute_at == 0},
            "fallback": "silence" if options.fallback == "silence" else "pass-through", "control-socket": str(self.control),
        }
        (folder / "edge.yaml").write_text(json.dumps(configuration))
        self.runs = threading.Event()
        self.process = subprocess.Popen(
            [os.environ["ANECHOIC_EDGE"], "run", "--config", str(folder / "edge.yaml")], stderr=subprocess.PIPE,
            text=True, stdin=subprocess.DEVNULL,
            env={**environment, "ALSA_CONFIG_PATH": str(folder / "asound.conf")})
        threading.Thread(target=self._repeat_log, daemon=True).start()

    def _repeat_log(self) -> None:
        for line in self.process.stderr:
            log(line.rstrip())
            if 'microphone: "counting" runs' in line:
                self.runs.set()
            for part, event in PARTS:
                if part in line:
                    tell(event, message=line.strip())
        self.runs.set()

    def set_mute(self, muted: bool) -> None:
        with grpc.insecure_channel(f"unix:{self.control}") as channel:
            call = channel.unary_unary(
                SET_MUTE, request_serializer=sessions_pb2.SetMuteRequest.SerializeToString,
                response_deserializer=sessions_pb2.SetMuteResponse.FromString)
            call(sessions_pb2.SetMuteRequest(muted=muted), timeout=10)


class Output:
    """The samples that the agent has returned, each at its place."""

    def __init__(self, rate: int, count: int, began: float) -> None:
        self.rate, self.began = rate, began
        self.samples = np.zeros(count, "<i2")

    def place(self, samples: np.ndarray) -> None:
        # The microphone is written in pieces, whose last samples are early.
        now = round((time.monotonic() - self.began + 0.1) * self.rate)
        # Samples that fade do not count, so that their values say nothing.
        values = np.abs(samples)
        counts = np.diff(values, prepend=0) == 1
        counts[:-1] |= counts[1:]
        heard = np.flatnonzero(counts & (samples != 0))
        # The last sample of the microphone that has this value.
        indexes = now - (now - np.abs(samples[heard]) + 1) % PERIOD
        inside = (indexes >= 0) & (indexes < len(self.samples))
        self.samples[indexes[inside]] = samples[heard][inside]

    def read(self, voice: Path) -> None:
        with voice.open("rb", buffering=0) as fifo:
            rest = b""
            while data := fifo.read(65536):
                data = rest + data
                whole = len(data) - len(data) % 2
                self.place(np.frombuffer(data[:whole], "<i2").astype(np.int64))
                rest = data[whole:]


def main() -> None:
    options = arguments()
    folder = Path(options.output).parent
    source = Microphone(folder, options.rate)
    agent = Agent(folder, options, source.environment)
    try:
        agent.runs.wait(30)
        source.begin()
        output = Output(options.rate, round(options.seconds * options.rate), source.began)
        tell("began")
        threading.Thread(target=output.read, args=(agent.voice,), daemon=True).start()
        changes = [(options.mute_at, True), (options.unmute_at, False)]
        for at, muted in sorted((at, muted) for at, muted in changes if at):
            time.sleep(max(0.0, source.began + at / 1000 - time.monotonic()))
            threading.Thread(target=agent.set_mute, args=(muted,), daemon=True).start()
        time.sleep(max(0.0, source.began + options.seconds + 0.2 - time.monotonic()))
        if agent.process.poll() is not None:
            tell("failed")
        output.samples.tofile(options.output)
    finally:
        for process in (agent.process, source.process):
            process.terminate()
            try:
                process.wait(8)
            except subprocess.TimeoutExpired:
                process.kill()


main()
