"""The linear echo canceller with a learned adaptation, as the engine runs it: see `EchoFilter` there."""

from __future__ import annotations

import torch
from torch import nn

from weight_file import StoredNames

HOP = 160
SIZE = 2 * HOP
BINS = HOP + 1
TRANSITION = 0.9995
# The power of a part of an echo by that of the part before, and the initial uncertainty of the first part.
DECAY, INITIAL_UNCERTAINTY = 0.8869204, 0.7
# Added to the power from which the process noise follows, so that a filter that has converged to zero adapts again.
MINIMUM_PATH_POWER = 2e-4
# The ends of ranges of bins, 2.4, 4.8 and 8 kHz, and the partitions of the filter in each range.
RANGES = ((48, 48), (96, 32), (BINS, 20))


def _reach() -> torch.Tensor:
    """Returns partitions x BINS: 1 where the filter reaches, 0 elsewhere."""
    lengths = torch.empty(BINS)
    for end, length in reversed(RANGES):
        lengths[:end] = length
    return (torch.arange(max(length for _, length in RANGES))[:, None] < lengths).float()


class State:
    """The state of the filters of a batch of calls."""

    def __init__(self, calls: int, hidden: int, device: str):
        self.reach = _reach()
        partitions = len(self.reach)
        self.reference = torch.zeros(calls, HOP)
        self.spectra = torch.zeros(calls, partitions, BINS, dtype=torch.cfloat)
        self.filter = torch.zeros(calls, partitions, BINS, dtype=torch.cfloat)
        self.decay = DECAY ** torch.arange(partitions)[:, None]
        self.uncertainty = INITIAL_UNCERTAINTY * self.decay * self.reach.expand(calls, partitions, BINS)
        self.error = torch.full((calls, BINS), 1e-6)
        self.echo = torch.full((calls, BINS), 1e-6)
        self.microphone = torch.full((calls, BINS), 1e-6)
        self.cross = torch.zeros(calls, BINS, dtype=torch.cfloat)
        self.hidden = torch.zeros(calls * BINS, hidden)
        self.last = torch.zeros(calls, HOP)
        self.tail = torch.zeros(calls, HOP)
        self.next_constrained = 0
        for name, value in vars(self).items():
            if torch.is_tensor(value):
                setattr(self, name, value.to(device))

    def detach(self) -> None:
        for name, value in vars(self).items():
            if torch.is_tensor(value):
                setattr(self, name, value.detach())


class LearnedFilter(StoredNames):
    """A Kalman filter whose observation noise and process noise a GRU estimates, the same for each bin."""

    stored_names = {"input_layer": "enter", "output_layer": "leave"}

    def __init__(self, hidden: int = 16, constrained: int = 2):
        super().__init__()
        self.hidden, self.constrained = hidden, constrained
        self.inputs = 8
        self.input_layer = nn.Linear(2 * self.inputs, hidden)
        self.recurrent = nn.GRUCell(hidden, hidden)
        self.output_layer = nn.Linear(hidden, 2)
        nn.init.zeros_(self.output_layer.weight)
        nn.init.zeros_(self.output_layer.bias)

    def start(self, calls: int, device: str = "cpu") -> State:
        return State(calls, self.hidden, device)

    def frame(self, s: State, y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Returns the error of the last frame and this one after the filter has adapted to this one: calls x SIZE. Both
        halves belong to the same filter, so that windows that overlap join without steps."""
        before = s.spectra
        both = torch.cat([s.reference, x], 1)
        s.reference = x
        s.spectra = torch.cat([torch.fft.rfft(both)[:, None], s.spectra[:, :-1]], 1)
        # After the gradient constraint, the taps of a partition also have energy in bins that it does not reach.
        echo = lambda spectra: torch.fft.irfft((spectra * s.filter * s.reach).sum(1))[:, HOP:]
        estimate = echo(s.spectra)
        error = y - estimate
        pad = lambda z: torch.fft.rfft(torch.cat([torch.zeros_like(z), z], 1))
        E, D, Y = pad(error), pad(estimate), pad(y)
        power = lambda z: z.real**2 + z.imag**2
        e2, d2, y2 = power(E), power(D), power(Y)
        smooth = lambda old, new, rate=0.9: rate * old + (1 - rate) * new
        s.error, s.echo, s.microphone = smooth(s.error, e2), smooth(s.echo, d2), smooth(s.microphone, y2)
        s.cross = smooth(s.cross, E * D.conj())
        x2 = power(s.spectra)
        expected = 0.5 * (s.uncertainty * x2).sum(1)
        noise = torch.maximum(e2, s.error)

        tiny = 1e-7
        log = lambda z: torch.log(z + tiny)
        features = torch.stack([
            log(e2) * 0.25 + 1, log(e2) - log(y2), log(d2) - log(y2), log(expected) - log(e2),
            log(e2) - log(s.error), log(s.echo) - log(s.microphone), log(s.error) - log(s.microphone),
            4 * power(s.cross) / (s.error * s.echo + 1e-12),
        ], -1).clamp(-8, 8)
        whole = features.mean(1, keepdim=True).expand_as(features)
        hidden_input = torch.tanh(self.input_layer(torch.cat([features, whole], -1))).flatten(0, 1)
        s.hidden = self.recurrent(hidden_input, s.hidden)
        out = self.output_layer(s.hidden).view(y.shape[0], BINS, 2).clamp(-8, 6)

        # The power of each partition if that of all falls with the decay.
        level = (1 - DECAY) * s.decay * (power(s.filter) * s.reach).sum(1, keepdim=True)
        gain = s.uncertainty / (expected + noise * torch.exp(out[..., 0]) + 1e-9)[:, None]
        s.filter = s.filter + gain * s.spectra.conj() * E[:, None]
        w2 = power(s.filter)
        path_power = w2 + 0.1 * level + MINIMUM_PATH_POWER * s.decay
        process_noise = (1 - TRANSITION**2) * torch.exp(out[..., 1])[:, None] * path_power
        s.uncertainty = TRANSITION**2 * (1 - 0.5 * gain * x2).clamp(0, 1) * s.uncertainty + process_noise * s.reach
        partitions = len(s.reach)
        constrained = [(s.next_constrained + i) % partitions for i in range(self.constrained)]
        s.next_constrained = (s.next_constrained + self.constrained) % partitions
        part = torch.fft.irfft(s.filter[:, constrained])
        part = torch.cat([part[..., :HOP], torch.zeros_like(part[..., HOP:])], -1)
        kept = torch.ones(partitions, dtype=torch.bool, device=y.device)
        kept[constrained] = False
        new = torch.zeros_like(s.filter)
        new[:, constrained] = torch.fft.rfft(part)
        s.filter = torch.where(kept[None, :, None], s.filter, new)
        found = torch.cat([s.last - echo(before), y - echo(s.spectra)], 1)
        s.last = y
        return found

    def forward(self, s: State, y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Returns the error of several frames, a frame late: calls x samples."""
        window, found = torch.hann_window(SIZE, device=y.device), []
        for frame in zip(y.split(HOP, 1), x.split(HOP, 1)):
            block = self.frame(s, *frame) * window
            found.append(s.tail + block[:, :HOP])
            s.tail = block[:, HOP:]
        return torch.cat(found, 1)
