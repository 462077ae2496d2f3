"""The gains for all voices but the kept one: equal to `IsolationGains` in the engine."""

from __future__ import annotations

import torch

# The exponents of the gains if the kept voice surely talks, and if it surely does not. The other two are the parts of the
# difference by which the probability rises and falls in a frame.
TALKS, IS_SILENT, RISE, FALL = 0.5, 5.0, 0.5, 0.1


def deepened(gains: torch.Tensor, probability: torch.Tensor) -> torch.Tensor:
    """Returns calls x frames x BANDS, from the network's gains and the probability that the kept voice talks in each frame."""
    smooth, followed = torch.ones(len(probability)), []
    for found in probability.unbind(1):
        smooth = smooth + torch.where(found > smooth, RISE, FALL) * (found - smooth)
        followed.append(smooth)
    return gains ** (TALKS + (IS_SILENT - TALKS) * (1 - torch.stack(followed, 1)))[..., None]
