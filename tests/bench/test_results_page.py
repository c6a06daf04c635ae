"""The results page is what the committed results give, and every claim names what was run."""

import polars as pl
import pytest
from benchmarks.paper_claims import HERE, read_claims
from benchmarks.paper_page import DOCS, PAGE, main

from ringfence.bench.plan import read_plan

PLANS = sorted((HERE.parent / "plans").glob("*.toml"))
RESULTS = sorted((HERE / "results").glob("*.parquet"))


def test_the_page_is_what_the_results_give(capsys):
    assert main(["--check"]) == 0, capsys.readouterr().out


def test_every_picture_of_the_page_is_there():
    names = [line.split("(")[-1][:-1] for line in PAGE.read_text().splitlines() if "![" in line]
    assert names and all((DOCS / name).exists() for name in names)


def test_every_claim_is_about_methods_that_its_plans_run():
    plans = {path.stem: read_plan(path) for path in PLANS}
    for claim in read_claims().claim:
        for name in claim.plans:
            methods = {
                label
                for experiment in plans[name].experiment
                if experiment.figure == claim.figure
                for label in experiment.methods
            }
            for one, _, other in claim.expected():
                assert {one, other} <= methods, (claim.figure, name, one, other)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_results_are_of_the_plan_as_it_stands(path):
    plan = read_plan(HERE.parent / "plans" / f"{path.stem}.toml")
    planned = {e.figure: set(e.methods) for e in plan.experiment}
    for figure, method in pl.read_parquet(path, columns=["figure", "method"]).unique().rows():
        assert method in planned[figure]
