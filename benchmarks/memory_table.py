"""What is in the table of runs that may run out of memory (benchmarks/data/README.md).

    python -m benchmarks.memory_table           # print
    python -m benchmarks.memory_table --write   # into docs/memory-table.md

Which runs fail and what decides it, what failures cost, where the best runs are, and how far runs
of the same configuration agree.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import hypergeom, rankdata, spearmanr

HERE = Path(__file__).parent
TABLE = HERE / "data" / "memory.parquet"
PAGE = HERE.parent / "docs" / "memory-table.md"
TRIALS = 20  # of a random search
FAMILIES = {"transformer": "heads", "convnet": "kernel"}
GB = 1024.0  # megabytes


def read() -> pl.DataFrame:
    return pl.read_parquet(TABLE)


def main() -> None:
    text = numbers()
    if "--write" not in sys.argv:
        print(text)
        return
    marked = r"(<!-- numbers -->\n).*?(<!-- /numbers -->)"
    old = PAGE.read_text()
    PAGE.write_text(re.sub(marked, lambda m: f"{m[1]}\n{text}\n\n{m[2]}", old, flags=re.DOTALL))


def numbers() -> str:
    """All tables, as the page shows them."""
    table = read()
    return "\n\n".join(
        f"### {title}\n\n{markdown(rows)}"
        for title, rows in (
            ("Tasks", tasks(table)),
            ("What decides whether memory suffices", drivers(table)),
            (f"Random search, {TRIALS} trials", random_search(table)),
            ("The same runs under two limits", limits(table)),
            ("The best run of each task", best(table)),
            ("The same configurations in two tasks", agreement(table)),
            ("The same configuration twice", repeats(table)),
        )
    )


def markdown(rows: list[dict[str, str]]) -> str:
    head = list(rows[0])
    lines = [head, ["---"] * len(head), *([row[name] for name in head] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def once(table: pl.DataFrame) -> pl.DataFrame:
    """Every configuration once."""
    return table.filter(pl.col("repeat") == 0)


def by_task(table: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    for (task,), rows in table.group_by("task", maintain_order=True):
        yield str(task), rows


def tasks(table: pl.DataFrame) -> list[dict[str, str]]:
    found = []
    for task, rows in by_task(table):
        ok = rows.filter(pl.col("status") == "ok")
        memory = rows.filter(pl.col("status") == "out_of_memory")
        phases = memory["phase"].value_counts().sort("count", "phase", descending=True)
        found.append(
            {
                "task": task,
                "runs": str(len(rows)),
                "out of memory": f"{len(memory)} ({len(memory) / len(rows):.0%})",
                "in": ", ".join(f"{phase} {n}" for phase, n in phases.iter_rows()),
                "diverged": str((rows["status"] == "diverged").sum()),
                "other errors": str((rows["status"] == "error").sum()),
                "median peak, GB": f"{median(ok['peak_reserved_mb']) / GB:.1f}",
                "median steps": f"{median(ok['steps']):.0f}",
                "seconds a run": f"{median(ok['trial_seconds']):.2f}",
                "of a failure": f"{median(memory['trial_seconds']):.2f}",
            }
        )
    return found


def median(values: pl.Series) -> float:
    return float(np.median(values.to_numpy())) if len(values) else float("nan")


def inputs(rows: pl.DataFrame, extra: str) -> tuple[list[str], np.ndarray]:
    """What may decide: each column is in doublings or is 0 or 1."""
    doublings = ["batch", "width", "depth", extra, "size", "limit_gb"]
    columns = {f"{name}, twice": np.log2(rows[name].to_numpy()) for name in doublings}
    columns["bf16, not fp32"] = (rows["precision"] == "bf16").to_numpy()
    columns["checkpointing"] = rows["checkpointing"].to_numpy()
    columns["momentum, not sgd"] = (rows["optimizer"] == "momentum").to_numpy()
    columns["adamw, not sgd"] = (rows["optimizer"] == "adamw").to_numpy()
    columns["learning rate, twice"] = np.log2(rows["learning_rate"].to_numpy())
    return list(columns), np.column_stack(list(columns.values())).astype(float)


def logistic(X: np.ndarray, y: np.ndarray, ridge: float = 1e-3) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients, intercept first, and their standard errors, by Newton's method. The ridge keeps
    them finite if the classes can be told apart without error."""
    X = np.column_stack([np.ones(len(X)), X])
    b = np.zeros(X.shape[1])
    penalty = ridge * np.eye(len(b))
    penalty[0, 0] = 0.0
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(X @ b, -500, 500)))
        hessian = X.T @ (X * (p * (1 - p))[:, None]) + penalty
        step = np.linalg.solve(hessian, X.T @ (y - p) - penalty @ b)
        b += step
        if np.abs(step).max() < 1e-10:
            break
    return b, np.sqrt(np.diag(np.linalg.inv(hessian)))


