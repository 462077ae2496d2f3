"""The band GRU and the loss as kernels of a GPU, with their backward passes. cuDNN starts kernels for each frame, which
takes much longer than the arithmetic of so small a layer."""

from __future__ import annotations

import numpy as np
import torch
import triton
import triton.language as tl

from examples import COMPRESSION, TARGETS

# The sequences of a program.
_ROWS = 64
_BINS_WIDTH = 256
_LEAST_GAIN = 1e-5


@triton.jit
def _gates(inputs, place, state, reset, update, new, biases, units, WIDTH: tl.constexpr, mask):
    """Returns the reset gate, the update gate, the new state and the recurrent part of the new state."""
    of_reset = tl.load(inputs + place, mask, 0.0).to(tl.float32) + tl.load(biases + units)[None, :]
    of_update = tl.load(inputs + place + WIDTH, mask, 0.0).to(tl.float32) + tl.load(biases + WIDTH + units)[None, :]
    r = tl.sigmoid(of_reset + tl.dot(state, reset))
    z = tl.sigmoid(of_update + tl.dot(state, update))
    recurrent = tl.dot(state, new) + tl.load(biases + 2 * WIDTH + units)[None, :]
    n = tl.load(inputs + place + 2 * WIDTH, mask, 0.0).to(tl.float32) + r * recurrent
    return r, z, 2 * tl.sigmoid(2 * n) - 1, recurrent


