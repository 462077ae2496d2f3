"""Trains the mask network, and then the voice network behind it, on one GPU within minutes. The processor cores make
scenes meanwhile, which stay in the memory of the GPU: every batch is made there, of new parts at new levels."""

from __future__ import annotations

import argparse
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import Queue

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

import scene_chunks
from dense_network import DenseNetwork
from device_recurrence import MaskLoss
from features import BANDS, BINS, FEATURES, INTERPOLATION
from network import MaskNetwork
from scene_pool import Batch, Mixture, ScenePool
from voice_network import DROPOUT, TEACHER_WEIGHT, VoiceNetwork, load_both, means_of_groups
from weight_file import load

# The chunks on their way to the GPU.
_MOST_QUEUED = 6
_LOGGED_STEPS = 100
_SAVED_SECONDS = 60
_WARM_UP_STEPS = 200


class Feeder:
    """Adds chunks to the pool as they come, and removes their files."""

    def __init__(self, pool: ScenePool, folder: Path):
        self._pool, self._folder = pool, folder
        self._queue: Queue[list[torch.Tensor]] = Queue(_MOST_QUEUED)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        stream = torch.cuda.Stream() if self._pool.device.startswith("cuda") else None
        while True:
            files = sorted(self._folder.glob("*.chunk"))
            for file in files:
                parts = [torch.from_numpy(part) for part in scene_chunks.read_chunk(file)]
                file.unlink()
                if stream:
                    with torch.cuda.stream(stream):
                        parts = [part.pin_memory().to(self._pool.device, non_blocking=True) for part in parts]
                    stream.synchronize()
                self._queue.put(parts)
            if not files:
                time.sleep(0.1)

    def add(self) -> None:
        """Adds the chunks that have come."""
        found = self._queue.qsize()
        for _ in range(found):
            parts = self._queue.get()
            self._pool.add(*parts)
            for part in parts:
                if part.is_cuda:
                    part.record_stream(torch.cuda.current_stream())
        if found:
            self._pool.look_up()

    def wait(self, scenes: int) -> None:
        """Waits until the pool has some scenes of each kind."""
        while self._pool.count < scenes or not self._pool.is_ready():
            self.add()
            time.sleep(0.1)


class Course:
    """The learning rate of a training for some time, and its log."""

    def __init__(self, minutes: float, rate: float, pool: ScenePool, feeder: Feeder, log: Path, name: str):
        self._seconds, self._rate, self._pool, self._feeder = 60 * minutes, rate, pool, feeder
        self._log, self._name = open(log, "a", buffering=1), name
        self._began = self._saved = time.time()
        self._sum: torch.Tensor | None = None
        self.step = 0

    def goes_on(self) -> bool:
        if self.step % 10 == 0:
            self._feeder.add()
            if self._pool.device.startswith("cuda"):
                torch.cuda.synchronize()
        return time.time() - self._began < self._seconds

    def rate(self) -> float:
        done = (time.time() - self._began) / self._seconds
        return self._rate * (0.5 + 0.5 * np.cos(np.pi * min(1, done))) * min(1, (self.step + 1) / _WARM_UP_STEPS)

    def note(self, parts: torch.Tensor, hours: float, save: Callable[[], None]) -> None:
        """Counts a step with its parts of the loss, and saves every minute."""
        self._sum = parts.clone() if self._sum is None else self._sum + parts
        self.step += 1
        if self.step % _LOGGED_STEPS == 0:
            mean = (self._sum / _LOGGED_STEPS).tolist()
            self._sum = None
            row = [f"{time.time() - self._began:.1f}", self.step, f"{hours * self.step:.1f}", self._pool.added,
                   f"{self.rate():.6f}", *(f"{value:.4f}" for value in (sum(mean), *mean))]
            line = ",".join(map(str, [self._name, *row]))
            print(line, flush=True)
            self._log.write(line + "\n")
        if time.time() - self._saved > _SAVED_SECONDS:
            self._saved = time.time()
            save()


