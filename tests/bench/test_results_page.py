"""The results page is what the committed results give; claims and elements name what is there."""

import ast
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from benchmarks.paper_claims import HERE, Claim, Claims, Part, place, read_claims
from benchmarks.paper_elements import Element, counted, read_elements, state_of, summary
from benchmarks.paper_numbers import filled
from benchmarks.paper_page import DOCS, PAGE, main, read_plans, replications_text
from benchmarks.paper_verdicts import (
    Results,
    correct,
    measure,
    share_of_few,
    verdict_on,
    with_margin,
)

from ringfence.bench.metrics import curves
from ringfence.bench.pairs import judged_regrets

ROOT = HERE.parent
RESULTS = sorted((HERE / "results").glob("*.parquet"))
PLANS = read_plans()


def test_the_page_is_what_the_results_give(capsys):
    assert main(["--check"]) == 0, capsys.readouterr().out


def test_every_picture_of_the_page_is_there():
    names = [line.split("(")[-1][:-1] for line in PAGE.read_text().splitlines() if "![" in line]
    assert names and all((DOCS / name).exists() for name in names)


def test_every_claim_is_about_methods_that_its_plans_run():
    for claim in read_claims().claim:
        planned = [name for name in claim.plans if claim.figure in methods_of(name)]
        assert planned, f"no plan has figure {claim.figure}"
        for name in planned:
            for part in claim.part:
                for statement in part.statements():
                    for term in statement.weights:
                        figure, method = place(term, claim.figure)
                        assert method in methods_of(name).get(figure, ()), (name, figure, method)


def test_a_part_is_the_papers_or_ours_and_states_something():
    for claim in read_claims().claim:
        for part in claim.part:
            assert bool(part.says) != bool(part.asks) and (part.says or "?" in part.asks)
            assert list(part.statements()), (claim.figure, part)


def test_every_figure_of_the_paper_has_a_verdict():
    figures = {claim.figure for claim in read_claims().claim}
    assert {"1a", "1b", "3a", "3b", "3c", "4a", "4b", "5a", "5b", "S3a", "S3b", "S3c"} <= figures
    assert {"S4a", "S4b", "S5b", "S6a", "S6b", "S7a", "S7b", "S8a", "S8b", "S8c"} <= figures
    assert {"S9a", "S9b", "S10a", "S10b"} <= figures
    pictures = {picture for claim in read_claims().claim for picture in claim.pictures}
    assert pictures == {"2", "S2", "S5a"}


def methods_of(plan: str) -> dict[str, set[str]]:
    return {e.figure: set(e.methods) for e in PLANS[plan].experiment}


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_results_are_of_the_plan_as_it_stands(path):
    planned = methods_of(path.stem)
    for figure, method in pl.read_parquet(path, columns=["figure", "method"]).unique().rows():
        assert method in planned[figure]


def test_every_place_of_an_element_exists():
    figures = {claim.figure for claim in read_claims().claim}
    elements = read_elements()
    assert len(elements) >= 65
    for element in elements:
        assert set(element.figures) <= figures, element.name
        assert element.where or element.state == "not"
        assert element.note or element.state == "done", element.name
        for place_ in element.where:
            path, _, name = place_.partition(":")
            assert (ROOT / path).exists(), place_
            if name and path.endswith(".toml"):
                plan = PLANS[Path(path).stem]
                assert name in {e.figure for e in (*plan.experiment, *plan.region)}, place_
            elif name:
                assert name in defined(ROOT / path), place_


def defined(path: Path) -> set[str]:
    """Names of functions, classes and constants at the top of a module."""
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    return found


def test_the_paper_has_all_its_numbered_elements():
    names = " ".join(element.name for element in read_elements())
    wanted = [f"eq. {n}" for n in range(1, 10)] + ["eqs. 10, 11", "algorithm 1"]
    wanted += ["figure 1a", "figure 1b", "figure 2", "figure 3a", "figure 3b", "figure 3c"]
    wanted += ["figure 4a", "figure 4b", "figure 5a", "figure 5b", "figure S1", "figure S2"]
    wanted += [f"figure S{n}{part}" for n in (3, 8) for part in "abc"]
    wanted += [f"figure S{n}{part}" for n in (4, 5, 6, 7, 9, 10) for part in "ab"]
    assert [name for name in wanted if name not in names] == []


