"""Digits of DTMF: made after ITU-T Q.23, and read after Q.24 with the algorithm of Goertzel (1958)."""
import numpy

from .signals import at_level, decibels

LOW, HIGH = (697, 770, 852, 941), (1209, 1336, 1477, 1633)
KEYS = ("123A", "456B", "789C", "*0#D")
BLOCK = 0.020  # s; a digit needs two blocks, one after the other, half of which overlap
LEAST_LEVEL = -40.0  # dBFS of each of the two tones
HIGH_OVER_LOW, LOW_OVER_HIGH = 4.0, 8.0  # dB by which one of the tones may be louder
OVER_OTHERS = 8.0  # dB of a tone over the other tones of its group


def digits(text, rate, dbfs=-15.0, on=0.08, off=0.08):
    """The digits of a text, with tones of 80 ms and pauses of 80 ms."""
    times = numpy.arange(int(on * rate)) / rate
    edge = numpy.clip(numpy.minimum(times, on - times) / 0.003, 0, 1)
    parts = []
    for digit in text:
        group = next(index for index, keys in enumerate(KEYS) if digit in keys)
        tones = LOW[group], HIGH[KEYS[group].index(digit)]
        parts += [edge * sum(numpy.sin(2 * numpy.pi * tone * times) for tone in tones), numpy.zeros(int(off * rate))]
    return at_level(numpy.concatenate(parts), dbfs, rate)


def power(block, rate, frequency):
    """The power of a tone in a block, by the recursion of Goertzel with a Hamming window."""
    turn = 2 * numpy.cos(2 * numpy.pi * frequency / rate)
    last = before = 0.0
    window = numpy.hamming(len(block))
    for sample in block * window:
        last, before = sample + turn * last - before, last
    return 2 * (last * last + before * before - turn * last * before) / window.sum() ** 2


def digit_of(block, rate):
    """The digit in a block, or None."""
    low, high = ([float(decibels(power(block, rate, tone))) for tone in group] for group in (LOW, HIGH))
    row, column = int(numpy.argmax(low)), int(numpy.argmax(high))
    twist = high[column] - low[row]
    others = max(sorted(low)[-2] - low[row], sorted(high)[-2] - high[column])
    if min(low[row], high[column]) < LEAST_LEVEL or not -LOW_OVER_HIGH <= twist <= HIGH_OVER_LOW:
        return None
    # The two tones must be most of the sound, or speech would contain digits.
    tones = 10 ** (low[row] / 10) + 10 ** (high[column] / 10)
    if others > -OVER_OTHERS or tones < 0.6 * numpy.mean(numpy.square(block)):
        return None
    return KEYS[row][column]


def read(sound, rate):
    """The digits in a sound as text."""
    length = int(BLOCK * rate)
    text, last, run = "", None, 0
    for start in range(0, len(sound) - length, length // 2):
        block = sound[start:start + length]
        loud = decibels(numpy.mean(numpy.square(block))) > LEAST_LEVEL
        found = digit_of(block, rate) if loud else None
        run = run + 1 if found and found == last else 1 if found else 0
        if run == 2:
            text += found
        last = found
    return text


def missed(sent, heard):
    """How many of the sent digits are not in what was heard, in their order."""
    table = numpy.zeros((len(sent) + 1, len(heard) + 1), int)
    for i, one in enumerate(sent):
        for j, other in enumerate(heard):
            table[i + 1, j + 1] = table[i, j] + 1 if one == other else max(table[i, j + 1], table[i + 1, j])
    return len(sent) - int(table[-1, -1])
