"""The no-go zone in a check and in a report."""

from __future__ import annotations

from dataclasses import replace

import msgspec

import ringfence as rf
from failing import SPACE, history_of, runs_of
from ringfence.checking.display.text import zone_lines as checked_lines
from ringfence.learned.text import zone_lines


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


def test_of_many_tasks_it_is_said_that_some_were_looked_at():
    learned = rf.learn(history_of(runs_of()), SPACE, starts=0)
    assert "runs (4 tasks), about" in zone_lines(learned)[0]
    many = replace(learned, tasks=learned.tasks * 750)
    said = "runs (4 of 3,000 tasks, of which a random choice was looked at), about"
    assert said in zone_lines(many)[0]
    zone = rf.check(history_of(runs_of()), SPACE, starts=0).zone
    assert zone is not None
    assert "of 4; " in checked_lines(zone)[1]
    assert "of 400 tasks looked at; " in checked_lines(msgspec.structs.replace(zone, tasks=400))[1]


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
