"""Nothing that arrives from outside breaks: what broke once, and a short run of `make fuzz`."""

from __future__ import annotations

from collections import Counter

import pytest
from fuzz.campaign import Campaign
from fuzz.case import Case
from fuzz.corpus import CORPORA, corpus, regressions
from fuzz.inputs import make, safe
from fuzz.outcome import Outcome
from fuzz.targets import SELF_TEST, TARGETS
from fuzz.watch import watch
from fuzz.worker import Batch, Report

SHORT = {
    "commands": 50, "slow-commands": 3, "mlruns": 40, "csv": 60, "xlsx": 60, "store": 40,
    "long": 20,
}  # fmt: skip
"""Inputs of slow targets in the short run."""
OTHERS = 120
"""Inputs of each other target; two thousand in all, in some seconds."""
ADDRESS = "address"
"""A target whose readers import packages for seconds."""
PATIENCE = 300.0
"""Seconds for one input: a busy machine is no hang."""


def watched(batches, patience=PATIENCE):
    """Failures of the batches, and how many inputs were tried."""
    left, failures, counts = list(batches), {}, Counter()

    def done(report):
        counts.update(report.counts)
        failures.update({(report.batch.target, n): outcome for n, outcome in report.failures})

    def broken(target, number, outcome):
        counts[outcome.kind] += 1
        failures[target, number] = outcome

    watch(
        lambda: left.pop() if left else None,
        done,
        broken,
        jobs=1,
        patience=patience,
    )
    return failures, counts


def test_what_broke_once_is_fine_or_refused_in_a_line():
    paths = regressions()
    failures, counts = watched([Batch("regressions", 0, len(paths))])
    assert not failures, {paths[n].name: outcome for (_, n), outcome in failures.items()}
    assert counts.total() == len(paths) > 100


def test_a_short_run_finds_nothing():
    targets = [target for target in TARGETS if target not in (SELF_TEST, ADDRESS)]
    failures, counts = watched(Batch(t, 0, SHORT.get(t, OTHERS)) for t in targets)
    assert not failures, failures
    assert sum(counts.values()) == sum(SHORT.get(target, OTHERS) for target in targets)
    assert counts["fine"] > 300 and counts["refused"] > 300  # most are damaged, not all are junk


@pytest.mark.parametrize("target", [t for t in TARGETS if t not in (SELF_TEST, ADDRESS)])
def test_what_is_not_damaged_is_read(target):
    """Else every damaged input is refused for the same reason, and the target tries nothing."""
    failures, counts = watched([Batch(target, 0, len(corpus(target)))])
    assert not failures
    assert counts["fine"] > 0


@pytest.mark.slow
def test_no_address_gives_its_secret_away():
    failures, counts = watched([Batch(ADDRESS, 0, 3000)])
    assert not failures and counts.total() == 3000


@pytest.mark.parametrize("target", [name for name in CORPORA if name != ADDRESS])
def test_an_input_has_a_number_and_can_be_kept(target):
    for number in range(0, 60, 3):
        case = make(target, number)
        assert case == make(target, number) == Case.from_text(case.to_text())


def test_a_campaign_goes_on_where_the_last_one_ended(tmp_path):
    first = Campaign(tmp_path, ["csv"], 60.0)
    batch = first.batch()
    failure = (batch.first + 5, Outcome("KeyError", "learning.py:learn"))
    for _ in range(2):  # a kind of failure is kept once
        first.done(Report(batch, 0.1, Counter(fine=7, KeyError=1), [failure]))
    first.save()
    second = Campaign(tmp_path, ["csv"], 60.0)
    assert second.batch().first == batch.count and second.tried == 16
    (kept,) = (tmp_path / "failures").iterdir()
    assert Case.from_text(kept.read_text()) == make("csv", 5)
    assert [count for _, _, count in first.failures.values()] == [2]


@pytest.mark.parametrize("word", ["/etc/passwd", "//x", "--output=/x", "../../x", "~/x"])
def test_no_command_line_leads_out_of_its_folder(word):
    assert not safe(word).startswith(("/", "~")) and "=/" not in safe(word)
    assert safe(word).count("..") <= 1


@pytest.mark.slow
def test_hangs_crashes_and_all_else_that_is_wrong_is_noticed():
    failures, counts = watched([Batch(SELF_TEST, 0, 9)], patience=5.0)
    assert counts.total() == 9 and counts["fine"] == 1
    kinds = [outcome.kind for _, outcome in sorted(failures.items())]
    assert kinds == [
        "hang", "crash", "MemoryError", "noise", "SystemExit", "leak", "several-lines",
        "control-characters",
    ]  # fmt: skip
