"""Isolation of one voice: other voices, farther away, and a television, with and without an enrolled voice."""
import dataclasses
import functools
import pathlib
import statistics
import sys
import tempfile

import numpy

from .rooms import Room
from .runs import each_of
from .signals import RATE, around, at_level, decibels, filtered, fitted, frame_powers, noise, voiced_frames
from .figures import active_frames
from .table import head, number, row

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "training" / "isolation"))
from speakers import load  # noqa: E402

SCENES = 24
SECONDS = 30
ENROLMENT = 9.0  # s of the kept voice, another recording
AFTER = ((0.3, 8), (14, 18), (20, 25)), ((8.5, 13.5), (20, 30))
BEFORE = ((6, 12), (18, 24)), ((0.3, 5.5), (12.5, 17.5), (21, 30))
# When the kept voice talks, and when the others do, in s.
SETS = {"a voice": AFTER, "a voice that talks first": BEFORE, "a television": AFTER, "a television that is first": BEFORE}
WAYS = ("nobody enrolled", "enrolled", "another voice enrolled", "standard mic mode")
COLUMNS = ("scenes", "others alone, dB: median; least", "others beside the kept voice, dB: median; least",
           "kept voice alone, dB: median; most lost", "its frames lost, %: median; most",
           "others counted as voice, %: median; most", "kept voice counted as voice, %: median; least")


@dataclasses.dataclass
class Figures:
    alone: float  # the change of the others in dB where they are alone
    beside: float  # the same where the kept voice talks too, of the part of the output that is theirs
    kept: float  # the change of the kept voice in dB where it is alone
    lost: float  # percent of the kept voice's loud frames that are lower by 10 dB
    false: float  # percent of the frames of the others alone that count as voice
    found: float  # percent of the voiced frames of the kept voice alone that count as voice


