"""Trains the mask network for as long as one likes: starts or resumes a campaign, whose state is one file,
FOLDER/checkpoint.pt. While it trains, another process makes new data."""

from __future__ import annotations

import argparse
import csv
import fcntl
import os
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import numpy as np
import torch

from augmentation import augmented, restarted
from checkpoint import Checkpoint, Course
from features import HOP
from network import MaskNetwork
from portions import Portions
from quick_network import QuickNetwork
from scenes import SORTS
from train_network import TorchNetwork, evaluate
from weight_file import load

_HERE = Path(__file__).parent
_ENGINE_WEIGHTS = _HERE.parent / "Sources/Engines/CEngineWeights/anechoic.weights"
# The weights of lost speech, of the auxiliary voice output, and of the three gains: see `train_network.loss`. The
# held-out loss has other weights of the gains, so that it stays comparable.
_LOST, _VOICE, _GAIN_WEIGHTS = 2.0, 0.3, np.array([60, 30, 35], np.float32)
_HELD_OUT_GAIN_WEIGHTS = np.array([60, 30, 20], np.float32)
# The parts of the loss, by their names in log.csv. `rivals` are the competing voices.
_PARTS = ("echo", "noise", "rivals", "voice")
# The decay rates of Adam, and that of the moving average of the weights.
_BETAS, _AVERAGE_DECAY = (0.9, 0.999), 0.9985
# The steps in which the learning rate rises.
_WARM_UP = 200
# The share of the steps with halves of scenes, of which a step has twice as many.
_HALVES = 0.6
# The frames of a part that starts in the middle of a voice.
_ONSET_FRAMES = 100
_SECONDS_OF_FRAME = HOP / 16000


class Examples:
    """The portions that are there."""

    def __init__(self, portions: Portions):
        self._portions, self._files, self._arrays = portions, [], []

    def refresh(self) -> None:
        """Takes new portions, and leaves those that are gone."""
        files = self._portions.files()
        if files != self._files:
            known = dict(zip(self._files, self._arrays))
            self._files, self._arrays = files, [
                known[file] if file in known else np.load(file, mmap_mode="r") for file in files]

    @property
    def count(self) -> int:
        return sum(len(array) for array in self._arrays)

    @property
    def frames(self) -> int:
        return self._arrays[0].shape[1]

    def parts(self, size: int, frames: int, random: np.random.Generator) -> np.ndarray:
        """Returns parts of `size` examples, some of them changed by `augmented`."""
        ends = np.cumsum([len(array) for array in self._arrays])
        found = []
        for place in random.integers(ends[-1], size=size):
            file = int(np.searchsorted(ends, place, "right"))
            array = self._arrays[file]
            start = random.integers(array.shape[1] - frames + 1)
            found.append(array[place - ends[file] + len(array), start : start + frames])
        return augmented(np.stack(found), random)


