#!/usr/bin/env python3
"""Tests the plug-in under a real PipeWire: the echo, the delay, and a server that comes and goes.

A call of a loudspeaker and a microphone is played into a PipeWire without sound cards, in which both
PipeWire's own echo canceller and Anechoic run. The call is played twice. In the second half, the
server is killed and started again.
"""

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from processes import Desktop, Failure, Server, wait_for
from sound import (RATE, decibels, lag, longest_silence, read_floats, read_segments, read_wave,
                   write_wave)

MOST_ADDED_DELAY = 0.030  # seconds, compared with PipeWire's own canceller


def check(condition, sentence):
    print(("ok      " if condition else "FAILED  ") + sentence, flush=True)
    if not condition:
        raise Failure(sentence)


class Call:
    """The sample's call until both sides talk, twice, and where its parts are in a recording."""

    def __init__(self, sample):
        self.segments = read_segments(sample / "segments.json")
        reference, self.rate = read_wave(sample / "reference.wav")
        microphone, _ = read_wave(sample / "microphone.wav")
        self.seconds = self.segments["double_talk"][0]
        count = int(self.seconds * self.rate)
        self.microphone = np.tile(microphone[:count], 2)
        self.reference = np.tile(reference[:count], 2)

    def write(self, path):
        write_wave(path, self.rate, self.reference, self.microphone)

    def part(self, kind, again=0):
        """Start and end of a part in the first or the second half, in samples of the recording."""
        start, end = (int((each + again * self.seconds) * RATE) for each in self.segments[kind])
        return start + self.begin, end + self.begin

    def find(self, recorded):
        """Finds the beginning of the call in a recording of the microphone."""
        known = np.repeat(self.microphone[: 9 * self.rate] / 32768, RATE // self.rate)
        self.begin, _ = lag(known, recorded, longest=10 * RATE)


def run_call(desktop, server, folder, program, call):
    """Plays the call and kills the server in its second half. Returns what was recorded."""
    call.write(folder / "call.wav")
    recording, pulse = folder / "recording.wav", folder / "pulse.raw"
    recorder = desktop.start(
        "recorder", "pw-cat", "--record", "--target", "0", "--rate", str(RATE), "--format", "f32",
        "--channels", "3", "--channel-map", "FL,FR,FC", "-P", "{ node.name = recorder }",
        str(recording))
    desktop.link("microphone:capture_MONO", "recorder:input_FL")
    desktop.link("webrtc_source:capture_MONO", "recorder:input_FR")
    desktop.link("anechoic_source:capture_MONO", "recorder:input_FC")
    client = desktop.start(
        "parec", "parec", "--device=anechoic_source", "--raw", "--format=float32le",
        f"--rate={RATE}", "--channels=1", "--latency-msec=50", stdout=pulse.open("wb"))
    wait_for(lambda: pulse.stat().st_size > RATE, "a client of PulseAudio hears the microphone")
    wait_for(lambda: any("processes" in line for line in desktop.state_lines()), "the session starts")
    check(True, "the microphone is heard while nothing is played")

    player = desktop.start("player", "pw-cat", "--playback", "--target", "0",
                           "-P", "{ node.name = player }", str(folder / "call.wav"))
    desktop.link("player:output_FL", "speaker:playback_FL", "speaker:playback_FR")
    desktop.link("player:output_FR", "microphone:input_MONO")
    time.sleep(call.seconds + 1.5)
    server.stop(signal.SIGKILL)
    wait_for(lambda: any("no server" in line for line in desktop.state_lines()), "the server is missed")
    time.sleep(1.5)
    with Server(program, folder):
        player.child.wait(60)
        client.stop()
        recorder.stop(signal.SIGINT)
    return read_floats(recording, 3).T, read_floats(pulse, 1)[:, 0]


def check_quality(call, microphone, webrtc, anechoic):
    start, end = call.part("near_end_only")
    delays, reductions = {}, {}
    for name, output in (("webrtc", webrtc), ("anechoic", anechoic)):
        delay, _ = lag(microphone[start:end], output[start : end + RATE // 4])
        gain = decibels(output[start + delay : end + delay]) - decibels(microphone[start:end])
        echo_start, echo_end = call.part("far_end_only")
        echo = decibels(output[echo_start + delay : echo_end + delay])
        delays[name] = delay / RATE
        reductions[name] = decibels(microphone[echo_start:echo_end]) - echo + gain
        print(f"{name:10} delay {1000 * delays[name]:.1f} ms, echo reduction "
              f"{reductions[name]:.1f} dB, near voice {gain:+.1f} dB")
    added = delays["anechoic"] - delays["webrtc"]
    check(added <= MOST_ADDED_DELAY, f"the delay is {1000 * added:.1f} ms more than PipeWire's own")
    check(reductions["anechoic"] > reductions["webrtc"],
          f"the echo is {reductions['anechoic'] - reductions['webrtc']:.1f} dB lower")
    return round(delays["anechoic"] * RATE)


def check_recovery(call, microphone, anechoic, delay):
    start, end = call.part("far_end_only", again=1)
    heard, sent = anechoic[start + delay : end + delay], microphone[start:end]
    raw = np.count_nonzero(heard == sent) / RATE
    check(raw > 1, f"without a server, the unprocessed microphone is heard, for {raw:.1f} s")
    silence = longest_silence(heard)
    check(silence < 0.1, f"sound goes on: the longest silence is {1000 * silence:.0f} ms")
    start, end = call.part("near_end_only", again=1)
    again, _ = lag(microphone[start:end], anechoic[start : end + RATE // 4])
    check(again == delay, f"the delay is the same after the restart: {again} and {delay} samples")
    last = slice(start - 2 * RATE, start - RATE)
    reduction = decibels(microphone[last]) - decibels(anechoic[last.start + delay : last.stop + delay])
    check(reduction > 20, f"after the restart, the echo is reduced again, by {reduction:.1f} dB")


def check_pulse(call, anechoic, pulse):
    start, end = call.part("near_end_only")
    piece = anechoic[start:end]
    _, likeness = lag(piece, pulse, longest=len(pulse) - len(piece))
    check(likeness > 0.99, f"a client of PulseAudio hears the same voice: correlation {likeness:.4f}")


def check_log(lines):
    expected = ["processes the microphone", "no server at", "processes the microphone"]
    well = len(lines) == 3 and all(part in line for part, line in zip(expected, lines))
    check(well, "the log has one line for each change:\n          " + "\n          ".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--plugin", type=Path, required=True, help="libspa-aec-anechoic.so")
    parser.add_argument("--server", type=Path, required=True, help="anechoic-server")
    parser.add_argument("--configuration", type=Path, required=True, help="50-anechoic.conf")
    parser.add_argument("--sample", type=Path, required=True, help="the folder of make-sample")
    parser.add_argument("--keep", type=Path, help="a folder that keeps recordings and logs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        configuration = options.configuration.read_text().replace(
            "127.0.0.1:50051", f"unix:{folder}/server.sock")
        call = Call(options.sample)
        with Server(options.server, folder) as server, \
                Desktop(folder, options.plugin, configuration) as desktop:
            (microphone, webrtc, anechoic), pulse = run_call(
                desktop, server, folder, options.server, call)
            lines = desktop.state_lines()
        call.find(microphone)
        delay = check_quality(call, microphone, webrtc, anechoic)
        check_recovery(call, microphone, anechoic, delay)
        check_pulse(call, anechoic, pulse)
        check_log(lines)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"test_desktop: {failure}")
