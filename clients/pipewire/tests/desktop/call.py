"""A call that is played into PipeWire, and the measures of what comes out."""

import signal
import time

import numpy as np
from processes import Server, check, wait_for
from sound import RATE, decibels, lag, longest_silence, read_floats, read_segments, read_wave, write_wave

MOST_ADDED_DELAY = 0.030  # seconds, compared with PipeWire's own canceller
LEAD = 0.5  # seconds of silence before the call, in which the links are made


class Part:
    """A part of the call: a stretch of the sample, and where it begins in the recording."""

    def __init__(self, sample, start, end, echo_delay):
        self.start, self.end, self.echo_delay = start, end, echo_delay
        self.segments = read_segments(sample / "segments.json")
        self.reference, self.near = (self.cut(sample / name) for name in ("reference.wav", "near.wav"))
        echo = self.cut(sample / "microphone.wav") - self.near
        later = round(echo_delay * self.rate)
        self.microphone = np.concatenate((echo[:later], echo))[: len(echo)] + self.near

    def cut(self, path):
        samples, self.rate = read_wave(path)
        return samples[round(self.start * self.rate) : round(self.end * self.rate)].astype(int)

    def find(self, recorded, about):
        """Finds each segment in the recorded microphone, because a busy player can pause between them."""
        self.ranges = {}
        for kind, (start, end) in self.segments.items():
            start, end = (round(max(each - self.start, 0) * self.rate) for each in (start, end))
            known = self.upsample(self.microphone[start:end])
            if len(known) < RATE:
                continue
            begin = about + start * RATE // self.rate
            found, _ = lag(known, recorded[begin : begin + len(known) + 2 * RATE], longest=2 * RATE)
            later = round(self.echo_delay * RATE) if kind == "far_end_only" else 0
            self.ranges[kind] = slice(begin + found + later, begin + found + len(known))

    def upsample(self, samples):
        return np.repeat(samples / 32768, RATE // self.rate)


class Call:
    """The three parts, one after another."""

    def __init__(self, sample):
        segments = read_segments(sample / "segments.json")
        answer, both = segments["near_end_only"], segments["double_talk"]
        self.laptop = Part(sample, 0, both[1], 0)
        self.bluetooth = Part(sample, 0, answer[1], 0.150)
        self.again = Part(sample, segments["far_end_only"][1] - 4, answer[1], 0.150)
        self.parts = (self.laptop, self.bluetooth, self.again)
        # The server is killed as the near end begins to talk.
        self.kill_at = LEAD + both[1] + answer[0] + 0.2

    def write(self, path):
        reference, microphone = (
            np.concatenate([np.zeros(int(LEAD * self.laptop.rate)),
                            *(getattr(part, name) for part in self.parts)])
            for name in ("reference", "microphone"))
        write_wave(path, self.laptop.rate, reference, microphone)

    def find(self, recorded):
        begin = 0
        for part in self.parts:
            part.find(recorded, begin)
            begin = part.ranges["near_end_only"].stop
            if part is self.laptop:
                begin = part.ranges["double_talk"].stop


def run_call(desktop, server, folder, program, call):
    """Plays the call, and kills and starts the server. Returns what was recorded."""
    call.write(folder / "call.wav")
    recording, pulse = folder / "recording.wav", folder / "pulse.raw"
    recorder = desktop.record(recording, RATE, "microphone", "webrtc_source", "anechoic_source")
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
    time.sleep(call.kill_at)
    server.stop(signal.SIGKILL)
    wait_for(lambda: any("no server" in line for line in desktop.state_lines()), "the server is missed")
    time.sleep(1)
    with Server(program, folder):
        player.child.wait(240)
        lines = desktop.state_lines()
        client.stop()
        recorder.stop(signal.SIGINT)
    return read_floats(recording, 3).T, read_floats(pulse, 1)[:, 0], lines


def delay_of(part, microphone, output):
    """The delay of the near voice from the microphone to an output, in samples."""
    # The second half, because the server may be away in the first.
    answer = part.ranges["near_end_only"]
    half = slice((answer.start + answer.stop) // 2, answer.stop)
    return lag(microphone[half], output[half.start : half.stop + RATE // 4])[0]


def shifted(part, delay):
    return slice(part.start + delay, part.stop + delay)


def echo_reduction(segment, microphone, output, delay):
    return decibels(microphone[segment]) - decibels(output[shifted(segment, delay)])


def near_voice(part, microphone, output, delay):
    """How clean the near voice is while both talk: its power by that of everything else, in dB.

    The median of half seconds, each found in the recording by itself.
    """
    start, end = (round(each * part.rate) for each in part.segments["double_talk"])
    about, step = part.ranges["double_talk"].start, part.rate // 2
    ratios = []
    for first in range(start, end - step, step):
        known = part.upsample(part.microphone[first : first + step])
        begin = about + (first - start) * RATE // part.rate - RATE // 10
        begin += lag(known, microphone[begin : begin + len(known) + RATE // 5], longest=RATE // 5)[0]
        heard = output[begin + delay : begin + delay + len(known)].astype(np.float64)
        voice = part.upsample(part.near[first : first + step])
        voice = voice * (heard @ voice) / (voice @ voice)
        ratios.append(decibels(voice) - decibels(heard - voice))
    return float(np.median(ratios))


def check_quality(call, microphone, outputs, compares):
    delays = {name: delay_of(call.laptop, microphone, output) for name, output in outputs.items()}
    laptop, bluetooth, late, near = {}, {}, {}, {}
    far_end = call.bluetooth.ranges["far_end_only"]
    found = slice(far_end.start + 3 * RATE, far_end.stop)
    for name, output in outputs.items():
        delay = delays[name]
        laptop[name] = echo_reduction(
            call.laptop.ranges["far_end_only"], microphone, output, delay)
        bluetooth[name] = echo_reduction(far_end, microphone, output, delay)
        late[name] = echo_reduction(found, microphone, output, delay)
        near[name] = near_voice(call.laptop, microphone, output, delay)
        print(f"        {name:9} delay {1000 * delay / RATE:.1f} ms; echo reduction: laptop "
              f"{laptop[name]:.1f} dB, bluetooth {bluetooth[name]:.1f} dB, after 3 s {late[name]:.1f} dB; "
              f"near voice by the rest while both talk {near[name]:.1f} dB")
    added = (delays["anechoic"] - delays["webrtc"]) / RATE
    check(added <= MOST_ADDED_DELAY, f"the delay is {1000 * added:.1f} ms more than PipeWire's own")
    check(laptop["anechoic"] > 15, "laptop: the echo is reduced by more than 15 dB")
    check(late["anechoic"] > 10, "bluetooth: the echo is reduced by more than 10 dB after 3 s")
    # A player that is late spoils what both play.
    check(near["anechoic"] > min(near["webrtc"], 0),
          "while both talk, the near voice is louder than the rest, or cleaner than PipeWire's own")
    if compares:
        compare(laptop, late, near)
    return delays["anechoic"]


def compare(laptop, late, near):
    check(laptop["anechoic"] > 20, "laptop: the echo is reduced by more than 20 dB")
    check(late["anechoic"] > late["webrtc"] + 3, "bluetooth: the echo is lower than PipeWire's own")
    worse = {name: min(laptop[name], late[name]) for name in laptop}
    check(worse["anechoic"] > worse["webrtc"], "the echo of the worse loudspeaker is lower")
    check(near["anechoic"] > near["webrtc"] + 3, "the near voice is cleaner than PipeWire's own")


def check_recovery(call, microphone, anechoic, delay):
    answer = call.bluetooth.ranges["near_end_only"]
    heard = anechoic[shifted(answer, delay)]
    raw, shift = max(
        (np.count_nonzero(anechoic[shifted(answer, delay + shift)] == microphone[answer]) / RATE, shift)
        for shift in range(-5, 6))
    check(raw > 0.3, "without a server, the unprocessed microphone is heard: "
                     f"{raw:.1f} s of it, {abs(shift)} samples from the processed voice")
    silence = longest_silence(heard)
    check(silence < 0.1, f"sound goes on: the longest silence is {1000 * silence:.0f} ms")
    again = delay_of(call.again, microphone, anechoic)
    check(abs(again - delay) <= 1, f"the delay is the same after the restart: {again} and {delay} samples")
    far_end = call.again.ranges["far_end_only"]
    last = slice(far_end.stop - RATE, far_end.stop)
    reduction = echo_reduction(last, microphone, anechoic, delay)
    check(reduction > 10, f"after the restart, the echo is reduced again, by {reduction:.1f} dB")


def check_pulse(call, anechoic, pulse):
    """Finds each quarter of a second by itself, because a client that is late on a busy machine loses sound between."""
    voice = anechoic[call.laptop.ranges["near_end_only"]]
    begin, _ = lag(voice, pulse, longest=len(pulse) - len(voice))
    size, around, likenesses = RATE // 4, 2 * RATE, []
    for first in range(0, len(voice) - size, size):
        place = begin + first
        near = pulse[max(0, place - around) : place + size + around]
        likenesses.append(lag(voice[first : first + size], near, longest=2 * around)[1])
    likeness = np.median(likenesses)
    check(likeness > 0.99, f"a client of PulseAudio hears the same voice: correlation {likeness:.4f}")


def check_log(lines):
    lines = [line for line in lines if "too late" not in line]  # The machine may be busy.
    expected = ["processes the microphone", "no server at", "processes the microphone"]
    well = len(lines) == 3 and all(part in line for part, line in zip(expected, lines))
    check(well, "the log has one line for each change:\n          " + "\n          ".join(lines))