def made_up(regrets, figure="1a", ends=None):
    """Results of one plan from {method: regrets by task}, one replication and, if `ends` has the
    regrets of some methods after the last trial, a hundred trials, else two."""
    last = 100 if ends else 2
    rows = [
        {
            "figure": figure, "title": "made up", "order": order, "suite": "s", "origin": "by hand",
            "log_loss": False, "task": str(task), "method": method, "replication": 0, "best": 0.0,
            "median": 1.0, "exhausted": bool(np.isinf(value)), "volume": 0.5, "trial": trial,
            "loss": value if trial < last else (ends or {}).get(method, values)[task],
        }
        for order, (method, values) in enumerate(regrets.items())
        for task, value in enumerate(values)
        for trial in (1, last)
    ]  # fmt: skip
    return prepared(pl.DataFrame(rows))


def in_figures(by_figure):
    """Results with several figures."""
    return prepared(pl.concat(made_up(made, name).results for name, made in by_figure.items()))


def prepared(frame):
    cells = judged_regrets(frame).with_columns(log_volume=pl.col("volume").log10())
    return Results("plan", frame, cells, curves(frame))


RNG = np.random.default_rng(0)
RANDOM = 0.5 + 0.05 * RNG.random(30)
NOISE = 0.02 * RNG.standard_normal((5, 30))
MADE = {
    "Random": RANDOM,
    "good": RANDOM - 0.2 + NOISE[0],
    "same": RANDOM + NOISE[1],
    "bad": RANDOM + 0.2 + NOISE[2],
    "little": RANDOM - 0.02 + NOISE[3],
    "wild": RANDOM + 10 * NOISE[4] - (10 * NOISE[4]).mean() - 0.04,
}


def judged(part, results=None, figure="1a", raw=""):
    return correct(list(measure(results or made_up(MADE), figure, Part(says="x", **part), raw)))


def outcome(part, results=None):
    return [(j.outcome, ", ".join(j.notes)) for j in judged(part, results)]


def test_better_is_shown_refuted_or_undecided():
    pairs = [(name, "Random") for name in ("good", "little", "same", "bad", "wild")]
    assert outcome({"better": tuple(pairs)}) == [
        ("shown", ""),
        ("shown", "by less than the margin"),
        ("small at most", ""),
        ("refuted", ""),
        ("undecided", ""),
    ]


WEAK = {
    "Random": RANDOM,
    "weak": RANDOM - 0.01 + 1.2 * NOISE[0] - 1.2 * NOISE[0].mean(),
    "none": RANDOM + 10 * NOISE[4] - (10 * NOISE[4]).mean() - 0.04,
}


@pytest.mark.parametrize("kind", ["better", "no_better"])
def test_a_correction_turns_no_gain_into_its_opposite(kind):
    """A gain of 0.01 whose interval is below zero, among many that show nothing."""
    none = [("none", f"Random @ {n}") for n in range(40)]
    results = in_figures({"1a": WEAK} | {str(n): other_noise(n) for n in range(40)})
    first, *_ = outcome({kind: (("weak", "Random"), *none)}, results)
    assert first == ("small at most", "a gain before the correction")


def other_noise(seed):
    rng = np.random.default_rng(seed)
    return {"Random": rng.random(30)}


def test_copies_of_a_statement_count_once_in_the_family():
    results = in_figures({"1a": WEAK, "9z": WEAK})
    copies = (("weak", "Random"), ("weak @ 9z", "Random @ 9z"))
    once, twice = (judged({"better": copies[:n]}, results)[0].bh for n in (1, 2))
    assert once == twice


def test_better_early_and_worse_at_the_end_is_said():
    crossing = made_up(MADE, ends={"good": RANDOM + 0.3 + NOISE[0]})
    part = Part(says="x", better=(("good", "Random"), ("little", "Random")))
    found = correct(list(measure(crossing, "1a", part)))
    assert [j.outcome for j in found] == ["shown", "shown"]
    assert [j.notes for j in found] == [["the opposite at the end"], ["by less than the margin"]]
    said = "shown (1 of 2 the opposite at the end; 1 of 2 by less than the margin)"
    assert verdict_on(found, 2) == said


def test_what_is_the_same_in_raw_scale_is_not_testable():
    log = MADE | {"good": RANDOM - 0.3 + NOISE[2]}
    results = in_figures({"raw": MADE, "log": log})
    pairs = (("little", "Random"), ("good", "Random"))
    gains = (("little", "Random", "little @ raw", "Random @ raw"),)
    part = {"better": pairs, "smaller_gain": gains}
    said = [j.outcome for j in judged(part, results, "log", "raw")]
    assert said == ["not testable", "shown", "not testable"]
    tests = [len(j.bh) for j in judged(part, results, "log", "raw")]
    assert tests == [0, 3, 0]  # no part of the family
    apart = in_figures({"raw": MADE, "log": MADE | {"little": RANDOM - 0.02 + NOISE[2]}})
    assert judged({"better": pairs}, apart, "log", "raw")[0].outcome == "shown"


