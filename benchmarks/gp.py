"""Our GP loop against BoTorch's and Optuna's: regret after 60 evaluations, CPU time a suggestion.

    python -m benchmarks.gp FOLDER                        20 seeds of every method and function
    python -m benchmarks.gp FOLDER --seeds 0:5 --methods ringfence botorch --functions branin
    python -m benchmarks.gp FOLDER --table                what has finished

A cell is one loop of one method on one function from one initial design. Finished cells are lines
of FOLDER/cells.jsonl and are not run again, so several processes may share a folder, each with its
own seeds. BoTorch needs about a CPU second a suggestion; all else finishes in minutes.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.stats import qmc

from benchmarks.cells import append_line, cells_file, need_one_thread, numbers, parser, read_lines
from benchmarks.functions import FUNCTIONS, Function
from benchmarks.loops import LOOPS
from benchmarks.timing import Row
from ringfence.arrays import FloatArray

EVALUATIONS = 60
SEEDS = 20
RESAMPLES = 10_000


@dataclass(frozen=True)
class Cell:
    """What one loop saw."""

    function: str
    method: str
    seed: int
    values: list[float]
    cpu: list[float]  # seconds of each suggestion

    def log_regret(self, n: int) -> float:
        """log10 of the regret after n evaluations, cut off at 1e-6."""
        regret = min(self.values[:n]) - FUNCTIONS[self.function].minimum
        return float(np.log10(max(regret, 1e-6)))


def initial_design(f: Function, seed: int) -> FloatArray:
    points = qmc.Sobol(f.dim, scramble=True, seed=seed).random_base2(f.initial.bit_length())
    return np.asarray(points[: f.initial])


def run_cell(function: str, method: str, seed: int) -> Cell:
    f = FUNCTIONS[function]
    values, cpu = LOOPS[method](f, initial_design(f, seed), EVALUATIONS, seed)
    return Cell(function, method, seed, values.tolist(), np.round(cpu, 5).tolist())


def read(path: Path) -> dict[tuple[str, str, int], Cell]:
    cells = (Cell(**line) for line in read_lines(path))
    return {(cell.function, cell.method, cell.seed): cell for cell in cells}


def fill(path: Path, functions: list[str], methods: list[str], seeds: range) -> None:
    for seed in seeds:
        for function in functions:
            for method in methods:
                if (function, method, seed) in read(path):
                    continue
                append_line(path, asdict(run_cell(function, method, seed)))


def difference(ours: FloatArray, theirs: FloatArray) -> str:
    """Mean paired difference of log10 regret, below 0 if ours is better; 95 % bootstrap."""
    paired = ours - theirs
    rng = np.random.default_rng(0)
    means = paired[rng.integers(len(paired), size=(RESAMPLES, len(paired)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return f"{paired.mean():+.2f} [{low:+.2f}, {high:+.2f}]"


def table(cells: dict[tuple[str, str, int], Cell], ours: str) -> None:
    print(
        f"| function | method | seeds | median regret at 20 | at 60 | log10 {ours} - method at 20 ",
        end="",
    )
    print("| at 60 | CPU ms at n = 50 |\n|---|---|---|---|---|---|---|---|")
    for function in FUNCTIONS:
        for method in LOOPS:
            seeds = sorted(s for f, m, s in cells if f == function and m == method)
            if not seeds:
                continue
            loops = [cells[function, method, seed] for seed in seeds]
            row = [function, method, str(len(seeds))]
            row += [f"{10 ** np.median([c.log_regret(n) for c in loops]):.2g}" for n in (20, 60)]
            paired = [s for s in seeds if (function, ours, s) in cells and method != ours]
            for n in (20, EVALUATIONS):
                a = np.array([cells[function, ours, s].log_regret(n) for s in paired])
                b = np.array([cells[function, method, s].log_regret(n) for s in paired])
                row.append(difference(a, b) if paired else "")
            fiftieth = 50 - FUNCTIONS[function].initial
            cpu = [np.median(c.cpu[fiftieth - 2 : fiftieth + 3]) for c in loops]
            row.append(f"{1e3 * np.median(cpu):.1f}")
            print("| " + " | ".join(row) + " |")


def rows() -> list[Row]:
    """What one suggestion costs, for `make bench`: the median of five about n = 50."""
    f = FUNCTIONS["levy10"]
    X = qmc.Sobol(f.dim, seed=0).random(64)[:48]
    ours, theirs = (float(np.median(LOOPS[m](f, X, 53, 0)[1])) for m in ("ringfence", "botorch"))
    what = "a suggestion in ten dimensions after 50 evaluations"
    return [Row(what, ours, theirs, "≥ 20×", "fit and search")]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--seeds", type=numbers, default=f"0:{SEEDS}", help="first:end")
    options.add_argument("--methods", nargs="+", choices=list(LOOPS), default=list(LOOPS))
    options.add_argument("--functions", nargs="+", choices=list(FUNCTIONS), default=list(FUNCTIONS))
    options.add_argument("--ours", default="ringfence", choices=list(LOOPS))
    chosen = options.parse_args()
    path = cells_file(chosen.folder)
    if not chosen.table:
        need_one_thread()
        fill(path, chosen.functions, chosen.methods, chosen.seeds)
    table(read(path), chosen.ours)


if __name__ == "__main__":
    main()
