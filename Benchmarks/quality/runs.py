"""Sessions: `anechoic process` on arrays, with its output moved back by the delay of the engine."""
import concurrent.futures
import dataclasses
import json
import pathlib
import subprocess
import tempfile
import threading

import numpy

from .cli import failed
from .signals import at_level, fitted, noise

NEAR_END = "SIDE_NEAR_END"
TURNS = {"turnStarted", "turnMayEnd", "turnContinued", "turnEnded", "turnInterruption", "backchannel", "notSpeech"}


@dataclasses.dataclass(frozen=True)
class Activity:
    """A voice of the near end as a session reported it, in seconds of the microphone."""

    begin: float
    end: float
    reported: float  # the time at which the session knew of it


@dataclasses.dataclass(frozen=True)
class TurnEvent:
    """An event of a turn, in seconds of the microphone."""

    kind: str  # as in the protocol, such as turnStarted
    at: float  # where the voice or the silence began
    reported: float  # the time at which the session knew of it


@dataclasses.dataclass
class Session:
    """What came out of a session, on the timeline of the microphone."""

    output: numpy.ndarray
    voices: list  # the voice activity of the near end
    muted_talkers: list  # the times in seconds at which the session reported a muted talker
    delays: list  # the delays of the echo in seconds, as the session found them one after the other
    turns: list = dataclasses.field(default_factory=list)  # the events of turns
    recognizer: numpy.ndarray | None = None  # the output for a recognizer of speech, if it was asked for

    def moves(self, least=0.002):
        """How often the delay of the echo changed by more than `least` seconds after it was first found."""
        return sum(abs(late - soon) > least for soon, late in zip(self.delays, self.delays[1:]))


class Runner:
    """Runs sessions with one engine, and keeps their files in a folder if one is given."""

    def __init__(self, anechoic, engine=None, keep=None):
        self.anechoic, self.engine, self.keep = anechoic, engine, keep
        self._delays, self._lock = {}, threading.Lock()

    def session(self, name, rate, microphone, reference=None, options=(), recognizer=False):
        """Runs a session. 100 ms of silence follow the microphone, so that no voice is cut off by the delay."""
        delay = self.delay(rate, reference is not None)
        silence = numpy.zeros(rate // 10)
        sounds = [None if sound is None else numpy.concatenate([sound, silence]) for sound in (microphone, reference)]
        output, events, recognized = self._process(name, rate, *sounds, options, recognizer)
        aligned = fitted(output[delay:], len(microphone))
        if recognized is not None:
            recognized = fitted(recognized[delay:], len(microphone))
        muted = [int(event["microphoneSample"]) / rate for event in events
                 if event.get("mutedSpeechActivity", {}).get("activity") == "SPEECH_ACTIVITY_STARTED"]
        delays = [float(event["echoPathChanged"]["delay"].rstrip("s")) for event in events
                  if "delay" in event.get("echoPathChanged", {})]
        return Session(aligned, _activities(events, rate, len(microphone)), muted, delays, _turns(events, rate),
                       recognized)

    def delay(self, rate, has_reference):
        """The delay in samples from the microphone to the output, as measured with a burst of noise."""
        with self._lock:
            key = rate, has_reference
            if key not in self._delays:
                random = numpy.random.default_rng(7)
                steps = numpy.repeat(random.uniform(0, 1, 20), rate // 20)
                sound = at_level(noise(random, rate, -26, 3) * steps, -26, rate)
                options = ("--mic-mode", "wide-spectrum", "--gain-control", "off", "--noise-suppression", "off")
                reference = numpy.zeros(rate) if has_reference else None
                output, _, _ = self._process("delay", rate, sound, reference, options)
                size = 4 * rate
                product = numpy.fft.rfft(output, size) * numpy.conj(numpy.fft.rfft(sound, size))
                self._delays[key] = int(numpy.argmax(numpy.fft.irfft(product, size)[:rate // 5]))
            return self._delays[key]

    def _process(self, name, rate, microphone, reference, options, recognizer=False):
        import soundfile

        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            if self.keep:
                folder = self.keep / name
                folder.mkdir(parents=True, exist_ok=True)
            command = [self.anechoic, "process", "--output", folder / "output.wav", "--events", folder / "events.jsonl"]
            for side, sound in (("microphone", microphone), ("reference", reference)):
                if sound is not None:
                    soundfile.write(folder / f"{side}.wav", numpy.clip(sound, -1, 1 - 2 ** -15), rate, "PCM_16")
                    command += [f"--{side}", folder / f"{side}.wav"]
            command += ["--engine", self.engine] if self.engine else []
            command += ["--recognizer", folder / "recognizer.wav"] if recognizer else []
            result = subprocess.run([*command, *options], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if result.returncode != 0:
                failed(f"{name}: {result.stderr.strip()}")
            output, _ = soundfile.read(folder / "output.wav", dtype="float64")
            events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
            recognized = soundfile.read(folder / "recognizer.wav", dtype="float64")[0] if recognizer else None
            return output, events, recognized


def _turns(events, rate):
    found = []
    for event in events:
        for kind in TURNS & event.keys():
            at = event[kind].get("beganAtSample", event[kind].get("silentFromSample", 0))
            found.append(TurnEvent(kind, int(at) / rate, int(event["microphoneSample"]) / rate))
    return found


def each_of(function, values):
    """The results of a function for each value, two at a time."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(function, values))


def _activities(events, rate, length):
    found, begin = [], None
    for event in events:
        change = event.get("voiceActivityChanged")
        if change is None or change.get("side", NEAR_END) != NEAR_END:
            continue
        began = int(change.get("beganAtSample", 0)) / rate
        if change.get("active"):
            begin, reported = began, int(event["microphoneSample"]) / rate
        elif begin is not None:
            found.append(Activity(begin, began, reported))
            begin = None
    return found + ([Activity(begin, length / rate, reported)] if begin is not None else [])
