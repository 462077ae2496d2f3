"""`anechoic-edge` with a microphone of PulseAudio. The output is what a program reads from the agent's voice.

Each sample of the output is placed by its value, which says which sample of the microphone it is.
"""

from __future__ import annotations

import argparse
import os
import threading
import time
from pathlib import Path

import grpc
import numpy as np
from anechoic.v1 import sessions_pb2
from common import PERIOD, arguments, microphone, tell
from edge_rig import Agent, Sound, stop

SET_MUTE = "/anechoic.v1.SessionService/SetMute"
PARTS = (
    ("not answered", "lost"), ("trying again", "reconnecting"), ("the session goes on", "resumed"),
    ("a new session started", "restarted"),
)


class Microphone:
    """A source of PulseAudio. It is silent until `begin`."""

    def __init__(self, folder: Path, rate: int) -> None:
        self.rate, self.begins = rate, threading.Event()
        self.began = 0.0
        self.sound = Sound(folder, "load-module module-pipe-source source_name=counting", "counting", rate)
        self.fifo = os.open(self.sound.pipe, os.O_WRONLY)
        threading.Thread(target=self._feed, daemon=True).start()

    def begin(self) -> None:
        self.begins.set()
        while not self.began:
            time.sleep(0.001)

    def _feed(self) -> None:
        frame, position, next_time = self.rate // 100, None, time.monotonic()
        while self.sound.process.poll() is None:
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


def configuration(options: argparse.Namespace, voice: Path) -> dict:
    return {
        "server": {"address": options.server}, "session": {"id": options.session},
        "audio": {"rate": options.rate, "output_channels": 1},
        "routes": {"ports": [{"id": "desk", "input": "counting", "output": "null"}]},
        "programs": {"voice": f"fifo:{voice}"},
        # The vectors are about audio that is sent while the session is muted.
        "mute": {"start_muted": options.mute_at == 0, "muted_audio": "sent"},
        "fallback": "silence" if options.fallback == "silence" else "pass-through",
    }


def tell_states(line: str) -> None:
    for part, event in PARTS:
        if part in line:
            tell(event, message=line.strip())


def set_mute(agent: Agent, muted: bool) -> None:
    with grpc.insecure_channel(f"unix:{agent.control}") as channel:
        call = channel.unary_unary(
            SET_MUTE, request_serializer=sessions_pb2.SetMuteRequest.SerializeToString,
            response_deserializer=sessions_pb2.SetMuteResponse.FromString)
        call(sessions_pb2.SetMuteRequest(muted=muted), timeout=10)


class Output:
    """The samples that the agent has returned, each at its place."""

    def __init__(self, rate: int, count: int) -> None:
        self.rate, self.began = rate, time.monotonic()
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
    source, voice = Microphone(folder, options.rate), folder / "voice"
    os.mkfifo(voice)
    # A program that reads the voice begins a call.
    output = Output(options.rate, round(options.seconds * options.rate))
    threading.Thread(target=output.read, args=(voice,), daemon=True).start()
    agent = Agent(
        folder, configuration(options, voice), source.sound, 'microphone: "counting" runs', tell_states)
    try:
        agent.runs.wait(30)
        source.begin()
        output.began = source.began
        tell("began")
        changes = [(options.mute_at, True), (options.unmute_at, False)]
        for at, muted in sorted((at, muted) for at, muted in changes if at):
            time.sleep(max(0.0, source.began + at / 1000 - time.monotonic()))
            threading.Thread(target=set_mute, args=(agent, muted), daemon=True).start()
        time.sleep(max(0.0, source.began + options.seconds + 0.2 - time.monotonic()))
        if agent.process.poll() is not None:
            tell("failed")
        output.samples.tofile(options.output)
    finally:
        stop(agent.process, source.sound.process)


main()
