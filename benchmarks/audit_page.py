"""The tables of docs/audit.md from the committed results of benchmarks.audit, and its picture."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.hub.edges import LEVEL, holm
from benchmarks.transfer_curves import markdown
from benchmarks.transfer_page import filled

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "audit.md"
PICTURE = HERE.parent / "docs" / "pictures" / "audit.png"
RESULTS = HERE / "results" / "audit"
CONTROL = ("tabr/lightgbm/plain#0", "bagging_fraction")
"""A parameter that was tuned and had no effect."""
SHOWN = ("tabr/xgboost/plain#0", "tabr/lightgbm/plain#0", "tabr/catboost/plain#0",
         "tabr/fttransformer/plain#0", "tabr/mlp/plain#0", "tabr/tabr/plain#1",
         "tabm/mlp/plain#0", "tabm/tabm/plain#0")  # fmt: skip
"""In the picture."""
ENOUGH = 30
"""Data sets from which a small distance says something."""
WIDTH = 119


def take(frame: pl.DataFrame, declared: Mapping[str, Any]) -> None:
    """The results of the tests become those of the page."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    corrected = [
        one.with_columns(corrected=pl.Series(holm(one["p"].to_list())))
        for _, one in frame.group_by("test", maintain_order=True)
    ]
    pl.concat(corrected).write_parquet(RESULTS / "tests.parquet", compression="zstd")
    (RESULTS / "spaces.json").write_text(json.dumps(sorted(declared), indent=1) + "\n")


def write(*, check: bool) -> int:
    """Write the page, or say whether it is what the results give."""
    text = PAGE.read_text("utf-8")
    frame = pl.read_parquet(RESULTS / "tests.parquet")
    new = filled(text, tables(frame, json.loads((RESULTS / "spaces.json").read_text())))
    if check:
        print("the page is what the results give" if new == text else "it differs: write it again")
        return 0 if new == text else 1
    PAGE.write_text(new, "utf-8")
    return 0


def tables(frame: pl.DataFrame, declared: Sequence[str]) -> dict[str, str]:
    """By name."""
    return {
        "summary": summary(frame, declared),
        "ends": end_table(frame),
        "scales": scale_table(frame),
        "off": off_table(frame),
        "inert": inert_table(frame),
        "control": control(frame),
    }


def found(frame: pl.DataFrame, test: str) -> pl.DataFrame:
    """What is significant of one test, all of its kind corrected together. Optima that fit the
    other scale better than uniform ones would, but the declared one better still, refute none."""
    significant = frame.filter((pl.col("test") == test) & (pl.col("corrected") < LEVEL))
    return significant.filter(pl.col("share") > 0) if test == "scale" else significant


def summary(frame: pl.DataFrame, declared: Sequence[str]) -> str:
    """How much was tested, and what was found."""
    rows = []
    for test, words in WORDS.items():
        one = frame.filter(test=test)
        rows.append([words, f"{one.height}", f"{found(frame, test).height}"])
    spaces = frame["space"].n_unique()
    sets = frame.group_by("space").agg(pl.col("data_sets").max())["data_sets"]
    line = (
        f"{spaces} of the {len(declared)} spaces have tunings on ten data sets or more "
        f"({sets.min()} to {sets.max()}) and are tested; the others have too few."
    )
    return f"{line}\n\n" + markdown(["test", "made", "significant"], rows)


WORDS = {
    "end": "an end of a range holds more optima than chance puts there",
    "scale": "the other scale, linear or logarithmic, fits the optima better",
    "off": "off is best more often, or less often, than the sampler draws it",
    "concentration": "optima are not uniform on the declared scale",
}


def end_table(frame: pl.DataFrame) -> str:
    """The ends that clip."""
    rows = [
        [_space(r["space"]), f"`{r['parameter']}`", f"{r['end']}, {r['value']:g}",
         f"{r['count']} of {r['data_sets']}", f"{r['chance']:.0%}", f"{r['share']:.0%}",
         _p(r["corrected"])]
        for r in found(frame, "end").sort("p").iter_rows(named=True)
    ]  # fmt: skip
    head = ["space", "parameter", "end", "data sets there", "by chance", "of all splits", "p"]
    return markdown(head, rows)


def scale_table(frame: pl.DataFrame) -> str:
    """The parameters whose declared scale fits worse than the other one."""
    rows = [
        [_space(r["space"]), f"`{r['parameter']}`", r["end"],
         "linear" if r["end"] == "log" else "log", f"{r['share']:.2f}", f"{r['corrected']:.3f}"]
        for r in found(frame, "scale").sort("share", descending=True).iter_rows(named=True)
    ]  # fmt: skip
    head = ["space", "parameter", "declared", "fits better", "gain a data set (nats)", "p"]
    return markdown(head, rows)


