"""Responses of shoebox rooms by the image method (J. Allen and D. Berkley, 1979)."""
import numpy

from .signals import RATE, decibels, resampled

SPEED_OF_SOUND = 343.0
OVERSAMPLING = 8  # images lie on a grid of 1/128,000 s, and the response is brought to 16 kHz after that
# The upper edges of the bands in Hz, and their reverberation time by that of the room, as with furniture.
BANDS = ((250, 1.1), (1000, 1.0), (2000, 1.0), (4000, 0.9), (8000, 0.75))


class Room:
    """A room with walls that all absorb alike, so that it has the reverberation time `rt60` in seconds."""

    def __init__(self, random, size, rt60):
        self.random, self.size, self.rt60 = random, numpy.array(size, float), rt60

    @staticmethod
    def drawn(random, rt60):
        """A room of a usual size. A longer reverberation comes with a larger room."""
        scale = 0.85 + 0.5 * rt60
        return Room(random, [random.uniform(*edge) * scale for edge in ((3.2, 5.5), (2.8, 4.5), (2.2, 2.7))], rt60)

    def place(self, margin=0.5):
        """A random place in the room, away from its walls."""
        return self.random.uniform(margin, self.size - margin)

    def places(self, distance):
        """A microphone, and a source at a distance from it in meters."""
        for _ in range(10_000):
            microphone, source = self.place(), self.place(0.2)
            away = numpy.linalg.norm(source - microphone)
            moved = microphone + (source - microphone) * (distance / away)
            if numpy.all(moved > 0.15) and numpy.all(moved < self.size - 0.15):
                return microphone, moved
        raise ValueError(f"no two places are {distance} m apart in a room of {self.size} m")

    def response(self, source, microphone):
        """The response from a source to a microphone, at 16 kHz. The direct sound of 1 m has the amplitude 1."""
        times, reflections, amplitudes = self._images(source, microphone)
        length = int(self.rt60 * RATE)
        grid = numpy.rint(times * RATE * OVERSAMPLING).astype(int)
        spectra, edges = [], []
        for edge, ratio in BANDS:
            kept = _reflected(times, reflections, amplitudes, self.rt60 * ratio)
            made = numpy.bincount(grid, amplitudes * kept ** reflections, length * OVERSAMPLING)
            spectra.append(numpy.fft.rfft(resampled(made[:length * OVERSAMPLING], RATE * OVERSAMPLING, RATE)))
            edges.append(edge)
        shares = _crossovers(numpy.fft.rfftfreq(length, 1 / RATE), edges)
        mixed = numpy.fft.irfft(sum(share * each for share, each in zip(shares, spectra)), length) * OVERSAMPLING
        return _high_passed(mixed)

    def _images(self, source, microphone):
        """The time, the number of reflections and the amplitude of each image within the reverberation time.

        Late images are moved by up to 8 cm, because those of a perfect box make sweeps (E. De Sena et al., 2015).
        """
        reach = self.rt60 * SPEED_OF_SOUND
        squares, counts = [], []
        for axis in range(3):
            order = int(numpy.ceil(reach / (2 * self.size[axis]))) + 1
            steps = numpy.arange(-order, order + 1)
            same = 2 * steps * self.size[axis] + source[axis] - microphone[axis]
            mirrored = 2 * steps * self.size[axis] - source[axis] - microphone[axis]
            squares.append(numpy.concatenate([same, mirrored]) ** 2)
            counts.append(numpy.concatenate([numpy.abs(2 * steps), numpy.abs(2 * steps - 1)]))
        times, reflections = [], []
        plane = squares[1][:, None] + squares[2][None, :]
        plane_counts = counts[1][:, None] + counts[2][None, :]
        for square, count in zip(squares[0], counts[0]):
            distances = square + plane
            near = distances < (reach - 0.1) ** 2
            times.append(distances[near])
            reflections.append(count + plane_counts[near])
        distances, reflections = numpy.sqrt(numpy.concatenate(times)), numpy.concatenate(reflections)
        moves = self.random.uniform(-0.08, 0.08, len(distances)) * (reflections > 1)
        distances = numpy.maximum(distances + moves, 0.02)
        return distances / SPEED_OF_SOUND, reflections, 1 / distances


def _reflected(times, reflections, amplitudes, rt60):
    """The amplitude that a wall reflects, so that the response has the reverberation time."""
    most = int(reflections.max()) + 1
    # The energy of the images by their time in milliseconds and their number of reflections.
    places = (times * 1000).astype(int) * most + reflections
    energies = numpy.bincount(places, amplitudes ** 2, (int(times.max() * 1000) + 1) * most).reshape(-1, most)
    low, high = 0.01, 0.9999
    for _ in range(22):
        middle = (low + high) / 2
        found = reverberation_time(energies @ middle ** (2 * numpy.arange(most)), 1000)
        low, high = (middle, high) if found < rt60 else (low, middle)
    return (low + high) / 2


def _high_passed(response, edge=80.0):
    """The response without what lies below the edge in Hz (a Butterworth filter of the second order, twice).

    All images have the same sign, and their sum has a slow part that a room does not have.
    """
    padded = len(response) + RATE // 5
    unit = numpy.exp(-2j * numpy.pi * numpy.fft.rfftfreq(padded, 1 / RATE) / RATE)
    slope = (1 - unit) / (1 + unit + 1e-9) / numpy.tan(numpy.pi * edge / RATE)
    passed = slope ** 2 / (slope ** 2 + numpy.sqrt(2) * slope + 1)
    return numpy.fft.irfft(numpy.fft.rfft(response, padded) * passed ** 2, padded)[:len(response)]


def _crossovers(frequencies, edges):
    """The share of each band at each frequency. The shares of a frequency have the sum 1."""
    steps = [numpy.clip(0.5 + 1.5 * numpy.log2(numpy.maximum(frequencies, 1) / edge), 0, 1) for edge in edges[:-1]]
    rises = [numpy.ones(len(frequencies)), *(numpy.sin(numpy.pi / 2 * step) ** 2 for step in steps),
             numpy.zeros(len(frequencies))]
    return [upper - lower for upper, lower in zip(rises, rises[1:])]


def reverberation_time(powers, rate):
    """The time in which the sound of a room falls by 60 dB, by M. Schroeder's backward integration (1965).

    `powers` is the squared response. The fall from -5 to -25 dB is measured and continued: the response ends at its
    reverberation time, which bends the last part of the integral.
    """
    rest = numpy.cumsum(powers[::-1])[::-1]
    fall = decibels(rest / max(rest[0], 1e-30))
    inside = numpy.flatnonzero((fall <= -5) & (fall >= -25))
    if len(inside) < 2:
        return 0.0
    slope = numpy.polyfit(inside / rate, fall[inside], 1)[0]
    return float(-60 / slope)