def test_a_statement_on_other_figures_alone_is_judged_where_they_are():
    results = in_figures({"raw": MADE, "log": MADE, "other": MADE})
    elsewhere = {"better": (("good @ other", "Random @ other"),)}
    assert judged(elsewhere, results, "log", "raw")[0].outcome == "shown"


def test_every_curve_has_its_replications():
    frame = made_up(MADE).results.filter(pl.col("method").is_in(["Random", "good"]))
    again = frame.filter(pl.col("method") == "Random", pl.col("task") != "0")
    results = prepared(pl.concat([frame, again.with_columns(replication=pl.lit(1, pl.Int64))]))
    claims = Claims("", (Claim("1a", ("plan", "not run"), ()), Claim("9z", ("plan",), ())))
    text = replications_text(claims, [results])
    assert "of 2 curves 0 have the paper's 10 on every task, 2 have one on some" in text
    said = "1 to 2 on 30 tasks: Random; 1 on 30 tasks: good"
    assert text.count("](#figure") == 1
    assert f"| [1a](#figure-1a) | plan | {said} |" in text


def test_gains_may_be_alike():
    like = ("good", "Random", "good2", "Random")
    made = made_up(MADE | {"good2": RANDOM - 0.21 + NOISE[1]})
    assert outcome({"alike_gain": (like,)}, made)[0][0] == "shown"
    unlike = ("little", "Random", "good", "Random")
    assert outcome({"alike_gain": (unlike,)}, made)[0][0] == "refuted"


def test_a_verdict_says_how_much_of_it_was_run():
    part = Part(says="x", better=(("good", "Random"), ("absent", "Random")))
    found = correct(list(measure(made_up(MADE), "1a", part)))
    assert verdict_on(found, 2) == "shown (1 of 2 pairs were run)"


def test_slightly_better_is_refuted_by_the_opposite_alone():
    pairs = (("same", "Random"), ("bad", "Random"), ("little", "Random"))
    found = [word for word, _ in outcome({"better": pairs, "slight": True})]
    assert found == ["undecided", "refuted", "shown"]


def test_lack_of_a_difference_shows_neither_alike_nor_no_better():
    assert outcome({"alike": (("wild", "Random"),)}) == [("undecided", "")]
    assert outcome({"no_better": (("wild", "Random"),)}) == [("undecided", "")]
    assert outcome({"alike": (("same", "Random"), ("good", "Random"))}) == [
        ("shown", ""),
        ("refuted", ""),
    ]
    no_better = (("same", "Random"), ("good", "Random"), ("bad", "Random"))
    assert outcome({"no_better": no_better}) == [
        ("shown", ""),
        ("refuted", ""),
        ("shown", ""),
    ]


def test_gains_are_compared_and_shared():
    gains = {"smaller_gain": (("little", "Random", "good", "Random"),)}
    assert outcome(gains) == [("shown", "")]
    half = {"most_of_gain": (("good", "good", "Random"), ("little", "good", "Random"))}
    assert [word for word, _ in outcome(half)] == ["shown", "refuted"]


def test_statements_that_were_not_run_are_left_out():
    assert outcome({"better": (("Random", "absent"), ("good @ 9z", "Random"))}) == []
    assert verdict_on([], 2) == "not run"
    one = made_up({name: values[:1] for name, values in MADE.items()})  # of one task, no interval
    assert outcome({"better": (("good", "Random"),)}, one) == []


def test_many_tests_need_more_evidence():
    results = in_figures({"1a": WEAK} | {str(n): other_noise(n) for n in range(40)})
    one = outcome({"better": (("weak", "Random"),), "slight": True}, results)
    assert one == [("shown", "")]
    many = (("weak", "Random"), *(("none", f"Random @ {n}") for n in range(40)))
    first, *others = outcome({"better": many, "slight": True}, results)
    assert first == ("undecided", "") and ("shown", "") not in others


def test_a_wider_margin_refutes_more_and_shows_more_alike():
    pairs = (("little", "Random"), ("same", "Random"))
    measured = list(measure(made_up(MADE), "1a", Part(says="x", alike=pairs)))
    narrow, wide = (
        [j.outcome for j in correct(with_margin(measured, factor))] for factor in (0.1, 2)
    )
    assert narrow == ["refuted", "undecided"] and wide == ["shown", "shown"]