class Step:
    """A forward and a backward pass, which a GPU repeats as a graph: without the cost of starting each kernel."""

    def __init__(self, network: DenseNetwork, batch: Batch, options: argparse.Namespace):
        self._network, self._voice = network, options.voice
        self._batch = Batch(batch.features.clone(), batch.spectra.half().contiguous(), batch.voice.clone())
        interpolation = torch.tensor(INTERPOLATION, device=options.device)
        self._mask_loss = MaskLoss(
            np.array(options.kinds), options.lost, interpolation, batch.voice.numel() * BINS)
        self._graph = self._captured() if batch.features.is_cuda else None

    def _learn(self) -> torch.Tensor:
        self._network.zero_grad(set_to_none=True)
        gains, logits = self._network(self._batch.features)
        value, parts = self._mask_loss(gains, self._batch.spectra)
        decision = self._voice * binary_cross_entropy_with_logits(logits, self._batch.voice)
        (value + decision).backward()
        return torch.cat([parts, decision.detach()[None]])

    def _captured(self) -> torch.cuda.CUDAGraph:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self._learn()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._parts = self._learn()
        return graph

    def __call__(self, batch: Batch) -> torch.Tensor:
        """Computes the gradients of a batch, and returns the parts of the loss."""
        self._batch.features.copy_(batch.features)
        self._batch.spectra.copy_(batch.spectra)
        self._batch.voice.copy_(batch.voice)
        if not self._graph:
            return self._learn()
        self._graph.replay()
        return self._parts


class Average:
    """The exponential moving average of the weights of a network."""

    def __init__(self, network: torch.nn.Module, kept: float):
        self._weights = [parameter for parameter in network.parameters()]
        self.values = [weight.detach().clone() for weight in self._weights]
        self._kept, self._steps = kept, 0

    def update(self) -> None:
        self._steps += 1
        with torch.no_grad():
            torch._foreach_lerp_(self.values, self._weights, 1 - min(self._kept, 1 - 1 / (self._steps + 1)))

    def save(self, network: torch.nn.Module, file: Path) -> None:
        """Writes the averages of a network's weights, and its buffers as they are."""
        averages = {network.stored(name): value for (name, _), value in zip(network.named_parameters(), self.values)}
        state = {name: averages.get(name, value).detach().cpu().clone() for name, value in network.state_dict().items()}
        unfinished = file.with_suffix(".part")
        torch.save(state, unfinished)
        unfinished.rename(file)

    def use(self) -> None:
        """Sets the weights to their averages."""
        with torch.no_grad():
            for weight, value in zip(self._weights, self.values):
                weight.copy_(value)


def train_masks(
        network: MaskNetwork, pool: ScenePool, feeder: Feeder, options: argparse.Namespace, output: Path
) -> DenseNetwork:
    """Trains the mask network, and returns it with its average weights."""
    dense, mixture = DenseNetwork(network, options.device), Mixture()
    weights = list(network.parameters())
    optimizer = torch.optim.AdamW(weights, lr=options.rate, weight_decay=1e-3, fused=pool.device.startswith("cuda"))
    average = Average(network, 0.998)
    make = lambda: pool.batch(options.calls, options.frames, mixture)
    step = Step(dense, make(), options)
    _tell_times(make, step, options.profile)
    hours = options.calls * options.frames / 360_000
    course = Course(options.minutes, options.rate, pool, feeder, output / "log.csv", "masks")
    save = lambda: average.save(network, output / "network.pt")
    while course.goes_on():
        parts = step(make())
        for group in optimizer.param_groups:
            group["lr"] = course.rate()
        torch.nn.utils.clip_grad_norm_(weights, 1, foreach=True)
        optimizer.step()
        average.update()
        course.note(parts, hours, save)
    save()
    average.use()
    return dense


def _tell_times(make: Callable[[], Batch], step: Step, profile: Path | None) -> None:
    """Prints the time of a batch and of a step, and writes a table of kernels."""
    synchronize = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    for name, run in (("batch", make), ("batch and step", lambda: step(make()))):
        run()
        synchronize()
        began = time.time()
        for _ in range(3):
            run()
        synchronize()
        print(f"{name}: {(time.time() - began) / 3 * 1000:.1f} ms", flush=True)
    if torch.cuda.is_available():
        print(f"memory: {torch.cuda.max_memory_allocated() / 1e9:.1f} GB", flush=True)
    if profile:
        with torch.profiler.profile() as found:
            step(make())
            synchronize()
        profile.write_text(found.key_averages().table(sort_by="self_cuda_time_total", row_limit=60))


def _voice_inputs(masks: DenseNetwork, features: torch.Tensor) -> torch.Tensor:
    """Returns calls x frames x values as `voice_network.inputs` does, of features of frames x calls x values."""
    rows = features.transpose(0, 1).unflatten(2, (FEATURES, BANDS))
    return torch.cat([masks.full_band_states(features).transpose(0, 1), means_of_groups(rows)], 2)


