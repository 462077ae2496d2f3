"""Scenes in the memory of a GPU, and batches that are made of them there: rendered scenes at new levels, and new calls
without a far end from the talkers, competing voices and noises of all scenes."""

from __future__ import annotations

from dataclasses import dataclass

import torch

import features
from device_features import DeviceFeatures, power
from examples import COMPRESSION, TARGETS
from features import BINS, HOP, SIZE
from render import LEAD
from scene_chunks import ERROR_SCALE, FRAMES
from scenes import COUNT

_MICROPHONE, _REFERENCE, _NEAR, _COMPETING, _ECHO = range(5)
_SOURCES = (_NEAR, _COMPETING)
_NOISE = 2  # the place of the level of the noise, after those of the sources
_BABBLE = 5  # the voices of babble
_AUDIBLE = 30  # the least peak of a source that is not silent, of 32768
_LEAST = 1e-10


@dataclass(frozen=True)
class Mixture:
    """The shares of a batch. The rest of the calls that are mixed anew has a talker and noise."""

    mixed: float = 0.5
    # Shares of the calls that are mixed anew.
    competing: float = 0.3
    noise_alone: float = 0.18
    clean: float = 0.12
    # Shares of all calls.
    restarted: float = 0.43


@dataclass
class Batch:
    """Features of frames x calls x values; compressed magnitudes of the error and of the targets, and the products of
    the targets, frames x calls x 7 x bins; and whether there is a voice, frames x calls."""

    features: torch.Tensor
    spectra: torch.Tensor
    voice: torch.Tensor


