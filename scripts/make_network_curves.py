"""Make the table of learning curves of small neural networks.

Two-layer networks with the nine hyperparameters of Klein & Hutter (2019), trained with Adam for 100
epochs on seven regression data sets; the validation error (mean squared, of standardized
targets) after every epoch. All configurations of one batch size train at once, as one batched
network with the surplus units switched off. On a GPU where there is one.

    pip install torch statsmodels scikit-learn polars
    python scripts/make_network_curves.py data     networks.npz     # the data sets, CPU
    python scripts/make_network_curves.py train    networks.npz curves.npz
    python scripts/make_network_curves.py table    curves.npz networks.parquet

Three data sets are real (diabetes of scikit-learn; fair and randhie of statsmodels), four come from
generators (Friedman's three and the forward kinematics of a robot arm).
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

CONFIGURATIONS, SEEDS, EPOCHS = 1024, 2, 100
TRAIN, VALIDATE = 1280, 512
WIDEST = 512
BATCH_SIZES = (8, 16, 32, 64)


def data_sets() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Inputs and targets of every task."""
    import statsmodels.datasets as sm
    from sklearn import datasets as sk

    diabetes = sk.load_diabetes()
    fair, randhie = sm.fair.load().data, sm.randhie.load().data
    n = TRAIN + VALIDATE
    found = {
        "diabetes": (diabetes.data, diabetes.target),
        "fair": (fair.drop(columns="affairs"), fair["affairs"]),
        "randhie": (randhie.drop(columns="mdvis"), np.log1p(randhie["mdvis"])),
        "friedman1": sk.make_friedman1(n, n_features=10, noise=1.0, random_state=0),
        "friedman2": sk.make_friedman2(n, noise=50.0, random_state=0),
        "friedman3": sk.make_friedman3(n, noise=0.1, random_state=0),
        "robot-arm": robot_arm(n),
    }
    return {name: (np.asarray(X, float), np.asarray(y, float)) for name, (X, y) in found.items()}


