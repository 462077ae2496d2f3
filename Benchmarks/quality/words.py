"""The words that pocketsphinx hears in readings before and after processing, clean and noisy."""
import importlib.util
import re
import sys

import numpy

from .cli import failed
from .corpus import floor, read, repeated, trimmed
from .runs import each_of
from .signals import RATE, at_level, gain, level, noise
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


def noisy(corpus, random, voice):
    """The voice with the noise of a quiet room, and with loud noises: names and sounds."""
    quiet = voice + floor(random, len(voice))
    yield "clean", quiet
    for name, sound, ratio in (("pink noise, 20 dB", noise(random, len(voice), -26, 3), 20),
                               ("pink noise, 10 dB", noise(random, len(voice), -26, 3), 10),
                               ("pink noise, 5 dB", noise(random, len(voice), -26, 3), 5),
                               ("babble, 10 dB", babble(corpus, random, len(voice)), 10)):
        yield name, quiet + gain(sound, LEVEL - ratio - level(sound))


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
        tasks.append((index, path, reference, list(noisy(corpus, random, voice))))

    def run(task):
        index, path, reference, sounds = task
        found = {"file": "/".join(path.parts[-3:]), "transcript": reference is not None}
        for name, sound in sounds:
            session = runner.session(f"words-{index}-{name}".replace(", ", "-"), RATE, sound)
            before = heard(sound)
            reference = before if reference is None else reference
            found[name] = {"unprocessed": errors(reference, before),
                           "processed": errors(reference, heard(session.output))}
        return {**found, "words": len(reference), "reference": " ".join(reference)}

    found = each_of(run, tasks)
    head(("readings", "words", "word errors, unprocessed", "word errors, processed", "processed, % of the words"))
    words = sum(each["words"] for each in found)
    for name, _ in tasks[0][3]:
        before, after = (sum(each[name][side] for each in found) for side in ("unprocessed", "processed"))
        row((f"{len(found)}, {name}", words, before, after, number(100 * after / max(1, words))))
        report[name] = {"words": words, "unprocessed": before, "processed": after}
    return {"sum": report, "readings": found}
