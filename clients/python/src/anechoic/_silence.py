"""The parts of the output that are silent because the session had not muted them yet."""

from __future__ import annotations

from dataclasses import replace

from ._output import Output

_MOST_SPANS = 256


class Silence:
    """Spans of the microphone from a request to mute to the sample at which the session was muted.

    The class does no I/O.

    >>> silence = Silence(microphone_rate=16000, rate=8000)
    >>> silence.begin(1, 320)
    >>> silence.confirm(1, 640)
    >>> silence.spans
    [(320, 640)]
    """

    def __init__(self, microphone_rate: int, rate: int) -> None:
        self._microphone_rate, self._rate = microphone_rate, rate
        self.delay = 0
        """The samples of the output by which it is later than the microphone."""
        self.spans: list[tuple[int, int]] = []
        """The first sample of the microphone in each span that has ended, and the one after its last sample."""
        self._open: tuple[int, int] | None = None
        """The number of the request and the first sample of a span that has not ended."""

    def begin(self, number: int, sample: int) -> None:
        """Begins a span at a sample of the microphone, unless an earlier one goes on."""
        if self._open is None:
            self._open = number, sample
        else:
            self._open = number, min(sample, self._open[1])

    def confirm(self, number: int, sample: int) -> None:
        """Ends the span where the session applied a request, unless a later request to mute has followed."""
        if self._open is not None and number >= self._open[0]:
            self.end(sample)

    def end(self, sample: int) -> None:
        """Ends the span before a sample."""
        if self._open is None:
            return
        first, self._open = self._open[1], None
        if sample > first:
            self.spans.append((first, sample))
        if len(self.spans) > _MOST_SPANS:  # Nobody reads. Audio between two spans is silent, too.
            self.spans[:2] = [(self.spans[0][0], self.spans[1][1])]

    def applied(self, output: Output) -> Output:
        """Returns an output with silence in its muted parts. Forgets the spans before it. Runs per output."""
        if self._open is None and not self.spans:
            return output
        start, count = output.first_sample, len(output.samples)
        self.spans = [each for each in self.spans if self._in_output(each[1]) > start]
        found = [(self._in_output(first) - start, self._in_output(last) - start) for first, last in self.spans]
        if self._open is not None:
            found.append((self._in_output(self._open[1]) - start, count))
        found = [(max(0, first), min(last, count)) for first, last in found if first < count]
        if not found:
            return output
        samples = output.samples.copy()
        for first, last in found:
            samples[first:last] = 0
        return replace(output, samples=samples)

    def _in_output(self, sample: int) -> int:
        return sample * self._rate // self._microphone_rate + self.delay
