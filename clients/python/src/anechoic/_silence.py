"""The parts of the output that are silent because the session had not muted them yet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Mapping

from ._output import Output

_MOST_SPANS = 256


@dataclass
class _Line:
    """An output of the microphone, whose samples count from the same time as those of all others."""

    rate: int
    delay: int = 0
    """The samples by which it is later than the microphone."""


class Silence:
    """Spans of the microphone from a request to mute to the sample at which the session was muted.

    The class does no I/O.

    >>> silence = Silence(microphone_rate=16000, rate=8000)
    >>> silence.begin(1, 320)
    >>> silence.confirm(1, 640)
    >>> silence.spans
    [(320, 640)]
    """

    def __init__(self, microphone_rate: int, rate: int, others: Mapping[str, int] | None = None) -> None:
        """`others` are the rates of further outputs of the microphone by their names in `Output`."""
        self._microphone_rate = microphone_rate
        self._lines = {"samples": _Line(rate), **{name: _Line(each) for name, each in (others or {}).items()}}
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

    def delayed(self, **delays: float) -> None:
        """Records the delays of the outputs behind the microphone in seconds."""
        for name, line in self._lines.items():
            line.delay = round(delays.get(name, 0) * line.rate)

    def applied(self, output: Output) -> Output:
        """Returns an output with silence in its muted parts. Forgets the spans before it. Runs per output."""
        if self._open is None and not self.spans:
            return output
        starts = {name: output.first_sample * line.rate // self._lines["samples"].rate
                  for name, line in self._lines.items()}
        self.spans = [span for span in self.spans
                      if any(self._in_line(span[1], line) > starts[name] for name, line in self._lines.items())]
        silenced = {}
        for name, line in self._lines.items():
            samples = getattr(output, name)
            if samples is not None and (parts := self._parts(line, starts[name], len(samples))):
                silenced[name] = samples.copy()
                for first, last in parts:
                    silenced[name][first:last] = 0
        return replace(output, **silenced) if silenced else output

    def _parts(self, line: _Line, start: int, count: int) -> list[tuple[int, int]]:
        """Returns the muted parts of `count` samples from `start` on."""
        found = [(self._in_line(first, line) - start, self._in_line(last, line) - start) for first, last in self.spans]
        if self._open is not None:
            found.append((self._in_line(self._open[1], line) - start, count))
        return [(max(0, first), min(last, count)) for first, last in found if first < count and last > 0]

    def _in_line(self, sample: int, line: _Line) -> int:
        return sample * line.rate // self._microphone_rate + line.delay
