"""Kills a campaign at random moments, and shows that it goes on with the same state: run with `python -m unittest`."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np
import torch

from checkpoint import Checkpoint
from examples import VALUES
from scenes import SORTS

_PROGRAM = Path(__file__).parent / "campaign.py"
_STEPS = 30


def _data(folder: Path) -> None:
    """Writes a portion, and examples that are only measured, of noise."""
    noise = np.random.default_rng(1)
    for name, count in (("portions/000003.npy", 24), *((f"held-out/{sort}.npy", 4) for sort in SORTS)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        np.save(folder / name, noise.uniform(0, 1, (count, 120, VALUES)).astype(np.float16))


def _command(folder: Path, *more: str) -> list:
    given = ["--device", "quick", "--jobs", "0", "--go", "0.5", "--batch", "2", "--steps", str(_STEPS), *more]
    return [sys.executable, _PROGRAM, folder, folder, *given]


def _vectors(checkpoint: Checkpoint) -> list[torch.Tensor]:
    parts = (checkpoint.weights, checkpoint.average, checkpoint.first_moment, checkpoint.second_moment)
    return [value for part in parts for value in part.values()]


class CampaignTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def _folder(self, name: str) -> Path:
        _data(self.folder / name)
        return self.folder / name

    def test_a_killed_campaign_ends_as_one_that_was_not(self) -> None:
        whole, killed = self._folder("whole"), self._folder("killed")
        subprocess.run(_command(whole), check=True, stdout=subprocess.DEVNULL)
        step, moments, kills = 0, random.Random(7), 0
        while step < _STEPS:
            process = subprocess.Popen(_command(killed), stdout=subprocess.DEVNULL)
            try:
                process.wait(moments.uniform(4, 12))
            except subprocess.TimeoutExpired:
                process.send_signal(moments.choice((signal.SIGKILL, signal.SIGTERM)))
                process.wait()
                kills += 1
            if (killed / "checkpoint.pt").exists():
                found = Checkpoint.read(killed / "checkpoint.pt").course.step
                self.assertGreaterEqual(found, step)
                step = found
        self.assertGreater(kills, 0)
        one, other = (Checkpoint.read(folder / "checkpoint.pt") for folder in (whole, killed))
        self.assertEqual(one.random.bit_generator.state, other.random.bit_generator.state)
        self.assertAlmostEqual(one.course.hours_heard, other.course.hours_heard)
        for expected, actual in zip(_vectors(one), _vectors(other)):
            self.assertTrue(torch.equal(expected, actual))

    def test_one_file_moves_a_campaign(self) -> None:
        here, there = self._folder("here"), self._folder("there")
        process = subprocess.Popen(_command(here, "--steps", "100000"), stdout=subprocess.DEVNULL)
        deadline = time.time() + 60
        while time.time() < deadline and len((here / "log.csv").read_text().splitlines() if (
                here / "log.csv").exists() else []) < 3:
            time.sleep(0.2)
        process.terminate()
        self.assertEqual(process.wait(), 0)
        size = (here / "checkpoint.pt").stat().st_size
        self.assertLess(size, 5e6)
        step = Checkpoint.read(here / "checkpoint.pt").course.step
        self.assertGreater(step, 0)
        (here / "checkpoint.pt").rename(there / "checkpoint.pt")
        status = [sys.executable, _PROGRAM, "--status", there]
        self.assertIn(f"step {step},", subprocess.run(status, capture_output=True, text=True, check=True).stdout)
        subprocess.run(
            _command(there, "--steps", str(step + 5), "--device", "cpu"), check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(Checkpoint.read(there / "checkpoint.pt").course.step, step + 5)

    def test_a_second_process_stays_out(self) -> None:
        folder = self._folder("one")
        first = subprocess.Popen(_command(folder, "--steps", "100000"), stdout=subprocess.DEVNULL)
        while not (folder / "checkpoint.pt").exists():
            time.sleep(0.2)
        second = subprocess.run(_command(folder), capture_output=True, text=True)
        first.terminate()
        first.wait()
        self.assertEqual(second.returncode, 1)
        self.assertIn("another process trains this campaign", second.stderr)


if __name__ == "__main__":
    unittest.main()