class ScenePool:
    """The last `size` scenes that were added."""

    def __init__(self, size: int, device: str, seed: int = 1):
        whole = LEAD + FRAMES
        new = lambda *shape, of: torch.zeros(size, *shape, dtype=of, device=device)
        self.signals = new(5, COUNT, of=torch.int16)
        self.lead = new(2, LEAD * HOP, of=torch.int16)
        self.error = new(whole, SIZE, of=torch.float16)
        self._voice = new(FRAMES, of=torch.uint8)
        self._levels = new(3, of=torch.float32)
        self._flags = new(4, of=torch.bool)
        self.size, self.device, self.added = size, device, 0
        self.random = torch.Generator(device).manual_seed(seed)
        self._features = DeviceFeatures(device)
        self._window = torch.tensor(features.WINDOW, device=device)
        self._places: list[torch.Tensor] = []

    @property
    def count(self) -> int:
        return min(self.added, self.size)

    def add(self, signals: torch.Tensor, lead: torch.Tensor, error: torch.Tensor) -> None:
        """Adds scenes, in place of the oldest ones."""
        places = torch.arange(self.added, self.added + len(signals), device=self.device) % self.size
        self.signals[places], self.lead[places], self.error[places] = signals, lead, error
        sounds = signals.float() / 32768
        noise = sounds[:, _MICROPHONE] - sounds[:, [_NEAR, _COMPETING, _ECHO]].sum(1)
        parts = torch.stack([*(sounds[:, source] for source in _SOURCES), noise], 1)
        self._levels[places] = _active_level(parts)
        peaks = signals.abs().amax(2)
        talks = peaks[:, _NEAR] > _AUDIBLE
        competes = peaks[:, _COMPETING] > _AUDIBLE
        is_whole = peaks[:, _MICROPHONE] < 0.98 * 32768
        is_noise = ~talks & ~competes & (peaks[:, _REFERENCE] == 0)
        self._flags[places] = torch.stack([talks, competes, is_whole, is_noise], 1)
        talker = torch.where(talks[:, None], sounds[:, _NEAR], sounds[:, _COMPETING])
        self._voice[places] = voice(talker).byte()
        self.added += len(signals)

    def look_up(self) -> None:
        """Finds the scenes with a talker, a competing voice, noise and noise alone among those added so far."""
        flags = self._flags[: self.count]
        self._places = [torch.nonzero(flags[:, kind])[:, 0] for kind in range(4)]

    def is_ready(self) -> bool:
        return len(self._places) == 4 and min(len(places) for places in self._places) > 4

    # Random values

    def _uniform(self, calls: int, least: float = 0, most: float = 1) -> torch.Tensor:
        return least + (most - least) * torch.rand(calls, device=self.device, generator=self.random)

    def _any(self, calls: int, kind: int | None = None) -> torch.Tensor:
        if kind is None:
            return torch.randint(self.count, (calls,), device=self.device, generator=self.random)
        places = self._places[kind]
        return places[torch.randint(len(places), (calls,), device=self.device, generator=self.random)]

    def _talker_level(self, calls: int) -> torch.Tensor:
        """Returns levels in dBFS as `SceneMaker.level` does."""
        usual = -27 + 6 * torch.randn(calls, device=self.device, generator=self.random)
        level = torch.where(self._uniform(calls) < 0.2, self._uniform(calls, -56, -33), usual).clamp(max=-18)
        return torch.where(self._uniform(calls) < 0.25, self._uniform(calls, -18, -3), level)

    # Batches

    def batch(self, calls: int, frames: int, mixture: Mixture) -> Batch:
        """Returns parts of calls at random levels, `frames` long, that begin anywhere in a scene."""
        mixed = int(calls * mixture.mixed)
        rendered = calls - mixed
        chosen = self._any(rendered)
        sounds = self.signals[chosen].float() / 32768
        lead = self.lead[chosen].float() / 32768
        made, mixed_voice, is_clean = self._mixed(mixed, mixture)
        sounds = torch.cat([sounds, made])
        lead = torch.cat([lead, torch.zeros(mixed, *lead.shape[1:], device=self.device)])
        voices = torch.cat([self._voice[chosen].float(), mixed_voice])
        whole = torch.cat([lead, sounds[:, :2]], 2)
        microphone, reference = self._spectra(whole[:, 0]), self._spectra(whole[:, 1])
        error = self._transformed(self.error[chosen].float() / ERROR_SCALE)
        error = torch.cat([error, microphone[rendered:]])
        gates = self._gates(microphone[rendered:], is_clean)
        microphone[rendered:] *= gates
        error[rendered:] *= gates
        begin = torch.randint(FRAMES - frames + 1, (calls,), device=self.device, generator=self.random) + LEAD
        first = torch.where(lead.abs().amax((1, 2)) > 0, 0, LEAD)
        first = torch.where(self._uniform(calls) < mixture.restarted, begin, first)
        passed = self._passed(calls)
        error *= passed
        microphone *= passed
        gain, far_gain, louder = self._gains(calls, is_clean)
        found = self._features(
            error * gain, microphone * gain, reference * passed * far_gain, louder, first.int(), begin.int(), frames)
        gates = torch.cat([torch.ones(rendered, *gates.shape[1:], device=self.device), gates])
        return self._targets(found, sounds, error, gates, passed, voices, begin, frames)

    def _gains(self, calls: int, is_clean: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        soft = torch.where(self._uniform(calls) < 0.2, self._uniform(calls, -24, -6), 0)
        gain = 10 ** ((self._uniform(calls, -12, 6) + soft) / 20)
        far_gain = 10 ** (self._uniform(calls, -10, 10) / 20)
        louder = 10 ** self._uniform(calls, 0, 2)
        louder[: calls - len(is_clean)] = 1
        louder[calls - len(is_clean) :] *= is_clean & (self._uniform(len(is_clean)) < 0.5)
        return gain[:, None, None], far_gain[:, None, None], louder.clamp(min=1)

    def _passed(self, calls: int) -> torch.Tensor:
        """Returns 0 above 4 kHz in a tenth of the calls, otherwise 1: calls x 1 x bins."""
        highest = torch.where(self._uniform(calls) < 0.1, BINS // 2, BINS)
        return (torch.arange(BINS, device=self.device) <= highest[:, None]).float()[:, None]

    def _mixed(self, calls: int, mixture: Mixture) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Returns scenes without a far end, their voice activity, and which ones are clean voices."""
        place, chance = self._any(calls, 0), self._uniform(calls)
        alone = chance < mixture.noise_alone
        is_clean = (chance >= mixture.noise_alone) & (chance < mixture.noise_alone + mixture.clean)
        competes = chance > 1 - mixture.competing
        level = 10 ** (self._talker_level(calls) / 20)
        near = self._part(place, _NEAR) * (level * ~alone)[:, None]
        softer = 10 ** (-self._uniform(calls, 3, 20) / 20)
        competing = self._part(self._any(calls, 1), _COMPETING) * (level * softer * competes)[:, None]
        # A talker beside a competing voice is one that is known to be near: see `SceneMaker`.
        with_competing = self._part(self._any(calls, 1), _NEAR) * level[:, None]
        near = torch.where((competes & (with_competing.abs().amax(1) > 0))[:, None], with_competing, near)
        below = torch.where(self._uniform(calls) < 0.6, self._uniform(calls, -6, 20), self._uniform(calls, 20, 50))
        below = torch.where(alone, self._uniform(calls, -8, 25), below)
        noise = self._noise(calls, alone) * (level * 10 ** (-below / 20) * ~is_clean)[:, None]
        microphone = near + competing + noise
        factor = 0.99 / microphone.abs().amax(1).clamp(min=0.99)
        silence = torch.zeros_like(near)
        sounds = torch.stack([microphone, silence, near, competing, silence], 1) * factor[:, None, None]
        return sounds, voice(sounds[:, _NEAR]).float(), is_clean

    def _part(self, places: torch.Tensor, source: int) -> torch.Tensor:
        """Returns a source of scenes at an effective value of 1, or silence."""
        level = self._levels[places, _SOURCES.index(source)].clamp(min=1e-4)
        return self.signals[places, source].float() / 32768 / level[:, None]

    def _noise(self, calls: int, alone: torch.Tensor) -> torch.Tensor:
        """Returns noises at an effective value of 1: those of scenes, some of them two at once, and babble."""
        recorded = self._noise_of(torch.where(alone, self._any(calls, 3), self._any(calls, 2)))
        second = 10 ** (-self._uniform(calls, 0, 15) / 20) * (self._uniform(calls) < 0.3)
        recorded = recorded + self._noise_of(self._any(calls, 2)) * second[:, None]
        babble = sum(self._part(self._any(calls, 0), _NEAR) for _ in range(_BABBLE))
        noise = torch.where((self._uniform(calls) < torch.where(alone, 0.08, 0.15))[:, None], babble, recorded)
        return noise / noise.square().mean(1, keepdim=True).sqrt().clamp(min=1e-3)

    def _noise_of(self, places: torch.Tensor) -> torch.Tensor:
        sounds = self.signals[places].float() / 32768
        noise = sounds[:, _MICROPHONE] - sounds[:, _NEAR] - sounds[:, _COMPETING] - sounds[:, _ECHO]
        return noise / self._levels[places, _NOISE].clamp(min=1e-5)[:, None]

    def _gates(self, microphone: torch.Tensor, is_clean: torch.Tensor) -> torch.Tensor:
        """Returns 0 where a clean voice pauses, otherwise 1: calls x frames x 1."""
        mean = power(microphone).mean(2, keepdim=True)
        least = mean.amax((1, 2)) * 10 ** self._uniform(len(mean), -5.5, -3.5)
        return ((mean > least[:, None, None]) | ~is_clean[:, None, None]).float()

    # Spectra

    def _spectra(self, samples: torch.Tensor) -> torch.Tensor:
        """Returns calls x frames x BINS, as `features.spectra` does."""
        padded = torch.nn.functional.pad(samples, (HOP, 0))
        return self._transformed(padded.unfold(1, SIZE, HOP))

    def _transformed(self, blocks: torch.Tensor) -> torch.Tensor:
        return torch.fft.rfft(blocks * self._window) / HOP**0.5

    def _targets(
            self, found: torch.Tensor, sounds: torch.Tensor, error: torch.Tensor, gates: torch.Tensor,
            passed: torch.Tensor, voices: torch.Tensor, begin: torch.Tensor, frames: int) -> Batch:
        """Returns the batch of features and sounds, from the frame `begin` of each call on."""
        calls = torch.arange(len(sounds), device=self.device)
        level = sounds[:, _MICROPHONE].square().mean(1).sqrt().clamp(min=1e-4)[:, None, None] / 0.1
        at = begin[:, None] + torch.arange(frames, device=self.device)
        samples = ((begin - LEAD) * HOP)[:, None] + torch.arange((frames + 1) * HOP, device=self.device)
        error = error[calls[:, None], at] / level
        gates = gates[calls[:, None], at]
        rows, products = [_compressed(error)], []
        wanted = (
            sounds[:, _MICROPHONE] - sounds[:, _ECHO], sounds[:, _NEAR] + sounds[:, _COMPETING], sounds[:, _NEAR])
        for target in wanted:
            padded = torch.nn.functional.pad(target, (HOP, 0))
            blocks = padded.gather(1, samples).unfold(1, SIZE, HOP)
            spectrum = self._transformed(blocks) * passed * gates / level
            cosine = (spectrum * error.conj()).real / (spectrum.abs() * error.abs() + 1e-12)
            rows.append(_compressed(spectrum))
            products.append(rows[-1] * cosine)
        spectra = torch.stack([*rows, *products], 2).transpose(0, 1)
        return Batch(found, spectra, voices[calls[:, None], at - LEAD].T.contiguous())


def _compressed(spectrum: torch.Tensor) -> torch.Tensor:
    return (power(spectrum) + _LEAST) ** (COMPRESSION / 2)


def _active_level(samples: torch.Tensor) -> torch.Tensor:
    """Returns the effective value of the parts that are not silent: see `scenes.factor_to`."""
    blocks = samples.unflatten(-1, (-1, 320)).square().mean(-1)
    active = blocks > 1e-3 * blocks.amax(-1, keepdim=True)
    return ((blocks * active).sum(-1) / active.sum(-1).clamp(min=1) + 1e-12).sqrt()


def voice(samples: torch.Tensor) -> torch.Tensor:
    """Returns calls x frames of whether there is a voice, as `examples.voice` does."""
    blocks = samples.unflatten(1, (-1, HOP)).square().mean(2)
    loud = torch.quantile(blocks, 0.95, dim=1, keepdim=True)
    loud = torch.maximum(loud, 0.3 * blocks.sort(1).values[:, -12:].mean(1, keepdim=True))
    active = (blocks > loud * 10**-2.5) & (blocks > 1e-8)
    return ~_spread(~_spread(active))


def _spread(active: torch.Tensor, frames: int = 4) -> torch.Tensor:
    return torch.nn.functional.max_pool1d(active.float()[:, None], 2 * frames + 1, 1, frames)[:, 0] > 0