@triton.jit
def _recur_forward(
        inputs, weights, biases, start, states, frames, count, WIDTH: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    units = tl.arange(0, WIDTH)
    mask = (rows < count)[:, None] & (units >= 0)[None, :]
    square = units[None, :] * WIDTH + units[:, None]
    reset = tl.load(weights + square)
    update = tl.load(weights + WIDTH * WIDTH + square)
    new = tl.load(weights + 2 * WIDTH * WIDTH + square)
    state = tl.load(start + rows[:, None] * WIDTH + units[None, :], mask, 0.0)
    for frame in range(frames):
        row = rows.to(tl.int64) + frame * count
        place = row[:, None] * (3 * WIDTH) + units[None, :]
        r, z, n, recurrent = _gates(inputs, place, state, reset, update, new, biases, units, WIDTH, mask)
        state = (1 - z) * n + z * state
        tl.store(states + row[:, None] * WIDTH + units[None, :], state, mask)


@triton.jit
def _recur_backward(
        inputs, weights, biases, start, states, gradients, of_inputs, of_weights, of_biases, frames, count,
        WIDTH: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    units = tl.arange(0, WIDTH)
    mask = (rows < count)[:, None] & (units >= 0)[None, :]
    square = units[None, :] * WIDTH + units[:, None]
    reset = tl.load(weights + square)
    update = tl.load(weights + WIDTH * WIDTH + square)
    new = tl.load(weights + 2 * WIDTH * WIDTH + square)
    gradient = tl.zeros([ROWS, WIDTH], tl.float32)
    of_reset = tl.zeros([WIDTH, WIDTH], tl.float32)
    of_update = tl.zeros([WIDTH, WIDTH], tl.float32)
    of_new = tl.zeros([WIDTH, WIDTH], tl.float32)
    reset_bias = tl.zeros([WIDTH], tl.float32)
    update_bias = tl.zeros([WIDTH], tl.float32)
    new_bias = tl.zeros([WIDTH], tl.float32)
    for back in range(frames):
        frame = frames - 1 - back
        row = rows.to(tl.int64) + frame * count
        place = row[:, None] * WIDTH + units[None, :]
        gradient += tl.load(gradients + place, mask, 0.0)
        is_first = (units * 0 + frame == 0)[None, :]
        before = tl.load(states + place - count * WIDTH, mask & ~is_first, 0.0)
        before += tl.load(start + rows[:, None] * WIDTH + units[None, :], mask & is_first, 0.0)
        wide = row[:, None] * (3 * WIDTH) + units[None, :]
        r, z, n, recurrent = _gates(inputs, wide, before, reset, update, new, biases, units, WIDTH, mask)
        of_n = tl.where(mask, gradient * (1 - z) * (1 - n * n), 0.0)
        of_z = tl.where(mask, gradient * (before - n) * z * (1 - z), 0.0)
        of_r = of_n * recurrent * r * (1 - r)
        of_recurrent = of_n * r
        tl.store(of_inputs + wide, of_r.to(of_inputs.dtype.element_ty), mask)
        tl.store(of_inputs + wide + WIDTH, of_z.to(of_inputs.dtype.element_ty), mask)
        tl.store(of_inputs + wide + 2 * WIDTH, of_n.to(of_inputs.dtype.element_ty), mask)
        turned = tl.trans(before)
        of_reset += tl.dot(turned, of_r)
        of_update += tl.dot(turned, of_z)
        of_new += tl.dot(turned, of_recurrent)
        reset_bias += tl.sum(of_r, 0)
        update_bias += tl.sum(of_z, 0)
        new_bias += tl.sum(of_recurrent, 0)
        gradient = gradient * z + tl.dot(of_r, tl.trans(reset)) + tl.dot(of_z, tl.trans(update))
        gradient += tl.dot(of_recurrent, tl.trans(new))
    tl.atomic_add(of_weights + square, of_reset)
    tl.atomic_add(of_weights + WIDTH * WIDTH + square, of_update)
    tl.atomic_add(of_weights + 2 * WIDTH * WIDTH + square, of_new)
    tl.atomic_add(of_biases + units, reset_bias)
    tl.atomic_add(of_biases + WIDTH + units, update_bias)
    tl.atomic_add(of_biases + 2 * WIDTH + units, new_bias)


class _Recurrence(torch.autograd.Function):
    @staticmethod
    def forward(context, inputs, weights, biases, start):
        frames, count, width = inputs.shape[0], inputs.shape[1], inputs.shape[2] // 3
        states = torch.empty(frames, count, width, device=inputs.device)
        _recur_forward[(triton.cdiv(count, _ROWS),)](
            inputs, weights, biases, start, states, frames, count, width, _ROWS, num_warps=4)
        context.save_for_backward(inputs, weights, biases, start, states)
        return states

    @staticmethod
    def backward(context, gradients):
        inputs, weights, biases, start, states = context.saved_tensors
        frames, count, width = states.shape
        of_inputs, of_weights, of_biases = torch.empty_like(inputs), torch.zeros_like(weights), torch.zeros_like(biases)
        _recur_backward[(triton.cdiv(count, _ROWS),)](
            inputs, weights, biases, start, states, gradients.contiguous(), of_inputs, of_weights, of_biases, frames,
            count, width, _ROWS, num_warps=4)
        return of_inputs, of_weights, of_biases, None


def states_of_gru(layer: torch.nn.GRU, inputs: torch.Tensor, start: torch.Tensor) -> torch.Tensor:
    """Returns the states of a GRU, frames x sequences x width, of the products of its input weights and the input with
    their biases, frames x sequences x 3 width, and its first state."""
    return _Recurrence.apply(inputs, layer.weight_hh_l0, layer.bias_hh_l0, start.contiguous())


@triton.jit
def _compare(found, target, product, kind, lost):
    """Returns the loss of the magnitudes of a frame, and its derivative."""
    difference = found - target
    weight = tl.where(difference < 0, lost, 1.0)
    value = weight * difference * difference + 0.3 * (found * found + target * target - 2 * found * product)
    return kind * value, kind * (2 * weight * difference + 0.6 * (found - product))


@triton.jit
def _mask_loss(
        gains, spectra, kinds, sums, gradients, lost, BINS: tl.constexpr, WIDTH: tl.constexpr, LEAST: tl.constexpr,
        POWER: tl.constexpr):
    """Writes the three sums of the loss of a frame of a call, and the derivatives by its gains, as `loss_of_outputs`."""
    frame = tl.program_id(0).to(tl.int64)
    bins = tl.arange(0, WIDTH)
    inside = bins < BINS
    gain = gains + frame * 3 * BINS + bins
    g1 = tl.load(gain, inside, 1.0)
    g2 = tl.load(gain + BINS, inside, 1.0)
    g3 = tl.load(gain + 2 * BINS, inside, 1.0)
    c1 = tl.exp(POWER * tl.log(tl.maximum(g1, LEAST)))
    c2 = tl.exp(POWER * tl.log(tl.maximum(g2, LEAST)))
    c3 = tl.exp(POWER * tl.log(tl.maximum(g3, LEAST)))
    row = spectra + frame * 7 * BINS + bins
    error = tl.load(row, inside, 0.0).to(tl.float32)
    t1 = tl.load(row + BINS, inside, 0.0).to(tl.float32)
    t2 = tl.load(row + 2 * BINS, inside, 0.0).to(tl.float32)
    t3 = tl.load(row + 3 * BINS, inside, 0.0).to(tl.float32)
    p1 = tl.load(row + 4 * BINS, inside, 0.0).to(tl.float32)
    p2 = tl.load(row + 5 * BINS, inside, 0.0).to(tl.float32)
    p3 = tl.load(row + 6 * BINS, inside, 0.0).to(tl.float32)
    f1 = error * c1
    f2 = f1 * c2
    f3 = f2 * c3
    v1, d1 = _compare(f1, t1, p1, tl.load(kinds), lost)
    v2, d2 = _compare(f2, t2, p2, tl.load(kinds + 1), lost)
    v3, d3 = _compare(f3, t3, p3, tl.load(kinds + 2), lost)
    tl.store(sums + frame * 3, tl.sum(v1))
    tl.store(sums + frame * 3 + 1, tl.sum(v2))
    tl.store(sums + frame * 3 + 2, tl.sum(v3))
    d2 += d3 * c3
    d1 += d2 * c2
    written = gradients + frame * 3 * BINS + bins
    tl.store(written, tl.where(g1 > LEAST, d1 * error * POWER * c1 / g1, 0.0), inside)
    tl.store(written + BINS, tl.where(g2 > LEAST, d2 * f1 * POWER * c2 / g2, 0.0), inside)
    tl.store(written + 2 * BINS, tl.where(g3 > LEAST, d3 * f2 * POWER * c3 / g3, 0.0), inside)


class _MaskLoss(torch.autograd.Function):
    @staticmethod
    def forward(context, gains, spectra, kinds, lost):
        count = gains.shape[:-2].numel()
        sums = torch.empty(count, TARGETS, device=gains.device)
        gradients = torch.empty_like(gains)
        _mask_loss[(count,)](
            gains, spectra, kinds, sums, gradients, lost, gains.shape[-1], _BINS_WIDTH, _LEAST_GAIN, COMPRESSION,
            num_warps=4)
        context.save_for_backward(gradients)
        parts = sums.sum(0)
        context.mark_non_differentiable(parts)
        return parts.sum(), parts

    @staticmethod
    def backward(context, of_sum, _):
        return context.saved_tensors[0] * of_sum, None, None, None


class MaskLoss:
    """The three parts of the loss of the gains, as `loss_of_outputs` has them."""

    def __init__(self, kinds: np.ndarray, lost: float, interpolation: torch.Tensor, values: int):
        """`values` is the number of frames of all calls times that of the bins."""
        self._kinds = torch.tensor(kinds / values, device=interpolation.device, dtype=torch.float32)
        self._lost, self._interpolation = lost, interpolation

    def __call__(self, gains: torch.Tensor, spectra: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns the sum of the parts, and the parts by themselves, of gains of frames x calls x 3 x bands and spectra
        of frames x calls x 7 x bins."""
        return _MaskLoss.apply((gains @ self._interpolation).contiguous(), spectra, self._kinds, self._lost)
