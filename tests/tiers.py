"""Which tests `make quick` runs: lint and types aside, the core's, without servers and processes.

`make test` runs all but those marked slow, `make test-all` all. Slow is what a cheaper test already
covers pair by pair (covering.py) or with fewer repetitions.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

HERE = Path(__file__).parent
QUICK = (
    "space/*",
    "regions/*",
    "fit/*",
    "history/*",
    "history/readers/test_bad_input.py",
    "history/readers/test_damaged.py",
    "history/readers/test_dispatch.py",
    "history/readers/test_hpob.py",
    "history/readers/test_runs.py",
    "history/readers/test_smac.py",
    "history/readers/test_synetune.py",
    "history/readers/test_wandb.py",
    "incoming/test_parsing.py",
    "checking/test_checking.py",
    "checking/test_flags.py",
    "optimize/test_acquisition.py",
    "optimize/test_core.py",
    "optimize/test_gp.py",
    "optimize/test_hyperband.py",
    "optimize/test_optimizer.py",
    "test_architecture.py",
    "test_covering.py",
    "test_docs.py",
    "test_gauge.py",
    "test_learn.py",
    "test_learned_file.py",
    "test_mixtures.py",
    "test_perturbation.py",
    "test_writing.py",
)
"""Files, below tests/."""
NOT_QUICK = {
    "test_parquet_with_flipped_bytes_never_breaks_the_process",
    "test_the_python_of_the_readme_runs",
    "test_the_commands_of_the_readme_run",
    "test_the_same_seed_gives_the_same_draws_in_another_process",
    "test_the_same_seed_gives_the_same_sequence_in_another_process",
    "test_one_outlier_task_blows_the_box_up_and_is_named",
    "test_unrelated_tasks_are_not",
    "test_a_check_leaves_each_task_out_of_the_union",
}
"""Tests in these files that take too long or start processes."""


def is_quick(path: Path) -> bool:
    """Whether a file is one of QUICK."""
    name = PurePosixPath(path.relative_to(HERE))
    return str(name) in QUICK or f"{name.parent}/*" in QUICK


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Of `-m quick` the other files need not even be imported."""
    asked = config.getoption("markexpr") == "quick" and collection_path.suffix == ".py"
    return True if asked and not is_quick(collection_path) else None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what is quick."""
    name = getattr(item, "originalname", item.name)
    if is_quick(item.path) and name not in NOT_QUICK and not item.get_closest_marker("slow"):
        item.add_marker(pytest.mark.quick)