def off_table(frame: pl.DataFrame) -> str:
    """The parameters that can be off."""
    rows = [
        [_space(r["space"]), f"`{r['parameter']}`", f"{r['count']} of {r['data_sets']}",
         _p(r["corrected"])]
        for r in frame.filter(test="off").sort("share", descending=True).iter_rows(named=True)
    ]  # fmt: skip
    return markdown(["space", "parameter", "data sets best with it off", "p"], rows)


def inert(frame: pl.DataFrame) -> pl.DataFrame:
    """Parameters of which nothing shows that they mattered: their optima are no further from
    uniform than the control's, they clip nowhere, and no switch of theirs is decided."""
    key = ["space", "parameter"]
    spread = frame.filter(test="concentration").select(*key, "data_sets", "p", distance="share")
    bound = spread.filter(space=CONTROL[0], parameter=CONTROL[1])["distance"][0]
    decided = pl.concat([found(frame, test).select(key) for test in ("off", "end", "scale")])
    near = spread.filter((pl.col("distance") <= bound) & (pl.col("data_sets") >= ENOUGH))
    return near.join(decided, on=key, how="anti").sort("distance")


def inert_table(frame: pl.DataFrame) -> str:
    """The same as a table."""
    rows = [
        [_space(str(space)), ", ".join(f"`{name}`" for name in one["parameter"])]
        for (space,), one in inert(frame).sort("space").group_by("space", maintain_order=True)
    ]
    tested = frame.filter((pl.col("test") == "concentration") & (pl.col("data_sets") >= ENOUGH))
    line = f"{inert(frame).height} of {tested.height} parameters:"
    return f"{line}\n\n" + markdown(["space", "no further from uniform than the control"], rows)


def control(frame: pl.DataFrame) -> str:
    """How the control fares in the tests."""
    mine = frame.filter(space=CONTROL[0], parameter=CONTROL[1])
    parts = {r["test"]: r for r in mine.iter_rows(named=True)}
    ends = mine.filter(test="end")["p"].min()
    spread, agreement = parts["concentration"], parts["agreement"]
    others = frame.filter(test="concentration")
    beyond = others.filter(pl.col("share") > spread["share"])
    text = (
        f"Its optima are {spread['share']:.2f} from uniform (Kolmogorov's distance) over "
        f"{spread['data_sets']} data sets, which by itself has p {_p(spread['p'], '= ')}, and "
        f"corrected {spread['corrected']:.2f}. The splits of its data sets agree, p "
        f"{_p(agreement['p'], '= ')}: more than those of most parameters that do matter. The "
        f"smaller p of its two ends is {ends:.2f}. {beyond.height} of {others.height} parameters "
        "are further from uniform than it is."
    )
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def draw(spaces: Sequence[Any]) -> None:
    """The optima of the plain spaces on their declared scales; ends that clip are marked."""
    import matplotlib.pyplot as plt

    from benchmarks.audit_tests import first_splits, places

    marked = {
        (r["space"], r["parameter"], r["end"])
        for r in found(pl.read_parquet(RESULTS / "tests.parquet"), "end").iter_rows(named=True)
    }
    chosen = [runs for runs in spaces if runs.name in SHOWN]
    figure, axes = plt.subplots(2, 4, figsize=(15, 6.4), constrained_layout=True)
    rng = np.random.default_rng(0)
    for axis, runs in zip(axes.flat, chosen):
        space = runs.space("any")
        first = first_splits(runs.frame)
        for row, (name, parameter) in enumerate(space.parameters.items()):
            u = places(first.filter(pl.col(name).is_not_null()), name, parameter, on=False)
            y = row + rng.uniform(-0.25, 0.25, len(u))
            axis.plot(u, y, "o", ms=3, alpha=0.5, color="#2b8cab", mec="none")
            for end, x in (("low", 0.0), ("high", 1.0)):
                if (runs.name, name, end) in marked:
                    axis.plot([x, x], [row - 0.4, row + 0.4], color="#c0392b", lw=4)
        axis.set_yticks(range(len(space)), list(space), fontsize=8)
        axis.set_xticks([-0.25, 0, 1], ["off", "low", "high"], fontsize=8)
        axis.set_xlim(-0.35, 1.08)
        axis.invert_yaxis()
        axis.set_title(f"{_space(runs.name)}, {len(runs.data_sets)} data sets", fontsize=9)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    figure.savefig(PICTURE, dpi=110, metadata={"Software": None})
    plt.close(figure)


def _space(key: str) -> str:
    """A declared space in short: its source, learner and variant."""
    source, learner, variant = key.split("#")[0].split("/")
    return f"{learner} ({source})" if variant == "plain" else f"{learner}-{variant} ({source})"


def _p(p: float, equals: str = "") -> str:
    return f"{equals}{p:.2g}" if p >= 0.001 else "< 0.001"
