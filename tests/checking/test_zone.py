"""The no-go zone in a check and in a report."""

from __future__ import annotations

import ringfence as rf
from failing import SPACE, history_of, runs_of


def test_a_check_finds_the_zone_anew_without_each_task():
    check = rf.check(history_of(runs_of()), SPACE, starts=0)
    zone = check.zone
    assert zone is not None
    assert zone.zone == rf.learn(history_of(runs_of()), SPACE, starts=0).zone
    assert (zone.tasks, zone.best_inside) == (4, ())
    assert 0 < zone.claimed <= 4
    assert 0.8 * zone.runs <= zone.failed <= zone.runs
    lines = str(check).splitlines()
    assert f"no-go zone: {zone.zone.rule}{zone.zone.remark}" in lines
    said = next(line for line in lines if line.startswith("without each task in turn"))
    assert f"the others have a zone for {zone.claimed} of 4" in said
    assert f"{zone.failed} of {zone.runs} runs of those tasks in it failed" in said
    assert "the best run of 0 of them lies in it" in said


def test_random_failures_leave_a_check_as_it_is():
    kept, ignored = (
        rf.check(history_of(runs_of(rate=0.1), failures), SPACE, starts=3)
        for failures in ("keep", "ignore")
    )
    assert kept.zone is None
    assert kept.starts == ignored.starts
    assert kept.speed_ups == ignored.speed_ups


def test_a_report_draws_the_zone(tmp_path):
    rf.report(history_of(runs_of()), SPACE, path=tmp_path / "a.html", starts=0)
    page = (tmp_path / "a.html").read_text("utf-8")
    zone = rf.learn(history_of(runs_of()), SPACE, starts=0).zone
    assert zone is not None
    assert 'id="zone"' in page
    assert f"failed in {zone.failed} of {zone.runs} runs" in page
    assert page.count('class="failed"') == page.count('class="finished"') == 2
    rf.report(history_of(runs_of(rate=0.1)), SPACE, path=tmp_path / "b.html", starts=0)
    assert 'id="zone"' not in (tmp_path / "b.html").read_text("utf-8")
