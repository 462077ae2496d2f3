"""Sounds that are no voice, made by code or read from recordings."""
import numpy

from . import dtmf
from .corpus import files, floor, read, repeated
from .signals import RATE, at_level, gain, level, noise

SECONDS = 30
# Patterns of file names below --training, by kind.
RECORDED = {
    "wind": ("noise/**/wind*", "noise/**/*storm*"),
    "rain": ("noise/**/rain*",),
    "music": ("music/wesnoth/*", "music/freedroidrpg/*", "music/singularity/*"),
    "instruments": ("music/visqol/*", "music/librosa/*", "music/sonic_pi/guit*", "music/sonic_pi/ambi_piano*"),
    "hold music": ("music/asterisk_moh_opsound/*",),
    "typing": ("noise/**/typing*",),
    "dishes": ("noise/dishes*", "noise/**/*dishes*", "noise/kitchen*"),
}
SUNG = ("sopr48_stereo", "Karissa_Hobbs")  # the beginnings of the names of songs
MOST = 10  # recordings of a kind


def recorded(corpus, random, kind, dbfs):
    """The recordings of a kind at a level, and their names."""
    found = set(files(corpus.training))
    paths = sorted({path for pattern in RECORDED[kind] for path in corpus.training.glob(pattern)
                    if not path.name.startswith(SUNG)} & found)
    random.shuffle(paths)
    for path in paths[:MOST]:
        sound = repeated(read(path)[:SECONDS * RATE], SECONDS * RATE)
        yield path.stem, gain(sound, dbfs - level(sound))


def plucked(random, frequency, seconds):
    """A plucked string (K. Karplus and A. Strong, 1983)."""
    period = round(RATE / frequency)
    line = random.uniform(-1, 1, period)
    turns = []
    for _ in range(int(seconds * RATE) // period):
        turns.append(line)
        line = 0.996 * (line + numpy.roll(line, -1)) / 2
    return numpy.concatenate(turns)


def struck(_, frequency, seconds):
    """A struck string: partials that are a little too high, and decay the sooner the higher they are."""
    times = numpy.arange(int(seconds * RATE)) / RATE
    sound = numpy.zeros(len(times))
    for order in range(1, 12):
        partial = frequency * order * numpy.sqrt(1 + 0.0004 * order * order)
        if partial < RATE / 2 - 200:
            sound += numpy.sin(2 * numpy.pi * partial * times + order) * numpy.exp(-times * (1.5 + 0.6 * order)) / order
    return sound * numpy.minimum(times / 0.003, 1)


def tune(random, string):
    """Notes of a string, two a second."""
    sound = numpy.zeros(SECONDS * RATE + 2 * RATE)
    for step in range(2 * SECONDS):
        note = string(random, 220 * 2 ** (random.integers(-8, 20) / 12), 1.6)
        start = step * RATE // 2
        sound[start:start + len(note)] += note
    return sound[:SECONDS * RATE]


def switched(tone, on, off):
    """A sound of 30 s that is on and off in turns, with edges of 5 ms."""
    times = numpy.arange(SECONDS * RATE) / RATE
    phase = times % (on + off)
    return tone(times) * numpy.clip(numpy.minimum(phase, on - phase) / 0.005, 0, 1)


def tones(*frequencies):
    return lambda times: sum(numpy.sin(2 * numpy.pi * frequency * times) for frequency in frequencies)


def bursts(random, make, least, most):
    """Short sounds with random pauses between them."""
    sound, start = numpy.zeros(SECONDS * RATE), RATE // 2
    while start < len(sound) - RATE:
        each = make()
        sound[start:start + len(each)] += each
        start += len(each) + int(random.uniform(least, most) * RATE)
    return sound


def click(random):
    """A key or a mouse button: a burst of noise of 2 to 10 ms."""
    length = int(random.integers(RATE // 500, RATE // 100))
    return random.standard_normal(length) * numpy.exp(-4 * numpy.arange(length) / length) * random.uniform(0.3, 1)


def cough(random):
    """A cough: noise with the resonances of a throat, two bursts of a decaying loudness."""
    sound = numpy.zeros(int(0.6 * RATE))
    for start, length, strength in ((0, 0.22, 1.0), (0.27, 0.3, 0.5)):
        count = int(length * RATE)
        times = numpy.arange(count) / RATE
        spectrum = numpy.fft.rfft(random.standard_normal(count))
        frequencies = numpy.fft.rfftfreq(count, 1 / RATE)
        shape = sum(1 / (1 + ((frequencies - each) / width) ** 2)
                    for each, width in ((600, 150), (1500, 250), (2700, 400))) + 0.1
        burst = numpy.fft.irfft(spectrum * shape, count) * numpy.minimum(times / 0.008, 1) * numpy.exp(-times * 12)
        sound[int(start * RATE):int(start * RATE) + count] += strength * burst / numpy.abs(burst).max()
    return sound


def made(random, kind):
    """The sounds of a kind that code makes, and their names."""
    if kind == "strings":
        yield "plucked", tune(random, plucked)
        yield "struck", tune(random, struck)
    elif kind == "tones":
        for frequency in (220, 440, 1000, 2500):
            yield f"{frequency} Hz", switched(tones(frequency), 1000, 0)
            yield f"beeps of {frequency} Hz", switched(tones(frequency), 0.2, 0.8)
    elif kind == "call tones":
        yield "ring-back, Europe", switched(tones(425), 1, 4)
        yield "ring-back, America", switched(tones(440, 480), 2, 4)
        yield "dial tone, Europe", switched(tones(425), 1000, 0)
        yield "dial tone, America", switched(tones(350, 440), 1000, 0)
        yield "busy", switched(tones(480, 620), 0.5, 0.5)
    elif kind == "DTMF":
        keys = "".join(dtmf.KEYS)
        yield "DTMF", repeated(dtmf.digits("".join(random.permutation(list(keys))), RATE), SECONDS * RATE)
    elif kind == "clicks":
        yield "clicks", bursts(random, lambda: click(random), 0.05, 0.6)
    elif kind == "coughs":
        yield "coughs", bursts(random, lambda: cough(random), 1.5, 4)


MADE = ("strings", "tones", "call tones", "DTMF", "clicks", "coughs")


def offset(random):
    """A DC offset of -20 dBFS over the noise of a room of -60 dBFS."""
    return noise(random, SECONDS * RATE, -60, 3) + 0.1


def of(corpus, random, kind, dbfs):
    """The sounds of a kind: names and sounds, the level of whose loud parts is `dbfs`."""
    if kind == "DC offset":
        yield kind, offset(random)
    elif kind in RECORDED:
        yield from recorded(corpus, random, kind, dbfs)
    else:
        for name, sound in made(random, kind):
            yield name, at_level(sound, dbfs)


KINDS = (*RECORDED, *MADE, "DC offset")


def after_a_quiet_second(random, sound):
    """The sound after a second of a quiet room, as a microphone hears it."""
    return numpy.concatenate([numpy.zeros(RATE), sound]) + floor(random, len(sound) + RATE)