class Campaign:
    """A network that is being trained, and how far it is."""

    def __init__(self, options: argparse.Namespace):
        self._options = options
        self._file = options.folder / "checkpoint.pt"
        torch.manual_seed(options.seed)
        network = MaskNetwork()
        self._threads = options.threads if options.device == "quick" else 1
        self._network = (
            QuickNetwork(network, options.threads) if options.device == "quick"
            else TorchNetwork(network, options.device))
        if self._file.exists():
            self._resume(Checkpoint.read(self._file))
        else:
            self._begin(network)
        self._parts_of_loss: list[np.ndarray] = []

    def _begin(self, network: MaskNetwork) -> None:
        if self._options.start:
            network.load_state_dict(load(self._options.start, "suppressor", network))
        self.course, self._random = Course(), np.random.default_rng(self._options.seed)
        self._network.weights.data.copy_(self._network.flat(network.state_dict()))
        self._average = self._network.weights.detach().clone()
        self._moments = [torch.zeros_like(self._average) for _ in range(2)]

    def _resume(self, checkpoint: Checkpoint) -> None:
        self.course, self._random = checkpoint.course, checkpoint.random
        self._network.weights.data.copy_(self._network.flat(checkpoint.weights))
        self._average = self._network.flat(checkpoint.average)
        self._moments = [self._network.flat(part) for part in (checkpoint.first_moment, checkpoint.second_moment)]

    def save(self) -> None:
        state = self._network.state
        vectors = (self._network.weights.detach(), self._average, *self._moments)
        Checkpoint(self.course, *(state(vector) for vector in vectors), random=self._random).write(self._file)

    def step(self, examples: Examples) -> None:
        """Learns from one batch."""
        course, options = self.course, self._options
        frames, size = examples.frames, options.batch
        if self._random.random() < _HALVES:
            frames, size = frames // 2, 2 * size
        size = max(1, size // self._threads)
        batches = [list(examples.parts(size, frames, self._random)) for _ in range(self._threads)]
        self._parts_of_loss.append(self._network.learn(batches, _LOST, _VOICE, _GAIN_WEIGHTS))
        course.step += 1
        course.rate = options.rate * min(1, course.step / _WARM_UP)
        torch.nn.utils.clip_grad_norm_([self._network.weights], 1)
        self._adamw_step(self._network.weights.grad)
        kept = min(_AVERAGE_DECAY, 1 - 1 / (course.step + 1))
        self._average.lerp_(self._network.weights.detach(), 1 - kept)
        course.hours_heard += size * self._threads * frames * _SECONDS_OF_FRAME / 3600

    def _adamw_step(self, gradients: torch.Tensor) -> None:
        """Takes a step of AdamW (Loshchilov and Hutter, 2019)."""
        weights, (mean, square) = self._network.weights.data, self._moments
        weights.mul_(1 - self.course.rate * 1e-3)
        mean.lerp_(gradients, 1 - _BETAS[0])
        square.mul_(_BETAS[1]).addcmul_(gradients, gradients, value=1 - _BETAS[1])
        first, second = (1 - beta**self.course.step for beta in _BETAS)
        weights.addcdiv_(mean, (square / second).sqrt().add_(1e-8), value=-self.course.rate / first)

    def loss(self) -> np.ndarray:
        """Returns the mean parts of the loss since the last time."""
        found, self._parts_of_loss = np.mean(self._parts_of_loss or [np.full(4, np.nan)], 0), []
        return found

    def measure(self, held_out: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Returns the parts of the loss of the average on examples of each sort."""
        sorts = {sort: list(found) for sort, found in held_out.items()}
        if held_out:
            sorts["beginnings"] = _onsets(np.concatenate(list(held_out.values())))
        found = {sort: evaluate(self._network, parts, self._average, _VOICE, _HELD_OUT_GAIN_WEIGHTS)
                 for sort, parts in sorts.items()}
        self.course.held_out = {sort: round(float(parts.sum()), 4) for sort, parts in found.items()}
        return found


def _onsets(examples: np.ndarray) -> list[np.ndarray]:
    """Returns parts that start in the middle of a voice, as calls that start there."""
    random, parts = np.random.default_rng(1), []
    for example in examples:
        voiced = np.flatnonzero(example[: len(example) - _ONSET_FRAMES, -1] > 0.5)
        if len(voiced):
            start = random.choice(voiced)
            parts.append(example[start : start + _ONSET_FRAMES])
    return list(restarted(np.stack(parts)))


class Log:
    """FOLDER/log.csv: a row for each go, to be plotted."""

    _SORTS = (*SORTS, "beginnings")
    COLUMNS = (
        "time", "hours_trained", "step", "hours_heard", "examples", "portions", "rate", "loss",
        *(f"loss_{part}" for part in _PARTS), *(f"held_out_{sort}" for sort in _SORTS),
        *(f"held_out_{sort}_{part}" for sort in _SORTS for part in _PARTS))

    def __init__(self, folder: Path):
        self._file = folder / "log.csv"

    def add(self, course: Course, examples: int, portions: int, loss: np.ndarray,
            held_out: dict[str, np.ndarray]) -> None:
        row = {
            "time": datetime.now().isoformat(" ", "seconds"), "hours_trained": f"{course.hours_trained:.3f}",
            "step": course.step, "hours_heard": f"{course.hours_heard:.2f}", "examples": examples,
            "portions": portions, "rate": f"{course.rate:.2g}", "loss": f"{loss.sum():.4f}"}
        row |= {f"loss_{part}": f"{value:.4f}" for part, value in zip(_PARTS, loss)}
        for sort, parts in held_out.items():
            row[f"held_out_{sort}"] = f"{parts.sum():.4f}"
            row |= {f"held_out_{sort}_{part}": f"{value:.4f}" for part, value in zip(_PARTS, parts)}
        is_new = not self._file.exists()
        with open(self._file, "a", newline="") as output:
            writer = csv.DictWriter(output, self.COLUMNS, restval="")
            if is_new:
                writer.writeheader()
            writer.writerow(row)
        print(", ".join(f"{name} {value}" for name, value in row.items() if name.count("_") < 2 or name in (
            f"held_out_{sort}" for sort in self._SORTS)), flush=True)


def _lock(folder: Path):
    """Returns a lock that no other campaign of the folder holds, or None. It ends with the process."""
    lock = open(folder / "lock", "a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return None
    return lock


def _renderer(given: Path | None) -> Path:
    """Returns render-scenes, which it builds unless it is given."""
    if given:
        return given
    build = ["swift", "build", "-c", "release", "--package-path", _HERE.parent]
    subprocess.run([*build, "--product", "render-scenes"], check=True, stdout=sys.stderr)
    found = subprocess.run([*build, "--show-bin-path"], check=True, stdout=subprocess.PIPE, text=True)
    return Path(found.stdout.strip()) / "render-scenes"


def _maker(options: argparse.Namespace, next_portion: int) -> subprocess.Popen | None:
    """Starts the process that makes data. It stops when this one ends."""
    if options.jobs == 0:
        return None
    command = [
        sys.executable, _HERE / "portions.py", options.corpus, options.folder, "--render", _renderer(options.render),
        "--weights", options.start or _ENGINE_WEIGHTS, "--first", str(next_portion),
        "--gigabytes", str(options.gigabytes), "--jobs", str(options.jobs)]
    return subprocess.Popen(command)


def _train(options: argparse.Namespace) -> None:
    campaign, log, portions = Campaign(options), Log(options.folder), Portions(options.folder)
    course, examples, stopped = campaign.course, Examples(portions), []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.append(True))
    campaign.save()
    if options.jobs:
        portions.drop_others()
    maker = _maker(options, course.next_portion)
    began = went = kept = time.time()
    measured_at = began if course.held_out else -np.inf
    while not stopped:
        if maker and maker.poll() is not None:
            campaign.save()
            sys.exit(f"the making of data has ended with status {maker.returncode}")
        examples.refresh()
        if not examples.count:
            time.sleep(1)
            went = kept = time.time()
            continue
        if measured_at == -np.inf:
            # The loss of the weights to begin with.
            held_out = campaign.measure(portions.held_out_examples())
            log.add(course, examples.count, len(portions.files()), campaign.loss(), held_out)
            measured_at = went = kept = time.time()
        campaign.step(examples)
        now = time.time()
        course.hours_trained += (now - went) / 3600
        went = now
        is_last = course.step == options.steps or (options.hours and now - began > 3600 * options.hours)
        if now - kept > options.go or is_last:
            kept = now
            course.next_portion = max(int(file.stem) for file in portions.files()) + 1
            held_out = {}
            if now - measured_at > options.measure or is_last:
                measured_at, held_out = now, campaign.measure(portions.held_out_examples())
            campaign.save()
            log.add(course, examples.count, len(portions.files()), campaign.loss(), held_out)
            went = time.time()
        if is_last:
            break
    campaign.save()
    if maker:
        maker.terminate()


def _status(folder: Path) -> None:
    file = folder / "checkpoint.pt"
    if not file.exists():
        sys.exit(f"{folder} has no campaign: it has no checkpoint.pt")
    course, files = Checkpoint.read(file).course, Portions(folder).files()
    age = time.time() - file.stat().st_mtime
    print("running" if _lock(folder) is None else "not running", f", checkpoint of {age / 60:.0f} minutes ago", sep="")
    print(f"step {course.step}, {course.hours_trained:.2f} hours of training, {course.hours_heard:.1f} hours heard")
    print(f"{len(files)} portions of data, {sum(file.stat().st_size for file in files) / 1e9:.1f} GB")
    for sort, value in (course.held_out or {}).items():
        print(f"held-out loss, {sort}: {value:.4f}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("corpus", type=Path, nargs="?", help="folder with speech, noise, music and rir")
    options.add_argument("folder", type=Path, nargs="?", help="folder of the campaign")
    options.add_argument("--status", type=Path, metavar="FOLDER", help="print how far a campaign is")
    options.add_argument("--hours", type=float, help="stop after so many hours; omitted: go on until stopped")
    options.add_argument("--from", dest="start", type=Path, help="weights to begin with; omitted: untrained ones")
    options.add_argument("--device", default="auto", choices=("auto", "quick", "cuda", "cpu"))
    options.add_argument("--batch", type=int, help="whole examples in a step: 8, or 64 with cuda")
    options.add_argument("--rate", type=float, default=5e-4)
    options.add_argument("--threads", type=int, default=1, help="of the training, without a GPU")
    options.add_argument("--jobs", type=int, default=1, help="processes that make data; 0: use the data there is")
    options.add_argument("--gigabytes", type=float, default=10, help="the room for portions of data on the disk")
    options.add_argument("--render", type=Path, help="render-scenes; omitted: it is built")
    options.add_argument("--go", type=float, default=120, help="seconds between two checkpoints")
    options.add_argument("--measure", type=float, default=600, help="seconds between two measurements")
    options.add_argument("--steps", type=int, help="stop after so many steps of the campaign")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    if chosen.status:
        return _status(chosen.status)
    if not chosen.folder:
        options.error("needs CORPUS and FOLDER, or --status FOLDER")
    if chosen.device == "auto":
        chosen.device = "cuda" if torch.cuda.is_available() else "quick"
    chosen.batch = chosen.batch or (64 if chosen.device == "cuda" else 8)
    torch.set_num_threads(1)
    os.nice(max(0, 19 - os.nice(0)))
    chosen.folder.mkdir(parents=True, exist_ok=True)
    lock = _lock(chosen.folder)
    if lock is None:
        sys.exit(f"{chosen.folder}: another process trains this campaign")
    _train(chosen)


if __name__ == "__main__":
    main()
