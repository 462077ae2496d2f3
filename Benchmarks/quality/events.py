"""Sounds that are no voice: false voice, a raised level, a false muted talker. And digits, and the onset of a voice."""
import numpy

from . import dtmf, sounds
from .cli import failed
from .corpus import floor, read, trimmed
from .figures import active_frames, seconds_a_minute, time_until
from .runs import each_of
from .signals import RATE, at_level, decibels, frame_powers, loud_frames
from .table import head, number, row, times, worst_and_median

LEVEL = -30.0
DIGITS = "159#0*7842D6"
SETS = sounds.KINDS
COLUMNS = ("sounds", "false voice, s/min: worst; median", "output by input, dB: worst; median",
           "loudest seconds of output by input, dB: worst", "false muted talkers / 10 min", "worst sound")


def loudest_second(sound):
    """The level of the loudest second in dBFS."""
    powers = frame_powers(sound, RATE)
    return float(decibels(numpy.convolve(powers, numpy.ones(100) / 100, "valid").max()))


def judged(runner, name, sound):
    """Runs a sound as it is and muted. The first second is the quiet room."""
    session = runner.session(name, RATE, sound)
    muted = runner.session(f"{name}-muted", RATE, sound, options=("--muted",))
    powers, heard = (frame_powers(each[RATE:], RATE).mean() for each in (sound - sound.mean(), session.output))
    return {"false_voice": seconds_a_minute(active_frames(session.voices, len(sound) * 100 // RATE)[100:]),
            "raise": float(decibels(heard) - decibels(powers)),
            "raise_of_loudest_second": loudest_second(session.output) - loudest_second(sound - sound.mean()),
            "false_muted_talkers": len(muted.muted_talkers)}


def false_voice(runner, corpus, arguments):
    """A row for each kind of sound."""
    head(("sound", *COLUMNS))
    report = {}
    for kind in arguments.only or SETS:
        random = numpy.random.default_rng([arguments.seed, SETS.index(kind)])
        made = [(name, sounds.after_a_quiet_second(random, sound))
                for name, sound in sounds.of(corpus, random, kind, LEVEL)][:arguments.count]
        if not made:
            continue
        figures = each_of(lambda each: judged(runner, f"{kind}-{each[0]}".replace("/", "-"), each[1]), made)
        worst = max(range(len(made)), key=lambda index: (figures[index]["false_voice"], figures[index]["raise"]))
        minutes = sum(len(sound) for _, sound in made) / RATE / 60
        row((kind, len(made), worst_and_median([each["false_voice"] for each in figures]),
             worst_and_median([each["raise"] for each in figures]),
             number(max(each["raise_of_loudest_second"] for each in figures)),
             number(sum(each["false_muted_talkers"] for each in figures) * 10 / minutes), made[worst][0]))
        report[kind] = [{"sound": name, **each} for (name, _), each in zip(made, figures)]
    return report


def digits(runner, arguments):
    """How many digits of DTMF are still read after processing, alone and after a voice of a caller."""
    head(("digits that are not read any more", "of", "8 kHz", "16 kHz"))
    report = {}
    for dbfs in (-10, -20, -30):
        lost = {}
        for rate in (8000, 16000):
            random = numpy.random.default_rng(arguments.seed)
            sound = numpy.concatenate([numpy.zeros(rate), dtmf.digits(DIGITS, rate, dbfs), numpy.zeros(rate // 5)])
            sound = sound + floor(random, len(sound), -65)
            if dtmf.read(sound, rate) != DIGITS:
                failed(f"the reader does not read the digits at {dbfs} dBFS and {rate} Hz")
            output = runner.session(f"digits-{rate}-{-dbfs}", rate, sound).output
            lost[rate] = dtmf.missed(DIGITS, dtmf.read(output, rate))
        row((f"tones of {dbfs} dBFS", len(DIGITS), lost[8000], lost[16000]))
        report[f"digits {dbfs}"] = lost
    return report


def onset(runner, corpus, arguments):
    """How late a true voice is reported, after 3 s of a quiet room: by its first frame within 20 dB of its loudest."""
    random = numpy.random.default_rng(arguments.seed)
    delays = []
    paths = corpus.one_of_each_voice(random, arguments.count or 60)

    def run(index):
        voice = at_level(trimmed(read(paths[index]))[:4 * RATE], -26)
        sound = numpy.concatenate([numpy.zeros(3 * RATE), voice])
        begin = numpy.flatnonzero(loud_frames(sound, RATE))[0] / 100
        session = runner.session(f"onset-{index}", RATE, sound + rooms[index][:len(sound)])
        return time_until(session.voices, begin)

    rooms = [floor(random, 7 * RATE) for _ in paths]
    delays = each_of(run, range(len(paths)))
    times("a near voice after 3 s of a quiet room", delays)
    return {"onset": delays}


def measure(runner, corpus, arguments):
    report = false_voice(runner, corpus, arguments)
    if not arguments.only:
        report |= digits(runner, arguments)
        report |= onset(runner, corpus, arguments)
    return report
