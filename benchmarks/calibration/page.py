"""The tables of docs/check.md, from the cells of a run or from those that are committed."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.calibration.cases import UNKNOWN
from benchmarks.calibration.tables import CHOSEN_ON, OTHER_OBJECTIVES
from benchmarks.calibration.traces import WAYS
from benchmarks.cells import read_lines

ROOT = Path(__file__).parents[2]
DOC = ROOT / "docs" / "check.md"
RESULTS = ROOT / "benchmarks" / "results" / "calibration"
KINDS = ("check", "starts", "choice")
REGRETS_AFTER = (5, 10, 25)
SORTED_BY = ("table", "size", "draw", "way", "asked_rows", "setting")
FEW_AND_MANY = (24, 256)  # rows a task
HELPED = 2.0  # a true speed-up that should be found
MANY = 0.75  # of the cases: a setting must be known in to be called the best


def write_page(out: Path | None, check: bool) -> int:
    """Write the tables between the markers of the page; with `check`, say whether they match."""
    if out is not None:
        commit(out)
    cells = {kind: pl.read_parquet(RESULTS / f"{kind}.parquet") for kind in KINDS}
    known = cells["check"].filter(pl.col("short") <= UNKNOWN, pl.col("speed_up").is_not_null())
    blocks = {
        "calibration": calibration_table(known, by_case),
        "calibration-numbers": calibration_table(known, by_number),
        "calibration-tables": calibration_table(known, by_table),
        "calibration-starts": calibration_table(cells["starts"], by_case),
        "calibration-choice": choice_table(cells["choice"]),
        "calibration-count": count_line(cells["check"], known),
        "calibration-later": later_line(cells["check"]),
        "calibration-lowest": lowest_line(known),
    }
    old = DOC.read_text()
    new = old
    for name, text in blocks.items():
        marked = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
        new = re.sub(marked, lambda m, t=text: f"{m[1]}{t}\n{m[2]}", new, flags=re.DOTALL)
    if check:
        print("docs/check.md matches" if new == old else "docs/check.md does not match")
        return int(new != old)
    DOC.write_text(new)
    return 0


def commit(out: Path) -> None:
    """Cells of a run → small files in the repository; a case run again replaces the old one."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        records = [
            _flat(record)
            for path in sorted(out.glob("cells-*.jsonl"))
            for cell in read_lines(path)
            if cell["what"] == kind
            for record in cell["records"]
        ]
        if records:
            path = RESULTS / f"{kind}.parquet"
            frame = pl.DataFrame(records, infer_schema_length=None)
            key = [name for name in SORTED_BY if name in frame]
            if path.exists():
                old = pl.read_parquet(path).join(frame, on=key, how="anti")
                frame = pl.concat([old, frame], how="diagonal_relaxed")
            frame.sort(key).write_parquet(path, compression="zstd")


def _flat(record: dict[str, object]) -> dict[str, object]:
    """A record without nesting, numbers to five digits."""
    flat: dict[str, object] = {}
    for name, value in record.items():
        if name.startswith("regret_"):
            assert isinstance(value, list)
            true, mean, low, high, _, _ = value
            flat |= {f"true_{name}": true, name: mean, f"{name}_low": low, f"{name}_high": high}
        elif name == "outcomes":
            assert isinstance(value, dict)
            flat |= {f"regret of {setting}": each["regret"] for setting, each in value.items()}
        else:
            flat[name] = value
    return {k: float(f"{v:.5g}") if isinstance(v, float) else v for k, v in flat.items()}


def by_case(frame: pl.DataFrame) -> Iterable[tuple[str, pl.DataFrame]]:
    """A line for each number of tasks, way and number of rows."""
    for size in sorted(frame["size"].unique()):
        tasks = {12: "up to 12", 1000: "all"}.get(size, str(size))
        for way in WAYS:
            for rows in sorted(frame["asked_rows"].unique()):
                part = frame.filter(size=size, way=way, asked_rows=rows)
                if len(part):
                    yield f"{tasks} tasks, {way}, {rows} rows", part


def by_number(frame: pl.DataFrame) -> Iterable[tuple[str, pl.DataFrame]]:
    """A line for the tables that have fewer than twelve tasks, and one for each size."""
    yield "4 to 10 tasks, all that the table has", frame.filter(pl.col("tasks") < 12)
    for size in (12, 30):
        yield f"{size} tasks", frame.filter(tasks=size)
    yield "more", frame.filter(pl.col("tasks") > 30)


def by_table(frame: pl.DataFrame) -> Iterable[tuple[str, pl.DataFrame]]:
    """A line for each table, those on which constants were chosen first."""
    names = frame["table"].unique().to_list()
    order = (CHOSEN_ON, sorted({*names} - {*CHOSEN_ON, *OTHER_OBJECTIVES}), OTHER_OBJECTIVES)
    for name in (name for group in order for name in group):
        part = frame.filter(table=name)
        if len(part):
            yield f"{name} (chosen on)" if name in CHOSEN_ON else name, part


def calibration_table(
    frame: pl.DataFrame, lines: Callable[[pl.DataFrame], Iterable[tuple[str, pl.DataFrame]]]
) -> str:
    """Coverage, bias, false verdicts and power."""
    rows = [
        "| history | cases | speed-up covered | regret covered after 5, 10, 25 "
        "| bias of log speed-up | false verdicts | found if truth ≥ 2 | cannot tell |",
        "|---|---|---|---|---|---|---|---|",
    ]
    rows += [_line(name, part) for name, part in lines(frame)]
    return "\n".join(rows)