def robot_arm(n: int, links: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Distance of the hand of a planar arm from a point, from its joint angles."""
    rng = np.random.default_rng(0)
    angles = rng.uniform(-np.pi / 3, np.pi / 3, (n, links))
    total = angles.cumsum(axis=1)
    x, y = np.cos(total).sum(axis=1) / links, np.sin(total).sum(axis=1) / links
    return angles, np.hypot(x - 0.1, y) + 0.01 * rng.standard_normal(n)


def prepare(path: str) -> None:
    """Standardized data sets, cut to size and split, into one file."""
    arrays = {}
    for name, (X, y) in data_sets().items():
        order = np.random.default_rng(2).permutation(len(X))[: TRAIN + VALIDATE]
        n_train = min(TRAIN, int(len(order) * 0.7)) // 64 * 64  # every batch is full
        train, validate = order[:n_train], order[n_train:][:VALIDATE]
        center, spread = X[train].mean(axis=0), X[train].std(axis=0)
        X = (X - center) / np.where(spread > 0, spread, 1.0)
        y = (y - y[train].mean()) / y[train].std()
        arrays |= {f"{name}:X": X[train], f"{name}:y": y[train]}
        arrays |= {f"{name}:Xv": X[validate], f"{name}:yv": y[validate]}
    np.savez_compressed(path, **{name: a.astype(np.float32) for name, a in arrays.items()})


def configurations() -> dict[str, np.ndarray]:
    """Random configurations, the same for every task."""
    rng = np.random.default_rng(3)
    n = CONFIGURATIONS

    def units() -> np.ndarray:
        return np.exp(rng.uniform(np.log(15.5), np.log(512.5), n)).round().astype(np.int64)

    return {
        "init_lr": np.exp(rng.uniform(np.log(5e-4), np.log(1e-1), n)),
        "batch_size": rng.choice(BATCH_SIZES, n),
        "cosine": rng.random(n) < 0.5,
        "tanh_1": rng.random(n) < 0.5,
        "tanh_2": rng.random(n) < 0.5,
        "n_units_1": units(),
        "n_units_2": units(),
        "dropout_1": rng.uniform(0, 0.6, n),
        "dropout_2": rng.uniform(0, 0.6, n),
    }


def train(source: str, path: str) -> None:
    """Every curve, (tasks, configurations, seeds, epochs); tasks that `path` holds are kept."""
    data = np.load(source)
    names = list(dict.fromkeys(key.split(":")[0] for key in data))
    curves = np.full((len(names), CONFIGURATIONS, SEEDS, EPOCHS), np.nan, dtype=np.float32)
    if Path(path).exists():
        curves = np.load(path)["curves"]
    configs = configurations()
    for t, name in enumerate(names):
        if not np.isnan(curves[t]).any():
            continue
        began = time.time()
        arrays = [data[f"{name}:{part}"] for part in ("X", "y", "Xv", "yv")]
        for size in BATCH_SIZES:
            some = np.flatnonzero(configs["batch_size"] == size)
            chosen = {key: values[some] for key, values in configs.items()}
            for seed in range(SEEDS):
                curves[t, some, seed] = train_together(arrays, chosen, int(size), seed)
        print(name, f"{time.time() - began:.0f} s", flush=True)
        np.savez_compressed(path, names=names, curves=curves)


def train_together(
    arrays: list[np.ndarray], configs: dict[str, np.ndarray], batch: int, seed: int
) -> np.ndarray:
    """The curves of configurations that share a batch size, (m, epochs)."""
    import torch

    torch.manual_seed(1000 + seed)
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    X, y, Xv, yv = (torch.tensor(a, device=device) for a in arrays)
    m, d = len(configs["init_lr"]), X.shape[1]
    of = {k: torch.tensor(v, device=device).view(m, 1, 1) for k, v in configs.items()}
    wide = torch.arange(WIDEST, device=device).view(1, 1, -1)
    live_1, live_2 = (wide < of["n_units_1"]).float(), (wide < of["n_units_2"]).float()
    widths = (d, of["n_units_1"].float(), of["n_units_2"].float())
    shapes = [(m, d, WIDEST), (m, WIDEST, WIDEST), (m, WIDEST, 1)]
    weights = [
        (torch.rand(shape, device=device) * 2 - 1) * (3.0 / width) ** 0.5
        for shape, width in zip(shapes, widths)
    ]
    biases = [torch.zeros(m, 1, shape[2], device=device) for shape in shapes]
    parameters = [p.requires_grad_() for p in (*weights, *biases)]
    first, second = ([torch.zeros_like(p) for p in parameters] for _ in range(2))

    def forward(inputs: torch.Tensor, training: bool) -> torch.Tensor:
        h = inputs
        for layer, live in ((0, live_1), (1, live_2)):
            h = torch.baddbmm(biases[layer], h.expand(m, -1, -1), weights[layer])
            h = torch.where(of[f"tanh_{layer + 1}"], torch.tanh(h), torch.relu(h)) * live
            if training:
                drop = of[f"dropout_{layer + 1}"].float()
                h = h * (torch.rand_like(h) >= drop) / (1 - drop)
        return torch.baddbmm(biases[2], h, weights[2]).squeeze(2)

    curve = np.empty((m, EPOCHS), dtype=np.float32)
    step = 0
    for epoch in range(EPOCHS):
        cosine = 0.5 * (1 + np.cos(np.pi * epoch / EPOCHS))
        rate = (of["init_lr"] * torch.where(of["cosine"], cosine, 1.0)).float()
        for rows in torch.randperm(len(X), device=device).view(-1, batch):
            step += 1
            loss = (forward(X[rows][None], True) - y[rows]).square().mean(1).sum()
            gradients = torch.autograd.grad(loss, parameters)
            with torch.no_grad():
                scale = (1 - 0.999**step) ** 0.5 / (1 - 0.9**step)
                torch._foreach_lerp_(first, gradients, 0.1)
                torch._foreach_mul_(second, 0.999)
                torch._foreach_addcmul_(second, gradients, gradients, 0.001)
                roots = torch._foreach_sqrt(second)
                torch._foreach_add_(roots, 1e-8)
                for p, up, root in zip(parameters, first, roots):
                    p -= rate * scale * up / root
        with torch.no_grad():
            errors = (forward(Xv[None], False) - yv).square().mean(1)
        curve[:, epoch] = errors.nan_to_num(float("inf")).cpu().numpy()
    return curve


def table(source: str, path: str) -> None:
    """The curves as one Parquet file: one row a task and configuration, a list of errors a seed."""
    import polars as pl

    found = np.load(source)
    configs = configurations()
    curves = np.minimum(found["curves"], 1e4)  # what diverged
    scale = np.exp2(np.floor(np.log2(curves)) - 12).astype(np.float32)
    curves = np.round(curves / scale) * scale
    frames = []
    for t, name in enumerate(found["names"]):
        columns = {
            "task": [str(name)] * CONFIGURATIONS,
            "init_lr": configs["init_lr"],
            "batch_size": configs["batch_size"],
            "lr_schedule": np.where(configs["cosine"], "cosine", "fix"),
            "activation_1": np.where(configs["tanh_1"], "tanh", "relu"),
            "activation_2": np.where(configs["tanh_2"], "tanh", "relu"),
            "n_units_1": configs["n_units_1"],
            "n_units_2": configs["n_units_2"],
            "dropout_1": configs["dropout_1"],
            "dropout_2": configs["dropout_2"],
        }
        for seed in range(SEEDS):
            columns[f"curve_{seed}"] = pl.Series(
                curves[t, :, seed], dtype=pl.Array(pl.Float32, EPOCHS)
            )
        frames.append(pl.DataFrame(columns))
    pl.concat(frames).write_parquet(path, compression="zstd", compression_level=19)


if __name__ == "__main__":
    command, *files = sys.argv[1:]
    {"data": prepare, "train": train, "table": table}[command](*files)
