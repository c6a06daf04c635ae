"""Make the table of tuning runs that may run out of memory.

Small transformers and convolutional networks are trained on one GPU, each for the same short time,
by random configurations. PyTorch is given a limit of a few gigabytes
(`torch.cuda.set_per_process_memory_fraction`), so some runs end with a real
`torch.cuda.OutOfMemoryError`; they are rows as well, with the phase in which they failed.

    pip install torch numpy polars
    python scripts/make_memory_table.py estimate                        # CPU: what will not fit
    python scripts/make_memory_table.py calibrate --out out             # GPU: 20 runs a task
    python scripts/make_memory_table.py run --out out --minutes 9       # GPU; again to continue
    python scripts/make_memory_table.py table out/rows.jsonl memory.parquet
    python scripts/make_memory_table.py run --device cpu --out smoke    # tiny; a feigned limit

`run` appends each row to `rows.jsonl` as soon as it is known, leaves out what is there already (or
in the folder of `--earlier`), and takes the tasks in turn. The problems are synthetic and made from
seeds: sequences in which the next symbol depends on the last, on the last two, and on one long ago;
images of textures at random places under noise. Nothing is downloaded.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import gc
import json
import math
import platform
import sys
import time
import weakref
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint

SHARED, OWN = 240, 60
"""Configurations that all tasks of a family have in common, and those of each task alone."""
REPEAT_EVERY = 20
"""One run in 20 is done a second time, with another seed: 5 %."""
SECONDS = 0.4
"""Training time of every run; thousands of runs fit into 20 minutes."""
TURN = 30
"""Runs of one task before it is the next one's turn."""
WANTED_SHARE = (0.13, 0.5)
"""If fewer or more of the first `TURN` runs fail, the task's limit is changed. With 30 % failures
the share of 30 runs is outside once in a hundred times."""
GIGABYTE = 2**30


# ---------------------------------------------------------------------------- tasks and the space


@dataclass(frozen=True)
class Task:
    """A problem of one family and size, to be solved within a limit of memory."""

    number: int
    family: str
    size: int
    """Length of the sequences, or height and width of the images."""
    limit: float
    """In gigabytes (2^30 bytes)."""

    @property
    def name(self) -> str:
        return f"{self.family}-{self.size}-{self.limit:g}GB"


TASKS = (
    Task(0, "transformer", 128, 2),
    Task(1, "convnet", 40, 2),
    Task(2, "transformer", 256, 3),
    Task(3, "convnet", 64, 3),
    Task(4, "transformer", 256, 6),
    Task(5, "convnet", 64, 6),
    Task(6, "transformer", 512, 12),
    Task(7, "convnet", 96, 8),
    Task(8, "transformer", 128, 4),
    Task(9, "convnet", 48, 2),
)
FIRST_TASKS = 8
"""The others are begun when these are complete."""
SMALL_TASKS = (Task(0, "transformer", 16, 0.006), Task(1, "convnet", 16, 0.006))

RANGES: dict[str, dict[str, Any]] = {
    "transformer": {"batch": (16, 1024), "width": (64, 768, 32), "depth": (1, 12)},
    "convnet": {"batch": (32, 2048), "width": (16, 128, 8), "depth": (1, 6)},
}
SMALL_RANGES: dict[str, dict[str, Any]] = {
    "transformer": {"batch": (8, 128), "width": (32, 96, 32), "depth": (1, 4)},
    "convnet": {"batch": (8, 128), "width": (8, 24, 8), "depth": (1, 2)},
}
CHOICES: dict[str, dict[str, tuple[Any, ...]]] = {
    "transformer": {"heads": (1, 2, 4, 8, 16)},
    "convnet": {"kernel": (3, 5)},
}
PRECISIONS, OPTIMIZERS = ("fp32", "bf16"), ("sgd", "momentum", "adamw")
RATES = (1e-4, 1.0)


def draw(family: str, ranges: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """One random configuration."""

    def log_uniform(low: float, high: float) -> float:
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))

    batch, (narrow, wide, step), depth = (ranges[name] for name in ("batch", "width", "depth"))
    config: dict[str, Any] = {
        "batch": round(log_uniform(batch[0] - 0.49, batch[1] + 0.49)),
        "width": round(log_uniform(narrow - step * 0.49, wide + step * 0.49) / step) * step,
        "depth": int(rng.integers(depth[0], depth[1] + 1)),
    }
    for name, choices in CHOICES[family].items():
        config[name] = choices[int(rng.integers(len(choices)))]
    config["precision"] = PRECISIONS[int(rng.integers(len(PRECISIONS)))]
    config["checkpointing"] = bool(rng.integers(2))
    config["optimizer"] = OPTIMIZERS[int(rng.integers(len(OPTIMIZERS)))]
    config["learning_rate"] = float(f"{log_uniform(*RATES):.3g}")
    return config