def test_cells_without_a_row_are_charged_and_shown_without():
    values = {"Random": np.full(4, 0.5), "empty": np.array([0.1, 0.1, 0.1, np.inf])}
    part = Part(says="x", better=(("empty", "Random"),))
    (found,) = measure(made_up(values), "1a", part)
    assert found.early.mean == pytest.approx((3 * -0.4 + 0.5) / 4) and found.early.n_tasks == 4
    assert found.searched.mean == pytest.approx(-0.4) and found.searched.n_tasks == 3
    (whole,) = measure(made_up(MADE), "1a", Part(says="x", better=(("good", "Random"),)))
    assert whole.searched is None


def test_few_tasks_carry_a_share_of_the_sum():
    assert share_of_few(np.array([-6.0, 1.0, 2.0, 1.0]), 1) == pytest.approx(0.6)
    assert share_of_few(np.zeros(3)) == 0.0


def test_numbers_in_texts_are_looked_up():
    results = made_up({"Random": np.full(3, 0.5), "Box": np.array([0.1, 0.2, np.inf])})
    text = "{plan: Box @ 2}, {plan: Box - Random @ end}, {plan: volume Box}, {plan: no row Box}"
    assert filled(text, "1a", [results]) == "0.433, -0.067, 50 %, 1 of 3 cells"
    assert filled("{plan#1a: ran out Box}", "3a", [results]) == "1 of 3 cells"
    assert filled("{plan: behind Box}", "1a", [results]) == "3 of 3 cells"
    near = made_up({"Random": np.full(3, 0.5), "Box": np.array([0.04, 0.06, 0.0])})
    assert filled("{plan: behind Box}", "1a", [near]) == "1 of 3 cells"
    assert filled("{plan: Ball @ 2} {plan: Box @ 2}", "1a", [results]) == "(not run) 0.433"
    assert filled("{plan: Ball @ 2} {other: Box @ 2}", "1a", [results]) == ""
    with pytest.raises(ValueError, match="no number is called"):
        filled("{plan: Box after 2}", "1a", [results])


def test_no_text_has_a_number_that_is_not_looked_up():
    assert not [line for line in PAGE.read_text().splitlines() if "{" in line and "|" not in line]


def test_verdicts_are_counted():
    assert counted(["shown", "partly: 1 shown, 1 refuted", "shown"]) == "2 shown, 1 partly"
    assert counted(["small at most (2 of 3 pairs were run)"]) == "1 small at most"
    assert counted([]) == "not run"


def test_an_element_is_not_done_if_none_of_its_figures_was_run():
    element = Element("figure 9", "x", "done", figures=("9a", "9b"))
    verdicts = {"9a": ["not run"], "9b": []}
    assert state_of(element, verdicts) == "not"
    assert summary([element], verdicts).endswith("0 done, 0 with a deviation, 1 not done")
    assert state_of(element, verdicts | {"9a": ["not run", "undecided"]}) == "done"
    assert state_of(Element("eq. 9", "x", "done"), {}) == "done"


def test_claims_in_log_scale_name_their_figure_in_raw_scale():
    figures = {claim.figure for claim in read_claims().claim}
    for claim in read_claims().claim:
        is_log = "log scale" in " ".join(part.says + part.asks for part in claim.part)
        assert bool(claim.raw) == is_log and (not claim.raw or claim.raw in figures), claim.figure


@pytest.mark.parametrize("one, other", [("Box Random", "Random"), ("Box GP", "GP")])
def test_pairs_agree_with_plain_numpy(one, other):
    """Pairs of the page from the losses themselves, without the library."""
    rows = pl.read_parquet(HERE / "results" / "sgd.parquet").filter(pl.col("suite") == "sgd")
    by_task = []
    for _, task in rows.group_by("task"):
        best = min(task["loss"].min(), task["best"].min())
        curves_of = {}
        for name in (one, other):
            cells = task.filter(pl.col("figure") == "1a", pl.col("method") == name)
            losses = cells.sort("replication", "trial")["loss"].to_numpy().reshape(-1, 50)
            replications = cells["replication"].unique().sort().to_list()
            regrets = np.minimum((losses - best) / (cells["median"][0] - best), 1)
            curves_of[name] = dict(zip(replications, regrets.mean(axis=1)))
        both = set(curves_of[one]) & set(curves_of[other])
        by_task.append(np.mean([curves_of[one][r] - curves_of[other][r] for r in both]))
    mean, half = np.mean(by_task), 2.0452 * np.std(by_task, ddof=1) / np.sqrt(30)  # t, 29 degrees
    section = PAGE.read_text().split("## Figure 1a\n")[1].split("## Figure 1b")[0]
    (line,) = [x for x in section.splitlines() if f"| {one} better than {other} |" in x]
    shown = [float(x.strip("[],")) for x in line.split("|")[4].split()]
    assert len(by_task) == 30 and shown == pytest.approx([mean, mean - half, mean + half], abs=6e-4)
