"""Levels, rates and simple sounds, as arrays of floats from -1 to 1."""
import numpy

RATE = 16000
FRAMES_A_SECOND = 100
QUIET = 1e-14  # the power below which a level is -140 dBFS


def decibels(power):
    """The level of a power, or of an array of powers, in dB."""
    return 10 * numpy.log10(numpy.maximum(power, QUIET))


def level(sound):
    """The level of a sound in dBFS. A sine wave of full scale has -3 dBFS."""
    return float(decibels(numpy.mean(numpy.square(sound)) if len(sound) else 0.0))


def frame_powers(sound, rate):
    """The mean power of each whole frame of 10 ms."""
    length = rate // FRAMES_A_SECOND
    count = len(sound) // length
    return numpy.mean(numpy.square(sound[:count * length].reshape(count, length)), axis=1)


def loud_frames(sound, rate, below=20.0):
    """Whether each frame is within `below` dB of the loudest, of a clean voice."""
    levels = decibels(frame_powers(sound, rate))
    return levels > max(levels.max(initial=-140.0) - below, -100.0)


def voiced_frames(sound, rate):
    """Whether each frame is voice, of a clean voice: within 30 dB of its loud frames."""
    levels = decibels(frame_powers(sound, rate))
    return levels > max(numpy.percentile(levels, 95) - 30, -90.0) if len(levels) else levels > 0


def around(frames, before, after):
    """Widens the true frames by a number of frames before and after each."""
    wide = frames.copy()
    for step in range(1, before + 1):
        wide[:-step] |= frames[step:]
    for step in range(1, after + 1):
        wide[step:] |= frames[:-step]
    return wide


def gain(sound, change):
    """The sound, louder by `change` dB."""
    return sound * 10 ** (change / 20)


def at_level(sound, dbfs, rate=RATE):
    """The sound, scaled so that its voiced frames have the level."""
    powers = frame_powers(sound, rate)[voiced_frames(sound, rate)]
    return gain(sound, dbfs - float(decibels(powers.mean()))) if len(powers) else sound


def resampled(sound, rate, result):
    """The sound at another rate, by its Fourier transform. Both rates are multiples of 1,000 Hz."""
    if rate == result or not len(sound):
        return sound
    padded = -(-(len(sound) + rate // 20) // (rate // 1000)) * (rate // 1000)
    length = padded * (result // 1000) // (rate // 1000)
    spectrum = numpy.fft.rfft(sound, padded)
    kept = numpy.zeros(length // 2 + 1, complex)
    count = min(len(kept), len(spectrum))
    kept[:count] = spectrum[:count]
    made = numpy.fft.irfft(kept, length) * (length / padded)
    return made[:round(len(sound) * result / rate)]


def filtered(sound, response):
    """The sound convolved with a response, as long as the sound."""
    size = 1 << (len(sound) + len(response) - 1).bit_length()
    both = numpy.fft.rfft(sound, size) * numpy.fft.rfft(response, size)
    return numpy.fft.irfft(both, size)[:len(sound)]


def noise(random, length, dbfs, slope=0.0):
    """Noise whose spectrum falls by `slope` dB an octave: 0 is white, 3 is pink."""
    sound = random.standard_normal(length)
    if slope:
        spectrum = numpy.fft.rfft(sound)
        spectrum /= numpy.maximum(numpy.arange(len(spectrum)), 1) ** (slope / 6.02)
        sound = numpy.fft.irfft(spectrum, length)
    return gain(sound, dbfs - level(sound))


def fitted(sound, length):
    """The sound with exactly `length` samples: cut, or followed by silence."""
    return numpy.concatenate([sound[:length], numpy.zeros(max(0, length - len(sound)))])


def whispered(random, voice, rate=RATE):
    """A whisper: noise with the spectral envelope of the voice, a tilt towards the high frequencies, no pitch."""
    size, hop = rate * 32 // 1000, rate * 8 // 1000
    window = numpy.hanning(size)
    result = numpy.zeros(len(voice) + size)
    tilt = numpy.sqrt(numpy.maximum(numpy.fft.rfftfreq(size, 1 / rate), 100) / 1000)
    for start in range(0, len(voice) - size, hop):
        magnitudes = numpy.abs(numpy.fft.rfft(voice[start:start + size] * window))
        cepstrum = numpy.fft.irfft(numpy.log(magnitudes + 1e-7))
        cepstrum[rate // 500:-(rate // 500)] = 0
        envelope = numpy.exp(numpy.fft.rfft(cepstrum).real) * tilt
        spectrum = numpy.fft.rfft(random.standard_normal(size) * window)
        result[start:start + size] += numpy.fft.irfft(spectrum * envelope) * window
    return result[:len(voice)]
