"""The curves of benchmarks.transfer as a picture: mean regret over the tables against trials.

python -m benchmarks.transfer_picture FOLDER docs/pictures/transfer.png
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from benchmarks.transfer import means, read

COLORS = {
    "random": "#9aa0a6",
    "gp": "#5f6368",
    "box": "#c58b00",
    "box + gp": "#8a6100",
    "starts + random": "#7fb3d5",
    "starts + gp": "#1f77b4",
    "transfer": "#b3261e",
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("picture", type=Path)
    chosen = parser.parse_args()
    curves = means(read(chosen.folder / "cells.jsonl"))
    tables = sorted({table for table, _ in curves})
    figure, axes = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
    for method, color in COLORS.items():
        found = [curves[t, method] for t in tables if (t, method) in curves]
        if len(found) == len(tables):
            by_table = [np.mean(list(targets.values()), axis=0) for targets in found]
            mean = np.mean(by_table, axis=0)
            axes.plot(np.arange(1, len(mean) + 1), mean, color=color, label=method, lw=1.8)
    axes.set(xscale="log", yscale="log", xlabel="trials", ylabel="mean regret (0 best, 1 median)")
    axes.set_xticks([1, 2, 5, 10, 25, 50], labels=["1", "2", "5", "10", "25", "50"])
    axes.set_yticks([0.5, 0.2, 0.1, 0.05, 0.02], labels=["0.5", "0.2", "0.1", "0.05", "0.02"])
    axes.minorticks_off()
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=8)
    axes.set_title(f"a new task, mean over {len(tables)} tables", fontsize=10)
    figure.savefig(chosen.picture, dpi=130)


if __name__ == "__main__":
    main()