class Scene:
    """A kept voice at 0.5 m, and another one, or a television, at 2 to 4 m that is 3 to 18 dB softer."""

    def __init__(self, random, corpus, speakers, kind):
        room = Room.drawn(random, random.uniform(0.2, 0.5))
        kept, other = random.choice(len(speakers), 2, replace=False)
        clips = list(speakers[kept].clips)
        random.shuffle(clips)
        half = max(1, len(clips) // 2)
        microphone, responses = self._responses(room, random.uniform(2, min(4, 0.8 * room.size.max())))
        # The voice is enrolled at another place of the same room.
        enrolled = filtered(talk(random, clips[half:] or clips, ENROLMENT), room.response(*room.places(0.5)))
        self.enrolment = at_level(enrolled, -26) + noise(random, len(enrolled), -68)
        self.wrong = at_level(filtered(talk(random, speakers[self._third(random, speakers, kept, other)].clips, ENROLMENT),
                                       room.response(*room.places(0.5))), -26)
        self.spans = SETS[kind]
        self.kept = self._placed(talk(random, clips[:half], SECONDS), self.spans[0], responses[0], -26)
        sound = talk(random, speakers[other].clips, SECONDS)
        if "television" in kind:
            sound = television(random, corpus, sound)
        self.others = self._placed(sound, self.spans[1], responses[1], -26 - random.uniform(3, 18))
        self.microphone = self.kept + self.others + noise(random, len(self.kept), -68, 1.5)

    @staticmethod
    def _third(random, speakers, kept, other):
        return [index for index in range(len(speakers)) if index not in (kept, other)][
            random.integers(len(speakers) - 2)]

    @staticmethod
    def _responses(room, distance):
        """A microphone, and the responses of a source at 0.5 m and of one at `distance` m."""
        for _ in range(10_000):
            microphone, far = room.places(distance)
            direction = room.random.normal(size=3) * (1, 1, 0.3)
            near = microphone + 0.5 * direction / numpy.linalg.norm(direction)
            if numpy.all(near > 0.15) and numpy.all(near < room.size - 0.15):
                return microphone, [room.response(near, microphone), room.response(far, microphone)]
        raise ValueError(f"no place 0.5 m from a microphone in a room of {room.size} m")

    @staticmethod
    def _placed(sound, spans, response, dbfs):
        gate = numpy.zeros(SECONDS * RATE)
        for begin, end in spans:
            gate[int(begin * RATE):int(end * RATE)] = 1
        return at_level(filtered(fitted(sound, len(gate)) * gate, response), dbfs)


def talk(random, clips, seconds):
    """Recordings of one voice, one after the other, again if they do not suffice, with pauses of 0.2 to 0.6 s."""
    parts, length, order = [], 0, []
    while length < seconds * RATE:
        order = order or list(random.permutation(len(clips)))
        words = clips[order.pop()].astype(float) / 32768
        parts += [at_level(words, -26), numpy.zeros(int(random.uniform(0.2, 0.6) * RATE))]
        length += len(parts[-2]) + len(parts[-1])
    return numpy.concatenate(parts)[:int(seconds * RATE)]


def television(random, corpus, speech):
    """Speech with music, compressed, through a small loudspeaker."""
    music, _ = corpus.music(random, SECONDS)
    sound = at_level(speech, -20) + at_level(fitted(music, len(speech)), -20 - random.uniform(3, 15))
    spectrum = numpy.fft.rfft(numpy.tanh(3 * sound) / 3)
    frequencies = numpy.fft.rfftfreq(len(sound), 1 / RATE)
    return numpy.fft.irfft(spectrum / (1 + (200 / numpy.maximum(frequencies, 1)) ** 4), len(sound))


def change(before, after, frames):
    """The change of the power in some frames, in dB."""
    return float(decibels(after[frames].mean()) - decibels(before[frames].mean()))


def beside(scene, output, frames):
    """The change of the others in dB in frames of 20 ms where both talk: the gains from the microphone to the output apply
    to them as well."""
    microphone, out, others = (spectra(sound)[frames] for sound in (scene.microphone, output, scene.others))
    gains = numpy.minimum(numpy.abs(out) / (numpy.abs(microphone) + 1e-9), 2)
    powers = numpy.abs(others) ** 2
    return float(decibels((gains ** 2 * powers).mean()) - decibels(powers.mean()))


def spectra(sound):
    """The spectra of 20 ms every 10 ms."""
    blocks = numpy.lib.stride_tricks.sliding_window_view(numpy.concatenate([sound, numpy.zeros(RATE // 100)]), RATE // 50)
    return numpy.fft.rfft(blocks[::RATE // 100] * numpy.hanning(RATE // 50))


def judged(scene, session):
    """The figures of a session."""
    powers = {name: frame_powers(sound, RATE) for name, sound in
              (("kept", scene.kept), ("others", scene.others), ("output", session.output))}
    has_kept, has_others = (voiced_frames(sound, RATE) & (powers[name] > 1e-8)
                            for name, sound in (("kept", scene.kept), ("others", scene.others)))
    silent_kept, silent_others = (~around(frames, 10, 30) for frames in (has_kept, has_others))
    alone, only_kept = has_others & silent_kept, has_kept & silent_others
    loud = only_kept & (decibels(powers["kept"]) > decibels(powers["kept"].max()) - 20)
    lost = decibels(powers["output"][loud]) - decibels(powers["kept"][loud]) < -10
    active = active_frames(session.voices, len(alone))
    return Figures(
        change(powers["others"], powers["output"], alone), beside(scene, session.output, has_kept & has_others),
        change(powers["kept"], powers["output"], only_kept), 100 * float(lost.mean()), 100 * float(active[alone].mean()),
        100 * float(active[only_kept].mean()))


def run(runner, folder, kind, item):
    """The figures of a scene in each way of `WAYS`."""
    index, scene = item
    found, prints = {}, {}
    for way, sound in ((WAYS[1], scene.enrolment), (WAYS[2], scene.wrong)):
        prints[way] = folder / f"{kind}-{index}-{way}.voiceprint"
        runner.session(f"enrolment-{index}", RATE, sound, options=("--save-voiceprint", prints[way]))
    for way in WAYS:
        options = ("--mic-mode", "standard" if way == WAYS[3] else "voice-isolation", "--gain-control", "off")
        options += ("--voiceprint", prints[way]) if way in prints else ()
        name = f"isolation-{kind}-{index}-{way}".replace(" ", "-")
        found[way] = judged(scene, runner.session(name, RATE, scene.microphone, options=options))
    return found


def cells(figures):
    def both(name, worst):
        values = [getattr(each, name) for each in figures]
        return f"{number(statistics.median(values))}; {number(worst(values))}"

    return [len(figures), both("alone", max), both("beside", max), both("kept", min), both("lost", max), both("false", max),
            both("found", min)]


def measure(runner, corpus, arguments):
    speakers = [each for each in load(corpus.training, held_out=True, least=12) if "." not in each.name]
    report = {}
    head(("others", "enrolled", *COLUMNS))
    with tempfile.TemporaryDirectory() as folder:
        for kind in arguments.only or SETS:
            random = numpy.random.default_rng(arguments.seed)
            scenes = [Scene(random, corpus, speakers, kind) for _ in range(arguments.count or SCENES)]
            found = each_of(functools.partial(run, runner, pathlib.Path(folder), kind), list(enumerate(scenes)))
            report[kind] = {}
            for way in WAYS:
                figures = [each[way] for each in found]
                row((kind, way, *cells(figures)))
                report[kind][way] = [dataclasses.asdict(each) for each in figures]
    return report
