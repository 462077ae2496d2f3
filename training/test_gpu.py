"""Compares the programs for a GPU with those they stand for, on a processor, where Triton interprets the kernels: run
with `python -m unittest`."""

from __future__ import annotations

import os

os.environ["TRITON_INTERPRET"] = "1"

import unittest  # noqa: E402

import numpy as np  # noqa: E402
import torch  # noqa: E402

import examples  # noqa: E402
import features  # noqa: E402
from dense_network import DenseNetwork  # noqa: E402
from device_features import DeviceFeatures  # noqa: E402
from device_recurrence import MaskLoss, states_of_gru  # noqa: E402
from network import MaskNetwork  # noqa: E402
from scene_chunks import FRAMES  # noqa: E402
from scene_pool import Mixture, ScenePool, voice  # noqa: E402
from render import LEAD  # noqa: E402
from scenes import COUNT  # noqa: E402
from train_network import loss_of_outputs  # noqa: E402


def _slopes(network: torch.nn.Module) -> list[torch.Tensor]:
    return [parameter.grad.clone() for parameter in network.parameters() if parameter.grad is not None]


class GpuTest(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(1)

    def assert_near(self, found: torch.Tensor, expected: torch.Tensor, most: float = 1e-5) -> None:
        self.assertLess(float((found - expected).abs().max()), most * (1 + float(expected.abs().max())))

    def test_the_dense_network_computes_as_the_mask_network(self) -> None:
        network = MaskNetwork()
        network.initial_band_state.uniform_(-0.5, 0.5)
        calls = torch.randn(2, 12, features.FEATURES, features.BANDS)
        gains, logits, _ = network(calls)
        (gains.square().sum() + logits.sum()).backward()
        expected = _slopes(network)
        network.zero_grad()
        found, found_logits = DenseNetwork(network, "cpu")(calls.transpose(0, 1).flatten(2))
        self.assert_near(found.permute(1, 2, 0, 3), gains)
        self.assert_near(found_logits.T, logits)
        (found.square().sum() + found_logits.sum()).backward()
        for slope, same in zip(_slopes(network), expected, strict=True):
            self.assert_near(slope, same)

    def test_the_full_band_states_are_those_of_the_mask_network(self) -> None:
        network, calls = MaskNetwork(), torch.randn(2, 12, features.FEATURES, features.BANDS)
        found = DenseNetwork(network, "cpu").full_band_states(calls.transpose(0, 1).flatten(2))
        self.assert_near(found.transpose(0, 1), network.full_band_states(calls))

    def test_the_recurrence_is_a_gru(self) -> None:
        layer, series, start = torch.nn.GRU(32, 32), torch.randn(5, 70, 32), torch.randn(70, 32) / 3
        weight = torch.randn(5, 70, 32)
        expected = layer(series, start[None])[0]
        (expected * weight).sum().backward()
        slopes = _slopes(layer)
        layer.zero_grad()
        inputs = torch.addmm(layer.bias_ih_l0, series.view(-1, 32), layer.weight_ih_l0.T).view(5, 70, 96)
        found = states_of_gru(layer, inputs, start)
        self.assert_near(found, expected)
        (found * weight).sum().backward()
        for slope, same in zip(_slopes(layer), slopes, strict=True):
            self.assert_near(slope, same)

    def test_the_loss_and_its_slopes_are_those_of_the_training_on_a_processor(self) -> None:
        gains = torch.rand(3, 2, 3, features.BANDS)
        gains[0] *= 1e-5
        gains.requires_grad_()
        spectra, kinds, none = torch.rand(3, 2, 7, features.BINS), np.array([60.0, 40, 20]), torch.zeros(3, 2)
        expected = loss_of_outputs(gains, none, spectra, none, 2, 0.3, kinds)[:3]
        expected.sum().backward()
        slopes, gains.grad = gains.grad.clone(), None
        mask_loss = MaskLoss(kinds, 2, torch.tensor(features.INTERPOLATION), none.numel() * features.BINS)
        value, parts = mask_loss(gains, spectra)
        value.backward()
        self.assert_near(parts, expected)
        self.assert_near(gains.grad, slopes)

    def test_features_that_begin_anywhere_are_those_of_the_engine(self) -> None:
        random = np.random.default_rng(1)
        sounds = random.normal(0, 0.1, (3, 2, 60 * features.HOP)).astype(np.float32)
        sounds[:, 0, 30 * features.HOP : 40 * features.HOP] = 0
        microphone, reference = (features.spectra(sounds[:, k]) for k in range(2))
        error = microphone - (0.3 * reference).astype(np.complex64)
        first, begin, count = [0, 10, 20], [5, 25, 20], 30
        numbers = (torch.tensor(values, dtype=torch.int32) for values in (first, begin))
        found = DeviceFeatures("cpu")(
            *(torch.tensor(part) for part in (error, microphone, reference)), torch.ones(3), *numbers, count)
        for call, (start, shown) in enumerate(zip(first, begin)):
            parts = (part[call : call + 1, start:] for part in (error, microphone, reference))
            expected = features.features(*parts)[0, shown - start : shown - start + count]
            self.assert_near(found[:, call], torch.tensor(expected).flatten(1))

    def test_a_batch_has_sound_features_and_targets(self) -> None:
        random = np.random.default_rng(1)
        signals = random.normal(0, 2000, (8, 5, COUNT)).astype(np.int16)
        signals[4:6, 1:4] = 0  # noise alone
        signals[:, 0] = np.clip(signals[:, 2:].astype(int).sum(1), -32768, 32767)
        pool = ScenePool(8, "cpu")
        pool.add(*(torch.tensor(part) for part in (
            signals, np.zeros((8, 2, LEAD * features.HOP), np.int16),
            np.zeros((8, LEAD + FRAMES, features.SIZE), np.float16))))
        pool.look_up()
        batch = pool.batch(4, 8, Mixture())
        self.assertEqual(batch.features.shape, (8, 4, examples.FEATURE_VALUES))
        self.assertEqual(batch.spectra.shape, (8, 4, 7, features.BINS))
        for part in (batch.features, batch.spectra, batch.voice):
            self.assertTrue(bool(part.isfinite().all()))

    def test_a_voice_is_where_the_examples_have_it(self) -> None:
        random = np.random.default_rng(1)
        gain = np.repeat(10 ** random.uniform(-3, 0, (4, FRAMES // 10)), 10 * features.HOP, 1)
        samples = (random.normal(0, 0.1, (4, COUNT)) * gain).astype(np.float32)
        self.assertTrue(np.array_equal(voice(torch.tensor(samples)).numpy(), examples.voice(samples)))


if __name__ == "__main__":
    unittest.main()
