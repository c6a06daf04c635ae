"""The numbers of docs/transfer.md are what the committed results give, and means are right."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from benchmarks.transfer_curves import Curves, by_target, unsolved_table, worth_table
from benchmarks.transfer_page import FIFTY, filled, main


def cell(table: str, method: str, target: str, curve: list[float], seed: int = 0) -> dict:
    key = {"table": table, "method": method, "target": target, "draw": 0, "seed": seed}
    return {**key, "regret": curve, "cpu": 0.001}


def made() -> Curves:
    """Two tables of three targets; transfer is a tenth below random, and gp equal at the end."""
    cells = []
    for table, level in (("mlp_hpobench", 0.5), ("fcnet_tabular", 0.7)):
        for number, target in enumerate("abc"):
            start = level + 0.01 * number
            falling = np.linspace(start, start - 0.4, 50)
            for seed, noise in enumerate((0.02, -0.02)):
                cells.append(cell(table, "random", target, (falling + noise).tolist(), seed))
            cells.append(cell(table, "transfer", target, (falling - 0.1).tolist()))
            off = 0.02 * (number - 1)
            cells.append(cell(table, "gp", target, [*falling[:-1], falling[-1] - 0.1 + off]))
    return Curves(by_target(cells))


def test_the_pages_are_what_the_results_give(capsys):
    assert main(["--check"]) == 0, capsys.readouterr().out


def test_results_are_small_and_every_method_has_every_target():
    assert FIFTY.stat().st_size < 2_000_000
    found = Curves(pl.read_parquet(FIFTY)).by_target
    for table in {table for table, _ in found}:
        targets = {frozenset(own) for (name, _), own in found.items() if name == table}
        assert len(targets) == 1, table


def test_a_target_counts_by_the_mean_of_its_cells_and_a_table_once():
    curves = made()
    assert curves.curve("mlp_hpobench", "random")[0] == pytest.approx(0.51)
    assert curves.over(curves.tables, "random")[49] == pytest.approx((0.11 + 0.31) / 2)


def test_differences_are_paired_by_target():
    curves = made()
    gap = curves.gap("mlp_hpobench", "transfer", "random", 5)
    assert gap.mean == pytest.approx(-0.1) and gap.high - gap.low < 1e-6
    assert gap.answer == "better"
    last = curves.gap("mlp_hpobench", "transfer", "gp", 50)
    # offsets -0.02, 0, 0.02: standard error 0.02 / √3, t with two degrees of freedom 4.303
    assert last.mean == pytest.approx(0.0, abs=1e-9) and last.answer == "no difference seen"
    assert last.high == pytest.approx(4.3027 * 0.02 / 3**0.5, rel=1e-4)
    both = curves.gap_over(curves.tables, "gp", "transfer", 50)
    assert both.high == pytest.approx(1.96 * 0.02 / 3**0.5 / 2**0.5, rel=1e-4)


def test_trials_to_what_random_search_has_after_fifty():
    curves = made()
    # transfer is where random ends once it has fallen by 0.3 of the 0.4
    assert curves.needed("mlp_hpobench", "transfer") == str(1 + int(np.ceil(49 * 0.3 / 0.4)))
    assert curves.needed("mlp_hpobench", "random") == "50"


def test_a_page_without_the_place_for_a_table_is_refused():
    page = "a\n<!-- numbers: one -->\nold\n<!-- end -->\nb"
    assert filled(page, {"one": "| 1 |"}) == "a\n<!-- numbers: one -->\n| 1 |\n<!-- end -->\nb"
    with pytest.raises(ValueError, match="numbers: two"):
        filled(page, {"two": ""})


def test_a_mean_is_worth_so_many_trials_of_others():
    rows = worth_table(made(), ["random", "transfer"]).splitlines()[2:]
    # transfer is 0.1 below random: at trial 5 where random is a quarter of its fall later
    later = 5 + int(np.ceil(49 * 0.1 / 0.4))
    sooner = 1 + int(np.ceil(49 * 0.3 / 0.4))
    assert rows[0].startswith("| random | 5 | 50 | > 50 |")
    assert rows[1] == f"| transfer | {later} | {sooner} | 50 |"


def test_targets_that_are_not_solved_are_listed():
    solved = [cell("mlp_hpobench", "gp", "a", [0.5] * 49 + [0.0])]
    listed = unsolved_table(
        Curves(by_target([*solved, cell("mlp_hpobench", "gp", "b", [0.3] * 50)]))
    )
    assert listed.splitlines()[2:] == ["| mlp_hpobench | b | gp | 0.300 |"]