def train_voice(
        network: VoiceNetwork, masks: DenseNetwork, pool: ScenePool, feeder: Feeder, options: argparse.Namespace,
        output: Path) -> None:
    """Trains the voice network behind the mask network."""
    teacher, taught_masks = load_both(options.start)
    teacher.to(options.device)
    taught_masks = DenseNetwork(taught_masks, options.device)
    mixture = Mixture(mixed=0.6, noise_alone=0.5, competing=0.15)
    optimizer = torch.optim.AdamW(network.parameters(), lr=options.voice_rate, weight_decay=1e-2)
    average = Average(network, 0.995)
    course = Course(
        options.voice_minutes, options.voice_rate, pool, feeder, output / "log.csv", "voice")
    save = lambda: average.save(network, output / "voice.pt")
    hours = options.calls * options.frames / 360_000
    while course.goes_on():
        batch = pool.batch(options.calls, options.frames, mixture)
        labels = batch.voice.T
        with torch.no_grad():
            taught = torch.sigmoid(teacher(_voice_inputs(taught_masks, batch.features)))
            inputs = _voice_inputs(masks, batch.features)
        kept = torch.rand(len(inputs), 1, inputs.shape[2], device=inputs.device) > DROPOUT
        target = TEACHER_WEIGHT * taught + (1 - TEACHER_WEIGHT) * labels
        value = binary_cross_entropy_with_logits(network(inputs * kept / (1 - DROPOUT)), target)
        for group in optimizer.param_groups:
            group["lr"] = course.rate()
        optimizer.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1, foreach=True)
        optimizer.step()
        average.update()
        course.note(value.detach()[None], hours, save)
    save()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("output", type=Path, help="folder for network.pt, voice.pt and log.csv")
    options.add_argument("corpus", type=Path, help="folder with speech, noise, music and rir")
    options.add_argument("--from", dest="start", type=Path, required=True, help="the engine's weights to go on from")
    options.add_argument("--render", type=Path, required=True, help="render-scenes")
    options.add_argument("--folder", type=Path, default=Path("/dev/shm/scenes"), help="for the chunks, in memory")
    options.add_argument("--minutes", type=float, default=7)
    options.add_argument("--voice-minutes", type=float, default=1)
    options.add_argument("--calls", type=int, default=384, help="calls in a step")
    options.add_argument("--frames", type=int, default=400, help="frames of a call in a step")
    options.add_argument("--scenes", type=int, default=24_000, help="scenes in the memory of the GPU, 1.6 MB each")
    options.add_argument("--first", type=int, default=1000, help="scenes with which the training begins")
    options.add_argument("--rate", type=float, default=2e-3)
    options.add_argument("--voice-rate", type=float, default=1e-3)
    options.add_argument("--lost", type=float, default=2, help="weight of lost speech")
    options.add_argument("--voice", type=float, default=0.3, help="weight of the decision on voice")
    options.add_argument("--kinds", type=float, nargs=3, default=(60, 40, 20), help="weights of the three gains")
    options.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    options.add_argument("--device", default="cuda")
    options.add_argument("--profile", type=Path, help="write the times of the kernels of a step to this file, and end")
    chosen = options.parse_args()
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    chosen.output.mkdir(parents=True, exist_ok=True)
    cache = chosen.folder.with_suffix(".corpus.npy")
    source = scene_chunks.Source(chosen.corpus, cache, chosen.render, chosen.start)
    began = time.time()
    scene_chunks.Corpus.cached(source.corpus, False, source.cache)
    processes = scene_chunks.start(source, chosen.folder, chosen.jobs)
    pool = ScenePool(chosen.scenes, chosen.device)
    feeder = Feeder(pool, chosen.folder)
    print(f"{time.time() - began:.1f} s: the corpus is read", flush=True)
    feeder.wait(chosen.first)
    print(f"{time.time() - began:.1f} s: {pool.count} scenes", flush=True)
    network = MaskNetwork()
    network.load_state_dict(load(chosen.start, "suppressor", network))
    # Parts of calls start with zeros: `train_start.py` trains the initial state later.
    network.initial_band_state.zero_()
    masks = train_masks(network, pool, feeder, chosen, chosen.output)
    voice = VoiceNetwork()
    voice.load_state_dict(load(chosen.start, "voice", voice))
    train_voice(voice.to(chosen.device), masks, pool, feeder, chosen, chosen.output)
    for process in processes:
        process.terminate()
    print(f"{time.time() - began:.1f} s: {pool.added} scenes in all", flush=True)


if __name__ == "__main__":
    main()