def configurations(task: Task, ranges: dict[str, Any]) -> list[dict[str, Any]]:
    """Those of the family first, then the task's own."""
    family = list(RANGES).index(task.family)
    shared, own = np.random.default_rng([20, family]), np.random.default_rng([21, task.number])
    return [draw(task.family, ranges, rng) for rng in [shared] * SHARED + [own] * OWN]


def trials() -> list[tuple[int, int]]:
    """Number of the configuration and of the repeat, in the order in which they are run."""
    planned = []
    for number in range(SHARED + OWN):
        planned.append((number, 0))
        if (number + 1) % REPEAT_EVERY == 0:
            planned.append((number + 1 - REPEAT_EVERY, 1))
    return planned


# ------------------------------------------------------------------------------------- problems


class Sequences:
    """The next symbol is a function of the last one, of the last two, the one a quarter of the
    sequence ago, or random."""

    symbols, shares, train, held_out_rows = 32, (0.4, 0.3, 0.2), 8192, 256

    def __init__(self, task: Task, device: str) -> None:
        make = torch.Generator(device=device).manual_seed(1000 + task.number)
        self.size, self.device, k = task.size, device, self.symbols
        last = torch.randint(k, (k,), generator=make, device=device)
        last_two = torch.randint(k, (k, k), generator=make, device=device)
        n, lag = self.train + self.held_out_rows, max(2, task.size // 4)
        rows = torch.randint(k, (n, task.size + 1), generator=make, device=device)
        which = torch.rand((n, task.size + 1), generator=make, device=device)
        first, second, third = np.cumsum(self.shares)
        for t in range(lag, task.size + 1):
            a, b, now = rows[:, t - 1], rows[:, t - 2], which[:, t]
            rows[:, t] = torch.where(
                now < first,
                last[a],
                torch.where(
                    now < second,
                    last_two[a, b],
                    torch.where(now < third, rows[:, t - lag], rows[:, t]),
                ),
            )
        rows = rows.to(torch.uint8)
        self.rows, self.kept = rows[: self.train].clone(), rows[self.train :].clone()

    def batch(self, n: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        chosen = torch.randint(self.train, (n,), generator=generator, device=self.device)
        return self._split(self.rows[chosen])

    def held_out(self, n: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        for rows in self.kept.split(n):
            yield self._split(rows)

    @staticmethod
    def _split(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        whole = rows.long()
        return whole[:, :-1], whole[:, 1:]


class Images:
    """A texture of one of 16 classes, moved to a random place, below a texture that says nothing
    and noise."""

    classes, noise, disturbing, held_out_images = 16, 2.0, 0.7, 1024

    def __init__(self, task: Task, device: str) -> None:
        make = torch.Generator(device=device).manual_seed(2000 + task.number)
        self.size, self.device = task.size, device
        coarse = torch.randn((2 * self.classes, 3, 8, 8), generator=make, device=device)
        fine = torch.randn((2 * self.classes, 3, 16, 16), generator=make, device=device)
        sizes = (task.size, task.size)
        textures = F.interpolate(coarse, sizes, mode="nearest") * 0.5
        textures = textures + F.interpolate(fine, sizes, mode="nearest") * 0.5
        self.textures = textures.permute(0, 2, 3, 1).contiguous()
        self.kept = self.batch(self.held_out_images, make)

    def batch(self, n: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        s, how = self.size, {"generator": generator, "device": self.device}
        label = torch.randint(self.classes, (n,), **how)
        other = torch.randint(self.classes, 2 * self.classes, (n,), **how)
        place = torch.randint(s, (4, n, 1), **how)
        along = torch.arange(s, device=self.device)
        y, x, y2, x2 = (place + along) % s
        image = self.textures[label[:, None, None], y[:, :, None], x[:, None, :]]
        image = (
            image
            + self.disturbing * self.textures[other[:, None, None], y2[:, :, None], x2[:, None, :]]
        )
        image += self.noise * torch.randn(image.shape, **how)
        return image.permute(0, 3, 1, 2), label

    def held_out(self, n: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        images, labels = self.kept
        yield from zip(images.split(n), labels.split(n))


PROBLEMS = {"transformer": Sequences, "convnet": Images}


# --------------------------------------------------------------------------------------- models


class TransformerBlock(nn.Module):
    """Attention written out, so that memory grows with heads × length²."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.inward, self.outward = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor, future: torch.Tensor) -> torch.Tensor:
        n, length, width = x.shape
        parts = self.inward(self.norm_1(x)).view(n, length, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-2, -1) * (width // self.heads) ** -0.5
        weights = scores.masked_fill(future, -math.inf).float().softmax(dim=-1).to(value.dtype)
        x = x + self.outward((weights @ value).transpose(1, 2).reshape(n, length, width))
        return x + self.down(F.gelu(self.up(self.norm_2(x))))


class Transformer(nn.Module):
    """A decoder with learned positions."""

    def __init__(self, config: dict[str, Any], size: int) -> None:
        super().__init__()
        width, symbols = config["width"], Sequences.symbols
        self.checkpointing = config["checkpointing"]
        self.symbols, self.places = nn.Embedding(symbols, width), nn.Embedding(size, width)
        self.blocks = nn.ModuleList(
            TransformerBlock(width, config["heads"]) for _ in range(config["depth"])
        )
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, symbols)
        self.register_buffer("future", torch.ones(size, size, dtype=torch.bool).triu(1))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        x = self.symbols(rows) + self.places.weight
        for block in self.blocks:
            x = run_block(block, self.checkpointing and self.training, x, self.future)
        return self.head(self.norm(x)).flatten(0, 1)


class ConvBlock(nn.Module):
    """Two convolutions and a way around them."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int) -> None:
        super().__init__()
        self.conv_1 = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)
        self.conv_2 = nn.Conv2d(outputs, outputs, kernel, 1, kernel // 2, bias=False)
        # Averages over a handful of steps mean nothing, so batches are normalized by themselves.
        self.norm_1, self.norm_2 = (
            nn.BatchNorm2d(outputs, track_running_stats=False) for _ in range(2)
        )
        same = inputs == outputs and stride == 1
        self.around = nn.Identity() if same else nn.Conv2d(inputs, outputs, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        inner = self.norm_2(self.conv_2(F.relu(self.norm_1(self.conv_1(x)))))
        return F.relu(inner + self.around(x))


class ConvNet(nn.Module):
    """Three stages of `depth` blocks; each stage has twice the channels and half the size."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self.checkpointing, width = config["checkpointing"], config["width"]
        blocks, inputs = [], 3
        for stage in range(3):
            for number in range(config["depth"]):
                stride, outputs = (2 if stage and not number else 1), width * 2**stage
                blocks.append(ConvBlock(inputs, outputs, config["kernel"], stride))
                inputs = outputs
        self.blocks, self.head = nn.ModuleList(blocks), nn.Linear(inputs, Images.classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = run_block(block, self.checkpointing and self.training, x)
        return self.head(x.mean(dim=(2, 3)))


def run_block(block: nn.Module, checkpointing: bool, *inputs: torch.Tensor) -> torch.Tensor:
    """What a block gives; with checkpointing its inner results are computed again for gradients."""
    if not checkpointing:
        return block(*inputs)
    return checkpoint(block, *inputs, use_reentrant=False, preserve_rng_state=False)


def build(
    task: Task, config: dict[str, Any], device: str
) -> tuple[nn.Module, torch.optim.Optimizer]:
    """The network, made on the device, and its optimizer."""
    with torch.device(device):
        if task.family == "transformer":
            model: nn.Module = Transformer(config, task.size)
        else:
            model = ConvNet(config)
    parameters, rate = list(model.parameters()), config["learning_rate"]
    for weights in parameters:
        if weights.dim() == 4:  # images are made with the channels last as well
            weights.data = weights.data.contiguous(memory_format=torch.channels_last)
    if config["optimizer"] == "adamw":
        return model, torch.optim.AdamW(parameters, lr=rate)
    momentum = 0.9 if config["optimizer"] == "momentum" else 0.0
    return model, torch.optim.SGD(parameters, lr=rate, momentum=momentum)


# ---------------------------------------------------------------------------- one run and its row


class FeignedMemory(TorchDispatchMode):
    """Bytes of the tensors that live, counted as they are made, with an error above a limit; for
    the CPU, and for tensors without data."""

    def __init__(self, limit: float = math.inf) -> None:
        super().__init__()
        self.limit, self.now, self.peak, self.known = limit, 0, 0, set[int]()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        made = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(made):
            if isinstance(tensor, torch.Tensor):
                self._count(tensor.untyped_storage())
        return made

    def _count(self, storage: torch.UntypedStorage) -> None:
        number, size = storage._cdata, storage.nbytes()
        if number in self.known:
            return
        self.known.add(number)
        weakref.finalize(storage, self._forget, number, size)
        self.now += size
        if self.now > self.limit:
            raise torch.OutOfMemoryError(
                f"feigned out of memory. Tried to allocate {size / 2**20:.2f} MiB."
            )
        self.peak = max(self.peak, self.now)

    def _forget(self, number: int, size: int) -> None:
        self.known.discard(number)
        self.now -= size


class Device:
    """The GPU under a limit, or the CPU under a feigned one."""

    def __init__(self, name: str) -> None:
        self.name, self.feigned = name, FeignedMemory()

    @contextlib.contextmanager
    def limited(self, gigabytes: float) -> Iterator[None]:
        """A fresh start within the limit."""
        self.clean()
        if self.name == "cpu":
            self.feigned = FeignedMemory(gigabytes * GIGABYTE)
            with self.feigned:
                yield
            return
        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(gigabytes * GIGABYTE / total)
        torch.cuda.reset_peak_memory_stats()
        yield

    def clean(self) -> None:
        gc.collect()
        if self.name == "cuda":
            torch.cuda.synchronize()
            torch.cuda.empty_cache()

    def wait(self) -> None:
        if self.name == "cuda":
            torch.cuda.synchronize()

    def peaks(self) -> tuple[float, float]:
        """Most megabytes allocated, and reserved by PyTorch (which is what the limit limits)."""
        if self.name == "cpu":
            return self.feigned.peak / 2**20, self.feigned.peak / 2**20
        return (
            torch.cuda.max_memory_allocated() / 2**20,
            torch.cuda.max_memory_reserved() / 2**20,
        )


class Diverged(Exception):
    """A loss that is no number."""


@dataclass
class Progress:
    """How far a run came, known also when it fails."""

    phase: str = "build"
    steps: int = 0
    step_seconds: tuple[float, ...] = ()
    loss: float | None = None


def loss_of(
    model: nn.Module, inputs: torch.Tensor, targets: torch.Tensor, precision: str
) -> torch.Tensor:
    """Mean cross-entropy; in bf16 by autocast, weights stay in fp32."""
    with torch.autocast(inputs.device.type, torch.bfloat16, enabled=precision == "bf16"):
        logits = model(inputs)
    return F.cross_entropy(logits.float(), targets.flatten())


def one_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    data: tuple[torch.Tensor, torch.Tensor],
    precision: str,
    progress: Progress,
) -> torch.Tensor:
    """One training step; `progress` knows its phase."""
    progress.phase = "forward"
    loss = loss_of(model, *data, precision)
    progress.phase = "backward"
    loss.backward()
    progress.phase = "optimizer"
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss.detach()


def train(
    task: Task,
    config: dict[str, Any],
    problem: Any,
    seed: int,
    device: Device,
    seconds: float,
    progress: Progress,
) -> None:
    """Train for a fixed time, after a first step that is not timed (kernels are loaded, memory is
    taken from the driver), and measure the loss on data not trained on."""
    torch.manual_seed(seed)
    generator = torch.Generator(device=device.name).manual_seed(seed)
    model, optimizer = build(task, config, device.name)
    batch, precision = config["batch"], config["precision"]
    times: list[float] = []
    while not times or sum(times[1:]) < seconds:
        began = time.perf_counter()
        progress.phase = "data"
        data = problem.batch(batch, generator)
        loss = one_step(model, optimizer, data, precision, progress)
        device.wait()
        times.append(time.perf_counter() - began)
        progress.steps, progress.step_seconds = len(times), tuple(times[1:])
        if not math.isfinite(value := loss.item()):
            raise Diverged(f"the training loss is {value} at step {progress.steps}")
    del data
    progress.phase = "evaluation"
    model.eval()
    total = count = 0.0
    with torch.no_grad():
        for inputs, targets in problem.held_out(batch):
            part = len(targets)
            total += loss_of(model, inputs, targets, precision).item() * part
            count += part
    progress.loss = total / count
    if not math.isfinite(progress.loss):
        raise Diverged(f"the held-out loss is {progress.loss} after {progress.steps} steps")


def attempt(
    task: Task,
    config: dict[str, Any],
    problem: Any,
    seed: int,
    device: Device,
    seconds: float,
    progress: Progress,
) -> tuple[str, str | None]:
    """The status of a run and the reason of a failure. Nothing of the run is alive afterwards."""
    try:
        train(task, config, problem, seed, device, seconds, progress)
    except torch.OutOfMemoryError as error:
        found = str(error).split(" GPU 0 has")[0]
        return "out_of_memory", found
    except Diverged as error:
        progress.loss = None
        return "diverged", str(error)
    except RuntimeError as error:  # libraries have their own words for memory they did not get
        text = " ".join(str(error).split())[:200]
        memory = "alloc" in text.lower() or "out of memory" in text.lower()
        return ("out_of_memory" if memory else "error"), text
    return "ok", None


def run_trial(
    task: Task,
    trial: tuple[int, int],
    config: dict[str, Any],
    problem: Any,
    device: Device,
    seconds: float,
) -> dict[str, Any]:
    """One row of the table."""
    number, repeat = trial
    began, progress = time.perf_counter(), Progress()
    with device.limited(task.limit):
        seed = 10_000 * task.number + 10 * number + repeat
        status, reason = attempt(task, config, problem, seed, device, seconds, progress)
        peaks = device.peaks()
    device.clean()
    timed = progress.step_seconds
    return {
        "task": task.name, "number": task.number, "family": task.family, "size": task.size,
        "limit_gb": task.limit, "configuration": number, "repeat": repeat, **config,
        "status": status, "phase": None if status == "ok" else progress.phase, "reason": reason,
        "loss": progress.loss, "steps": progress.steps,
        "step_seconds": float(np.median(timed)) if timed else None,
        "train_seconds": float(np.sum(timed)), "peak_allocated_mb": peaks[0],
        "peak_reserved_mb": peaks[1], "trial_seconds": time.perf_counter() - began,
    }  # fmt: skip


# ------------------------------------------------------------------------------------- commands


def estimate(n: int) -> None:
    """The share of configurations whose tensors alone need more than the limit, by task; from two
    steps of tensors that have shapes and no data."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    needs: dict[tuple[str, int], list[float]] = {}
    for task in TASKS:
        key = (task.family, task.size)
        if key not in needs:
            configs = configurations(task, RANGES[task.family])[:n]
            needs[key] = [estimated(task, config, FakeTensorMode()) for config in configs]
        need = np.array(needs[key])
        print(
            f"{task.name:24} more than the limit {np.mean(need > task.limit):.2f}, deciles "
            + " ".join(f"{q:.2f}" for q in np.quantile(need, np.arange(1, 10) / 10)),
            flush=True,
        )


def estimated(task: Task, config: dict[str, Any], fake: Any) -> float:
    """Gigabytes of a run's tensors."""
    with fake, FeignedMemory() as memory:
        model, optimizer = build(task, config, "cpu")
        shape = (task.size,) if task.family == "transformer" else (3, task.size, task.size)
        inputs = torch.zeros((config["batch"], *shape))
        targets = torch.zeros(config["batch"], dtype=torch.int64)
        if task.family == "transformer":
            inputs = inputs.long()
            targets = inputs
        else:
            inputs = inputs.to(memory_format=torch.channels_last)
        for _ in range(2):
            one_step(model, optimizer, (inputs, targets), config["precision"], Progress())
        return memory.peak / GIGABYTE


def read_rows(*folders: str | None) -> list[dict[str, Any]]:
    """The rows of earlier runs; a line cut off in the middle is left out."""
    rows = {}
    for folder in folders:
        path = Path(folder or "") / "rows.jsonl"
        if folder and path.exists():
            for line in path.read_text().splitlines():
                with contextlib.suppress(json.JSONDecodeError):
                    row = json.loads(line)
                    rows[row["task"], row["configuration"], row["repeat"]] = row
    return list(rows.values())


class Session:
    """Tasks taken in turn until all is done or the time is up."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.began, self.args = time.monotonic(), args
        self.device = Device(args.device)
        small = args.device == "cpu"
        self.ranges = SMALL_RANGES if small else RANGES
        self.out = Path(args.out)
        self.out.mkdir(parents=True, exist_ok=True)
        rows = read_rows(args.earlier, args.out)
        self.rows_file = self.out / "rows.jsonl"
        self.rows_file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.tasks = list(SMALL_TASKS if small else TASKS)
        limits = {row["number"]: row["limit_gb"] for row in rows}  # the last one, if it was changed
        self.tasks = [replace(t, limit=limits.get(t.number, t.limit)) for t in self.tasks]
        self.rows = {
            t.number: {
                (row["configuration"], row["repeat"]): row for row in rows if row["task"] == t.name
            }
            for t in self.tasks
        }
        self.problems: dict[int, Any] = {}
        self.changes: list[str] = []

    @property
    def left(self) -> float:
        """Seconds until the time is up."""
        return self.args.minutes * 60 - (time.monotonic() - self.began)

    def problem(self, task: Task) -> Any:
        if task.number not in self.problems:
            torch.cuda.set_per_process_memory_fraction(1.0) if self.args.device == "cuda" else None
            self.problems = {task.number: PROBLEMS[task.family](task, self.args.device)}
        return self.problems[task.number]

    def warm_up(self) -> None:
        """Load what PyTorch loads when first used, so that no row pays for it."""
        for task in self.tasks[:2]:
            problem, ranges = self.problem(task), self.ranges[task.family]
            for config in configurations(task, ranges)[:4]:
                small = config | {"batch": ranges["batch"][0], "depth": 1}
                for optimizer in OPTIMIZERS:
                    run_trial(
                        task, (0, 0), small | {"optimizer": optimizer}, problem, self.device, 0.0
                    )

    def turn(self, task: Task, until: int) -> None:
        """The task's trials up to the given number, as far as they are not there."""
        done, configs = self.rows[task.number], configurations(task, self.ranges[task.family])
        with self.rows_file.open("a") as file:
            for trial in trials()[:until]:
                if trial in done:
                    continue
                if self.left < 0:
                    return
                problem = self.problem(task)
                row = run_trial(
                    task, trial, configs[trial[0]], problem, self.device, self.args.seconds
                )
                done[trial] = row
                file.write(json.dumps(row) + "\n")
                file.flush()
                if row["status"] == "error":
                    print("  error", task.name, trial, row["reason"], flush=True)

    def say(self, task: Task) -> None:
        rows = list(self.rows[task.number].values())
        if not rows:
            return
        count = {s: sum(r["status"] == s for r in rows) for s in ("out_of_memory", "diverged")}
        costs = {
            ok: [r["trial_seconds"] for r in rows if (r["status"] == "ok") == ok]
            for ok in (True, False)
        }
        losses = [r["loss"] for r in rows if r["loss"] is not None]
        steps = [r["steps"] for r in rows if r["status"] == "ok"]
        mean = {ok: np.mean(values or [0.0]) for ok, values in costs.items()}
        quantiles = np.quantile(losses or [0.0], [0, 0.1, 0.5, 0.9])
        print(
            f"{task.name:22} {len(rows):4} rows, oom {count['out_of_memory'] / len(rows):.2f}"
            f" diverged {count['diverged'] / len(rows):.2f}, s/row ok {mean[True]:.2f} failed"
            f" {mean[False]:.2f}, steps {np.median(steps or [0]):.0f}, loss "
            + " ".join(f"{q:.2f}" for q in quantiles)
            + f", left {self.left:.0f} s",
            flush=True,
        )

    def calibrate(self) -> None:
        """The first 20 trials of every task."""
        self.warm_up()
        for task in self.tasks:
            self.turn(task, 20)
            self.say(task)

    def adapted(self, task: Task) -> Task:
        """The task, with another limit if far too few or too many of its first runs fail."""
        for _ in range(2):
            self.turn(task, TURN)
            rows = list(self.rows[task.number].values())
            if len(rows) != TURN:  # long past its first turn, or the time is up
                return task
            share = float(np.mean([row["status"] != "ok" for row in rows]))
            low, high = WANTED_SHARE
            limit = task.limit * (1.6 if share > high else 1 / 1.6)
            limit = min(16.0, max(2.0, round(2 * limit) / 2))
            if self.args.device == "cpu" or low <= share <= high or limit == task.limit:
                return task
            self.changes.append(f"{task.name}: {share:.2f} failed, limit set to {limit:g} GB")
            print(self.changes[-1], flush=True)
            task = replace(task, limit=limit)
            self.rows[task.number] = {}
        self.turn(task, TURN)
        return task

    def run(self) -> None:
        self.warm_up()
        print(f"warm after {time.monotonic() - self.began:.0f} s", flush=True)
        for wanted in (self.tasks[:FIRST_TASKS], self.tasks[FIRST_TASKS:]):
            numbers = [task.number for task in wanted]
            for number in numbers:
                self.tasks[number] = self.adapted(self.tasks[number])
                self.say(self.tasks[number])
            for until in range(2 * TURN, len(trials()) + TURN, TURN):
                for number in numbers:
                    self.turn(self.tasks[number], until)
                    if self.left < 0:
                        break
                for number in numbers:
                    if until % (4 * TURN) == 0 or self.left < 0:
                        self.say(self.tasks[number])
                if self.left < 0:
                    print("the time is up", flush=True)
                    return

    def note(self) -> None:
        """Where and how the rows were made; one entry a call."""
        path = self.out / "provenance.json"
        earlier = Path(self.args.earlier or "") / "provenance.json"
        entries = []
        for old in (earlier, path):
            if not entries and old.exists():
                entries = json.loads(old.read_text())
        entry: dict[str, Any] = {
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "arguments": [a for a in sys.argv[1:] if "/" not in a],
            "python": platform.python_version(),
            "torch": torch.__version__,
            "seconds": self.args.seconds,
            "minutes_used": round((time.monotonic() - self.began) / 60, 2),
            "tasks": [task.name for task in self.tasks],
            "changes": self.changes,
        }
        if self.args.device == "cuda":
            entry |= {
                "gpu": torch.cuda.get_device_name(0),
                "memory_gb": torch.cuda.get_device_properties(0).total_memory / GIGABYTE,
                "cuda": torch.version.cuda,
                "cudnn": torch.backends.cudnn.version(),
            }
        path.write_text(json.dumps([*entries, entry], indent=1) + "\n")


def table(source: str, target: str) -> None:
    """The rows of complete tasks as one Parquet file, by task, configuration and repeat."""
    import polars as pl

    rows = read_rows(str(Path(source).parent))
    limits = {row["number"]: row["limit_gb"] for row in rows}
    rows = [row for row in rows if row["limit_gb"] == limits[row["number"]]]
    count = Counter(row["task"] for row in rows)
    rows = [row for row in rows if count[row["task"]] == len(trials())]
    columns = {name: [row.get(name) for row in rows] for name in dict.fromkeys(
        name for row in rows for name in row
    )}  # fmt: skip
    frame = pl.DataFrame(columns, infer_schema_length=None).sort(
        "number", "configuration", "repeat"
    )
    first = ["task", "family", "size", "limit_gb", "configuration", "repeat"]
    parameters = ["batch", "width", "depth", "heads", "kernel"]
    frame = frame.select(*first, *parameters, pl.exclude("number", *first, *parameters))
    short = [name for name, kind in frame.schema.items() if kind == pl.Float64]
    short.remove("learning_rate")
    frame = frame.with_columns(pl.col(short).round_sig_figs(6).cast(pl.Float64))
    frame.write_parquet(target, compression="zstd", compression_level=19)
    print(frame)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=("estimate", "calibrate", "run", "table"))
    parser.add_argument("files", nargs="*", help="table: the rows, and the Parquet file")
    parser.add_argument("--out", default="memory-rows", help="folder of rows.jsonl")
    parser.add_argument("--earlier", help="folder with rows of an earlier call")
    parser.add_argument("--minutes", type=float, default=9.0)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="training time of a run")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--n", type=int, default=100, help="estimate: configurations a task")
    args = parser.parse_args()
    if args.command == "estimate":
        return estimate(args.n)
    if args.command == "table":
        return table(*args.files)
    torch.set_float32_matmul_precision("high")  # fp32 by TF32, as usual in training
    torch.set_num_threads(1 if args.device == "cpu" else 2)
    gc.freeze()  # what is loaded by now need not be looked through after every run
    session = Session(args)
    try:
        session.calibrate() if args.command == "calibrate" else session.run()
    finally:
        session.note()


if __name__ == "__main__":
    main()