def ranking(score: np.ndarray, failed: np.ndarray) -> float:
    """The chance that a run that failed has a higher score than one that did not (area under the
    ROC curve)."""
    n = failed.sum()
    return float((rankdata(score)[failed].sum() - n * (n + 1) / 2) / (n * (len(failed) - n)))


def drivers(table: pl.DataFrame) -> list[dict[str, str]]:
    shown: dict[str, dict[str, str]] = {}

    def put(row: str, family: str, text: str) -> None:
        shown.setdefault(row, {"": row} | dict.fromkeys(FAMILIES, "–"))[family] = text

    for family, extra in FAMILIES.items():
        rows = once(table).filter(
            pl.col("family") == family, pl.col("status").is_in(["ok", "out_of_memory"])
        )
        names, X = inputs(rows, extra)
        failed = (rows["status"] == "out_of_memory").to_numpy()
        b, errors = logistic(X, failed.astype(float))
        for name, value, error in zip(names, b[1:], errors[1:]):
            put(name, family, f"{value:+.2f} ± {error:.2f}")
        task = rows["task"].to_numpy()
        product = X[:, :3].sum(axis=1)
        left_out, plain = [], []
        for name in np.unique(task):
            here = task == name
            b, _ = logistic(X[~here], failed[~here].astype(float))
            left_out.append(ranking(X[here] @ b[1:], failed[here]))
            plain.append(ranking(product[here], failed[here]))
        put("ranking, by the other tasks", family, f"{np.mean(left_out):.3f}")
        put("ranking, by batch × width × depth", family, f"{np.mean(plain):.3f}")
    order = sorted(shown, key=lambda name: name.startswith("ranking"))  # those come last
    return [shown[name] for name in order]


def random_search(table: pl.DataFrame) -> list[dict[str, str]]:
    """Numbers of failures among rows drawn without repetition, exactly."""
    found = []
    for task, rows in by_task(once(table)):
        failed = (rows["status"] != "ok").to_numpy()
        seconds = rows["trial_seconds"].to_numpy()
        drawn = hypergeom(len(rows), failed.sum(), TRIALS)
        found.append(
            {
                "task": task,
                "failed, mean": f"{drawn.mean():.1f} ({failed.mean():.0%})",
                "5 % to 95 %": f"{drawn.ppf(0.05):.0f} to {drawn.ppf(0.95):.0f}",
                "chance of none": f"{drawn.pmf(0):.2%}",
                "share of the time": f"{seconds[failed].sum() / seconds.sum():.0%}",
            }
        )
    return found


def limits(table: pl.DataFrame) -> list[dict[str, str]]:
    """What a run needs under the larger limit says whether it fails under the smaller one, up to
    memory that is cut into pieces or refused to a library that then does with less."""
    found = []
    for (family, size), rows in once(table).group_by("family", "size", maintain_order=True):
        if rows["task"].n_unique() != 2:
            continue
        small, large = (part for _, part in by_task(rows.sort("limit_gb", maintain_order=True)))
        both = shared(small, large)
        limit = float(small["limit_gb"][0])
        fails, fails_too = (both[name] == "out_of_memory" for name in ("status", "status_right"))
        need = both["peak_allocated_mb_right"] / GB
        found.append(
            {
                "tasks": f"{family}-{size}: {limit:g} and {large['limit_gb'][0]:g} GB",
                "runs": str(len(both)),
                "fail under both": str((fails & fails_too).sum()),
                "under the larger alone": str((~fails & fails_too).sum()),
                "under the smaller alone": str((fails & ~fails_too).sum()),
                "of these, their tensors would fit": str(
                    (fails & ~fails_too & (need <= limit)).sum()
                ),
                "under neither, their tensors would not fit": str(
                    (~fails & ~fails_too & (need > limit)).sum()
                ),
            }
        )
    return found


