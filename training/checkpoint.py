"""The one file that a campaign goes on from, on this machine or on another."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

Tensors = dict[str, torch.Tensor]
_VECTORS = ("weights", "average", "first_moment", "second_moment")


@dataclass
class Course:
    """The progress of a campaign. The names of the fields are stored in checkpoint.pt."""

    step: int = 0
    # Hours of calls that the network was trained on, and hours of training.
    hours_heard: float = 0.0
    hours_trained: float = 0.0
    # The number of the next portion of data, so that another machine makes others.
    next_portion: int = 0
    # The learning rate of the last step.
    rate: float = 0.0
    # The loss of the last held-out examples of each sort.
    held_out: dict[str, float] | None = None


@dataclass
class Checkpoint:
    """Weights, their average, and the optimiser's moments, by the names of `StoredNames`."""

    course: Course
    weights: Tensors
    average: Tensors
    first_moment: Tensors
    second_moment: Tensors
    random: np.random.Generator

    def write(self, file: Path) -> None:
        """Replaces the file as a whole: a reader, and a machine that stops, find the old one or the new one."""
        content = {
            "course": json.dumps(asdict(self.course)), "random": json.dumps(self.random.bit_generator.state)}
        for name in _VECTORS:
            # A view would be stored with all that it is a view of.
            content[name] = {key: value.clone() for key, value in getattr(self, name).items()}
        unfinished = file.with_suffix(".part")
        with open(unfinished, "wb") as output:
            torch.save(content, output)
            output.flush()
            os.fsync(output.fileno())
        unfinished.replace(file)

    @staticmethod
    def read(file: Path) -> "Checkpoint":
        content = torch.load(file, weights_only=True)
        random = np.random.default_rng()
        random.bit_generator.state = json.loads(content["random"])
        vectors = (content[name] for name in _VECTORS)
        return Checkpoint(Course(**json.loads(content["course"])), *vectors, random=random)
