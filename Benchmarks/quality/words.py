"""The words that pocketsphinx hears in readings before and after processing: clean, noisy, and beside a bot."""
import importlib.util
import re
import sys

import numpy

from .cli import failed
from .corpus import floor, read, repeated, trimmed
from .rooms import Room
from .runs import each_of
from .signals import RATE, at_level, filtered, fitted, gain, level, noise
from .table import head, number, row

COUNT = 12
READERS = ("ljspeech", "librispeech-resemblyzer", "libritts-r", "vctk-autovc")  # of English
LEVEL = -26.0
MOST_SECONDS = 8
# Limits on what the recognizer searches in a frame, so that loud noise does not take it minutes.
LIMITS = {"maxhmmpf": 3000, "maxwpf": 10}
TALKERS = 7  # in babble


def heard(sound):
    """The words that the recognizer hears in a sound."""
    import pocketsphinx

    decoder = pocketsphinx.Decoder(samprate=RATE, loglevel="FATAL", **LIMITS)
    decoder.start_utt()
    decoder.process_raw((sound.clip(-1, 1 - 2 ** -15) * 32768).astype("<i2").tobytes(), full_utt=True)
    decoder.end_utt()
    found = decoder.hyp()
    return plain(found.hypstr) if found else []


def plain(text):
    """The words of a text in small letters, without the marks of noises and of other pronunciations."""
    return re.findall(r"[a-z']+", re.sub(r"\(\d+\)|<[^>]*>|\[[^]]*\]", " ", text.lower()))


def errors(reference, found):
    """The fewest words to replace, insert and remove to make one text of the other."""
    costs = list(range(len(found) + 1))
    for index, word in enumerate(reference):
        last, costs[0] = costs[0], index + 1
        for place, other in enumerate(found):
            replaced = last + (word != other)
            last, costs[place + 1] = costs[place + 1], min(costs[place] + 1, costs[place + 1] + 1, replaced)
    return costs[-1]


def readings(corpus, random, count):
    """Files of English readers, in turns of the sources, each of another reader where there are enough."""
    sources = []
    for source in READERS:
        paths = [path for reader, each in corpus.readers.items() if source in (reader.name, reader.parent.name)
                 for path in random.permutation(sorted(each))[:4 if source == "ljspeech" else 1]]
        sources.append([paths[index] for index in random.permutation(len(paths))])
    mixed = [paths[turn] for turn in range(count) for paths in sources if turn < len(paths)]
    return mixed[:count]


def babble(corpus, random, length):
    paths = corpus.one_of_each_voice(random, TALKERS)
    return sum(at_level(repeated(trimmed(read(path)), length), -26) for path in paths)


def echo(corpus, random, reader, length):
    """A bot that talks all the time, and its echo from a loudspeaker 0.6 m away."""
    path = next(path for path in corpus.one_of_each_voice(random, 8) if path.parent != reader.parent)
    far = at_level(repeated(trimmed(read(path)), length), -23)
    room = Room.drawn(random, 0.3)
    return far, at_level(fitted(filtered(far, room.response(*room.places(0.6))), length), LEVEL - 3)


def conditions(corpus, random, path, voice):
    """The voice in a quiet room, in loud noise, and beside a bot: names, microphones and references."""
    quiet = voice + floor(random, len(voice))
    yield "clean", quiet, None
    pink = noise(random, len(voice), -26, 3)
    for name, sound, ratio in (("pink noise, 20 dB", pink, 20), ("pink noise, 10 dB", pink, 10),
                               ("pink noise, 5 dB", pink, 5),
                               ("babble, 10 dB", babble(corpus, random, len(voice)), 10)):
        yield name, quiet + gain(sound, LEVEL - ratio - level(sound)), None
    far, heard = echo(corpus, random, path, len(voice))
    yield "a bot talks", quiet + heard, far
    yield "a bot talks, pink noise, 10 dB", quiet + heard + gain(pink, LEVEL - 10 - level(pink)), far


def measure(runner, corpus, arguments):
    if importlib.util.find_spec("pocketsphinx") is None:
        failed(f"{sys.executable} has no pocketsphinx; install it with: {sys.executable} -m pip install pocketsphinx")
    random = numpy.random.default_rng(arguments.seed)
    report = {}
    tasks = []
    for index, path in enumerate(readings(corpus, random, arguments.count or COUNT)):
        voice = at_level(trimmed(read(path))[:MOST_SECONDS * RATE], LEVEL)
        pause = numpy.zeros(RATE // 2)
        voice = numpy.concatenate([pause, voice, pause])
        transcript = path.with_suffix(".txt")
        reference = plain(transcript.read_text()) if transcript.exists() else None
        tasks.append((index, path, reference, list(conditions(corpus, random, path, voice))))

    def run(task):
        index, path, reference, sounds = task
        found = {"file": "/".join(path.parts[-3:]), "transcript": reference is not None}
        for name, sound, far in sounds:
            title = f"words-{index}-{name}".replace(",", "").replace(" ", "-")
            session = runner.session(title, RATE, sound, far, recognizer=True)
            before = heard(sound)
            reference = before if reference is None else reference
            found[name] = {"unprocessed": errors(reference, before),
                           "processed": errors(reference, heard(session.output)),
                           "recognizer": errors(reference, heard(session.recognizer))}
        return {**found, "words": len(reference), "reference": " ".join(reference)}

    found = each_of(run, tasks)
    head(("readings", "words", "word errors, unprocessed", "processed", "recognizer", "recognizer by unprocessed"))
    words = sum(each["words"] for each in found)
    for name, *_ in tasks[0][3]:
        sums = {side: sum(each[name][side] for each in found) for side in ("unprocessed", "processed", "recognizer")}
        ratio = sums["recognizer"] / max(1, sums["unprocessed"])
        row((f"{len(found)}, {name}", words, *sums.values(), number(ratio, 2)))
        report[name] = {"words": words, **sums}
    return {"sum": report, "readings": found}