def best(table: pl.DataFrame) -> list[dict[str, str]]:
    found = []
    for task, rows in by_task(once(table)):
        ok = rows.filter(pl.col("status") == "ok").sort("loss")
        row = ok.row(0, named=True)
        extra = FAMILIES[row["family"]]
        found.append(
            {
                "task": task,
                "loss": f"{row['loss']:.3f}",
                "tenth, half of the runs": " ".join(
                    f"{q:.3f}" for q in np.quantile(ok["loss"].to_numpy(), [0.1, 0.5])
                ),
                "batch × width × depth": f"{row['batch']} × {row['width']} × {row['depth']}",
                "heads or kernel": str(row[extra]),
                "precision": row["precision"],
                "checkpointing": "yes" if row["checkpointing"] else "no",
                "optimizer": f"{row['optimizer']} {row['learning_rate']:g}",
                "peak, GB": f"{row['peak_reserved_mb'] / GB:.1f} of {row['limit_gb']:g}",
            }
        )
    return found


def agreement(table: pl.DataFrame) -> list[dict[str, str]]:
    """Of configurations that two tasks of a family share: do they fail alike, are they good alike,
    and how good is the best of one in the other?"""
    found = []
    for family in FAMILIES:
        names = once(table).filter(pl.col("family") == family)
        frames = dict(by_task(names))
        alike, ranks, regrets = [], [], []
        for one, other in combinations(frames.values(), 2):
            both = shared(one, other)
            alike.append(((both["status"] == "ok") == (both["status_right"] == "ok")).mean())
            fine = both.filter(pl.col("status") == "ok", pl.col("status_right") == "ok")
            a, b = fine["loss"].to_numpy(), fine["loss_right"].to_numpy()
            ranks.append(float(spearmanr(a, b).statistic))
            for here, there in ((a, b), (b, a)):
                spread = np.median(there) - there.min()
                regrets.append(float((there[here.argmin()] - there.min()) / spread))
        found.append(
            {
                "family": family,
                "pairs of tasks": str(len(alike)),
                "fail or not alike": f"{np.mean(alike):.0%}",
                "rank correlation of losses": f"{np.mean(ranks):.2f}",
                "from … to": f"{min(ranks):.2f} to {max(ranks):.2f}",
                "regret of the other's best": f"{np.mean(regrets):.2f}",
            }
        )
    return found


def shared(one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """The rows with the same parameters in both."""
    parameters = ["batch", "width", "depth", "precision", "checkpointing", "optimizer"]
    parameters += ["learning_rate", FAMILIES[one["family"][0]]]
    return one.join(other, on=parameters, how="inner")


def repeats(table: pl.DataFrame) -> list[dict[str, str]]:
    second = table.filter(pl.col("repeat") == 1)
    found = []
    for family in FAMILIES:
        both = once(table).join(second, on=["task", "configuration"], how="inner")
        both = both.filter(pl.col("family") == family)
        fine = both.filter(pl.col("status") == "ok", pl.col("status_right") == "ok")

        def ratio(name: str, fine: pl.DataFrame = fine) -> str:
            change = np.abs(np.log(fine[f"{name}_right"].to_numpy() / fine[name].to_numpy()))
            return f"{np.median(change):.1%}, at most {change.max():.1%}"

        change = np.abs((fine["loss_right"] - fine["loss"]).to_numpy())
        ranks = float(spearmanr(fine["loss"].to_numpy(), fine["loss_right"].to_numpy()).statistic)
        found.append(
            {
                "family": family,
                "pairs": str(len(both)),
                "same status": str((both["status"] == both["status_right"]).sum()),
                "peak memory differs by": ratio("peak_allocated_mb"),
                "seconds a step by": ratio("step_seconds"),
                "loss by, median": f"{np.median(change):.3f}",
                "rank correlation of losses": f"{ranks:.2f}",
            }
        )
    return found


if __name__ == "__main__":
    main()