def _line(name: str, part: pl.DataFrame) -> str:
    true, verdict = part["true_speed_up"].to_numpy(), part["verdict"].to_numpy()
    covered = _covered(part)
    bias = np.median(np.log(part["speed_up"].to_numpy() / true))
    false = ((verdict == "helps") & (true < 1)) | ((verdict == "hurts") & (true > 1))
    large = true >= HELPED
    found = f"{_percent(verdict[large] == 'helps')} of {large.sum()}" if large.any() else "–"
    unsure = _percent(verdict == "cannot tell")
    cells = [name, str(len(part)), _percent(covered.to_numpy()), _regrets(part), f"{bias:+.2f}"]
    cells += [f"{100 * false.mean():.1f} %", found, unsure]
    return "| " + " | ".join(cells) + " |"


def _regrets(part: pl.DataFrame) -> str:
    shares = []
    for k in REGRETS_AFTER:
        if f"regret_{k}" not in part.columns:
            continue
        known = part.drop_nulls(f"regret_{k}")
        true = known[f"true_regret_{k}"]
        inside = (known[f"regret_{k}_low"] <= true) & (true <= known[f"regret_{k}_high"])
        shares.append(_percent(inside.to_numpy()) if len(known) else "–")
    return ", ".join(shares)


def choice_table(frame: pl.DataFrame) -> str:
    """True regret after ten draws: the choice, and its difference to the full space and to each
    fixed setting, on the cases in which the truth of both is known."""
    columns = [name for name in frame.columns if name.startswith("regret of ")]
    settings = [name for name in columns if name != "regret of full space"]
    rows = [
        "| history | cases | `auto` | full space | `auto` worse than it by more than .01 "
        "| best fixed setting, on common cases | `auto` less that setting |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, part in by_case(frame):
        chosen = _chosen(part)
        full = part["regret of full space"].to_numpy()
        known = np.isfinite(chosen)
        worse = (chosen[known] > full[known] + 0.01).sum()
        cells = [name, str(known.sum()), f"{chosen[known].mean():.3f}", f"{full[known].mean():.3f}"]
        best, gaps = max(
            ((setting, _gaps(part, setting, chosen)) for setting in settings),
            key=lambda pair: pair[1].mean() if len(pair[1]) >= MANY * known.sum() else -np.inf,
        )
        error = gaps.std(ddof=1) / np.sqrt(len(gaps))
        cells += [str(worse), f"{best.removeprefix('regret of ')} ({len(gaps)} cases)"]
        rows.append("| " + " | ".join([*cells, f"{gaps.mean():+.3f} ± {error:.3f}"]) + " |")
    return "\n".join(rows)


def _gaps(part: pl.DataFrame, setting: str, chosen: np.ndarray) -> np.ndarray:
    """Regret of the choice less that of a fixed setting, where both are known."""
    gaps = chosen - part[setting].to_numpy().astype(float)
    return gaps[np.isfinite(gaps)]


def _chosen(part: pl.DataFrame) -> np.ndarray:
    """The true regret of what was chosen, NaN if the table has too few rows inside to tell."""
    picked = [row[f"regret of {row['chosen']}"] for row in part.iter_rows(named=True)]
    return np.array([np.nan if regret is None else regret for regret in picked])


def count_line(every: pl.DataFrame, known: pl.DataFrame) -> str:
    """How many cases there are, and how many have no truth."""
    return textwrap.fill(
        f"{len(known):,} cases of {every['table'].n_unique()} tables (of {len(every):,}; in the "
        f"others more than a tenth of the tasks have too few rows inside for the truth). A verdict "
        f"is false if it says helps and the true speed-up is below 1, or hurts and it is above.",
        120,
    )


def lowest_line(known: pl.DataFrame) -> str:
    """The line whose speed-ups are covered least, and on which side the truth lies there."""
    name, part = min(by_case(known), key=lambda line: _covered(line[1]).mean())
    covered, missed = _covered(part), part.filter(~_covered(part))
    above = (missed["true_speed_up"] > missed["high"]).sum()
    return textwrap.fill(
        f"Least covered is «{name}»: {covered.sum()} of {len(part)}, {100 * covered.mean():.1f} %. "
        f"In {above} of the {len(missed)} others the truth, a speed-up of "
        f"{missed['true_speed_up'].min():.1f} to {missed['true_speed_up'].max():.1f}, lies above "
        f"the interval: the check was too cautious.",
        120,
    )


def _covered(part: pl.DataFrame) -> pl.Series:
    return (part["low"] <= part["true_speed_up"]) & (part["true_speed_up"] <= part["high"])


def later_line(every: pl.DataFrame) -> str:
    """What the check says with 24 rows a task against what it says of the same history with 256."""
    case = ["table", "size", "draw", "way", "setting"]
    known = every.drop_nulls("speed_up")
    few, many = (known.filter(asked_rows=rows).select(*case, "verdict") for rows in FEW_AND_MANY)
    pairs = few.join(many, on=case, suffix="_later")
    opposite = {("helps", "hurts"), ("hurts", "helps")}
    verdicts = list(zip(pairs["verdict"], pairs["verdict_later"]))
    clear = [pair for pair in verdicts if pair[0] in ("helps", "hurts")]
    kept = sum(now == later for now, later in clear)
    taken_back = sum(pair in opposite for pair in verdicts)
    few_rows, many_rows = FEW_AND_MANY
    return textwrap.fill(
        f"{len(verdicts):,} histories were checked with {few_rows} rows a task and again with "
        f"{many_rows}, the {few_rows} among them. {len(clear)} had a clear verdict with "
        f"{few_rows}; {kept} of these kept it, {taken_back} turned into the opposite, the others "
        f"became undecided.",
        120,
    )


def _percent(flags: Sequence[bool] | np.ndarray) -> str:
    return f"{100 * np.mean(flags):.0f} %"
