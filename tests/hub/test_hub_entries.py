"""Every entry of the hub keeps what a learned space promises and says how it was judged."""

from __future__ import annotations

import ast
from dataclasses import replace
from importlib import resources

import jsonschema
import msgspec
import pytest
from benchmarks.torture.promises import broken_promise

import ringfence as rf
from processes import ringfence
from ringfence.adapters import TOOLS
from ringfence.adapters.export import snippet
from ringfence.adapters.sklearn.estimators import ESTIMATORS
from ringfence.learned.file import decode, schema
from ringfence.learned.file_format import encode
from ringfence.learned.hub import past
from ringfence.learned.hub.entries import beyond, decode_entry, names, past_of
from ringfence.learned.hub.past import TASK, rows_of

FOLDER = resources.files("ringfence") / "data" / "hub"
PARTS = [(name, part.key) for name in names() for part in rf.hub()[name].record.parts]
MOST_BYTES = 2_000_000
"""By which the hub may make the package larger."""
MOST_TASKS = 64
"""Of which an entry keeps rows, if they are many a task."""
FREE = {"botorch", "cmaes", "neps"}
"""Tools that know no conditions."""
NUMBERS = {"cmaes"}
"""Tools that know numbers alone."""


def part_of(name: str, key: str):
    return next(part for part in rf.hub()[name].record.parts if part.key == key)


def space_of(name: str, key: str) -> rf.LearnedSpace:
    return decode(bytes(part_of(name, key).space), name)


@pytest.mark.parametrize(("name", "key"), PARTS)
def test_an_entry_is_a_learned_space_like_any_other(name, key, tmp_path):
    learned = space_of(name, key)
    assert broken_promise(learned) is None
    configs = learned.sample(20, seed=0)
    assert all(learned.contains(config) for config in configs)
    assert all(learned.contains(config) for config in learned.starts())
    assert len(learned.starts(5)) == 5
    learned.save(tmp_path / "learned.json")
    again = rf.load(tmp_path / "learned.json")
    assert again == learned and again.hub == f"{name}/{key}"
    jsonschema.validate(msgspec.json.decode(encode(learned)), schema())


@pytest.mark.parametrize(("name", "key"), PARTS)
def test_an_entry_goes_to_every_tool(name, key):
    learned = space_of(name, key)
    conditional = bool(learned.space.conditions)
    mixed = bool(learned.space.unordered_choices())
    for tool in TOOLS:
        if (conditional and tool in FREE) or (mixed and tool in NUMBERS):
            continue
        program = snippet(learned, "", tool, "rf.hub('it')")
        calls = [ast.unparse(node) for node in ast.walk(ast.parse(program))]
        assert "rf.hub('it')" in calls and not any("rf.load" in call for call in calls)


@pytest.mark.parametrize("name", names())
def test_a_search_knows_the_past_of_a_dense_entry(name):
    entry = rf.hub()[name]
    kind = entry.record.parts[0].task
    learned = rf.hub(name, task=None if kind == "any" else kind)
    past = past_of(learned)
    assert (past is not None) == entry.record.dense
    outcome = rf.minimize(lambda config: float(len(str(config))), learned, n_trials=3, guard=0)
    assert outcome.optimizer.name == ("transfer" if entry.record.dense else "gp")
    assert all(learned.contains(trial.config) for trial in outcome.trials)
    if not entry.record.dense:
        assert [trial.config for trial in outcome.trials] == learned.starts(3)


@pytest.mark.parametrize(("name", "key"), PARTS)
def test_the_rows_that_are_kept_are_those_of_the_part(name, key):
    part, learned = part_of(name, key), space_of(name, key)
    history = rf.hub()[name].history(part.task, part.up_to or (part.above or 0) + 1 or None)
    assert set(history.tasks) <= {task.name for task in learned.tasks}
    assert len(learned.tasks) == part.tasks
    assert len(history.tasks) == part.tasks or rows_of(name)[TASK].n_unique() == MOST_TASKS
    best = {task.name: task.value for task in learned.tasks}
    rows = history.frame.group_by("task").min()
    for task, loss in zip(rows["task"], rows["loss"]):
        assert loss == pytest.approx(best[task], rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("name", names())
def test_an_entry_says_where_it_is_from_and_how_it_was_judged(name):
    record = rf.hub()[name].record
    text = str(rf.hub()[name])
    for said in (record.about, record.source, record.licence):
        assert said and said in text
    for part in record.parts:
        evidence, share = part.evidence, space_of(name, part.key).volume_fraction
        assert evidence.volume == pytest.approx(share, abs=1e-3)
        assert evidence.is_smallest != (evidence.covered >= 0.9 and evidence.volume <= 0.5)
        assert part.data_sets >= 10 and part.rows[0] <= part.rows[1]
        for edge in part.edges:
            assert f"the declared range clips {edge.parameter}: " in text


def test_the_whole_hub_is_small():
    assert sum(len(file.read_bytes()) for file in FOLDER.iterdir()) < 2.5 * MOST_BYTES
    packed = [msgspec.json.encode(0), *(_packed(file.read_bytes()) for file in FOLDER.iterdir())]
    assert sum(map(len, packed)) < MOST_BYTES


def _packed(content: bytes) -> bytes:
    import zlib

    return zlib.compress(content)


def test_the_table_names_every_entry():
    hub = rf.hub()
    assert [entry.name for entry in hub] == sorted(names()) and len(hub) == len(names())
    for text in (str(hub), hub._repr_html_(), repr(hub)):
        assert all(name in text for name in names())
    assert "lightgbm" in hub and hub["lightgbm"] in hub and "nothing" not in hub


def test_the_table_counts_the_data_sets_of_both_kinds_of_task():
    record = rf.hub()["elastic_net"].record  # a logistic and a linear regression
    by_kind = [part.data_sets for part in record.parts if part.sizes == "any size"]
    assert sum(by_kind) > record.data_sets > max(by_kind)  # one data set has a task of each kind
    row = next(line for line in str(rf.hub()).splitlines() if line.startswith("elastic_net"))
    assert f" {record.data_sets} " in row
    for kind in ("classification", "regression"):
        assert f" {kind}: regret after 5 starts" in row
    one = rf.hub()["knn"].record
    assert one.data_sets == max(part.data_sets for part in one.parts)


def test_rows_and_task_choose_the_part():
    for name in names():
        entry = rf.hub()[name]
        for part in entry.record.parts:
            for rows in {part.up_to, part.above and part.above + 1} - {None}:
                assert entry.part(part.task, rows) is part
                assert rf.hub(name, task=part.task, rows=rows).hub == f"{name}/{part.key}"
            if part.up_to is None and part.above is None:
                assert entry.part(part.task) is part


def test_data_far_from_all_that_is_known_are_told():
    name = "catboost-tabr"
    most = rf.hub()[name].part().rows[1]
    assert "the hub knows data of" in str(rf.hub(name, rows=100 * most))
    assert "the hub knows data of" not in str(rf.hub(name, rows=most))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: rf.hub("catbost-tabr"), "did you mean 'catboost-tabr'"),
        (lambda: rf.hub("LightGBM"), "did you mean 'lightgbm'"),
        (lambda: rf.hub("lightgbm/regression"), "another argument: rf.hub"),
        (lambda: rf.hub("catboost-tabr", task="ranking"), "task must be 'classification'"),
        (lambda: rf.hub("catboost-tabr", rows=0), "rows must be"),
        (lambda: rf.hub("svm", task="regression"), "knows no task 'regression'"),
        (lambda: rf.hub("elastic_net"), "say task='classification'"),
        (lambda: rf.hub(rows=3), "name one"),
        (lambda: rf.hub()["nothing"], "no entry 'nothing'"),
    ],
)
def test_mistakes_are_one_line(call, says):
    with pytest.raises(rf.SettingError, match=says) as error:
        call()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("damage", ["cut", "unknown", "version", "nested", "partial"])
def test_a_damaged_entry_is_refused_in_a_line(damage):
    content = (FOLDER / "catboost-tabr.json").read_bytes()
    broken = {
        "cut": content[: len(content) // 2],
        "unknown": content.replace(b'"learner"', b'"lerner"', 1),
        "version": content.replace(b'"version": 1', b'"version": 2', 1),
        "nested": b"[" * 100_000,
        "partial": content.replace(b'"task": "any"', b'"task": "any", "above": 9', 1),
    }[damage]
    assert broken != content
    with pytest.raises(rf.FileError, match="no entry of the hub") as error:
        decode_entry(broken, "it")
    assert "\n" not in str(error.value)


def test_numbers_of_rows_of_any_size_are_compared():
    part = rf.hub()["catboost-tabr"].part()
    huge = msgspec.structs.replace(part, rows=(10**400, 10**401))
    assert beyond(huge, 10**400) == [] and len(beyond(huge, 5)) == 1


def test_rows_without_a_parameter_are_refused_in_a_line(monkeypatch):
    entry = rf.hub()["knn"]
    frame = past.rows_of("knn").drop("n_neighbors")
    monkeypatch.setattr(past, "rows_of", lambda name: frame)
    past._history.cache_clear()
    with pytest.raises(rf.FileError, match="the hub's 'knn' has no rows of 'n_neighbors'"):
        entry.history()
    past._history.cache_clear()


@pytest.mark.parametrize("hub", ["knn/any", "../../etc/passwd", "knn/../x", "x\x1b[31m", "/"])
def test_a_space_that_says_falsely_that_it_is_of_the_hub_is_one_of_its_own(hub, tmp_path):
    learned = replace(rf.learn(rf.example_history(), starts=0), hub=hub)
    learned.save(tmp_path / "learned.json")
    again = rf.load(tmp_path / "learned.json")
    assert past_of(again) is None and "\x1b" not in str(again)
    assert again.contains(rf.optimizer("random", again, seed=0, guard=None).ask().config)


def test_what_held_for_all_runs_is_told_wherever_a_space_goes(tmp_path):
    """Without subsample_freq, LightGBM's subsample does nothing."""
    needs = rf.hub()["lightgbm"].record.needs
    assert "subsample_freq=1" in needs
    assert f"to be set, too: {needs}" in str(rf.hub("lightgbm"))
    assert f"to be set, too: {needs}" in str(rf.hub()["lightgbm"])
    program = ringfence("hub", "export", "lightgbm", "--to", "optuna").stdout
    assert program.startswith(f"# To be set, too: {needs}.\n") and compile(program, "it", "exec")
    assert "To be set" not in ringfence("hub", "export", "lightgbm", "--to", "sklearn").stdout
    for known in ESTIMATORS.values():
        told = rf.hub()[known.entry].record.needs
        assert all(f"{name}={value!r}" in told for name, value in known.fixed.items())


def test_the_command_line_lists_shows_and_exports(tmp_path):
    listed = ringfence("hub", "list")
    assert listed.returncode == 0 and all(name in listed.stdout for name in names())
    shown = ringfence("hub", "show", "catboost-tabr", "--task", "regression")
    assert "left-out optima inside" in shown.stdout and "learning_rate" in shown.stdout
    command = ("hub", "export", "catboost-tabr", "--rows", "500", "--to")
    program = ringfence(*command, "optuna").stdout
    assert "learned = rf.hub('catboost-tabr', rows=500)" in program
    saved = ringfence(*command, "json", "-o", "space.json", cwd=tmp_path)
    assert saved.returncode == 0, saved.stderr
    assert rf.load(tmp_path / "space.json") == rf.hub("catboost-tabr", rows=500)
    hidden = ringfence(*command, "optuna", "-o", "optuna.py", cwd=tmp_path)
    assert hidden.returncode == 1 and "would hide the package" in hidden.stderr


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("xgboost-tabr", "n_estimators=4000 and early_stopping_rounds=200"),
        ("lightgbm-tabr", "n_estimators=4000, and pass early_stopping(200)"),
        ("catboost-tabr", "iterations=4000 and early_stopping_rounds=200"),
        ("lightgbm-tabrepo", "n_estimators=10000, and pass early_stopping"),
    ],
)
def test_published_boosting_says_what_was_set_beside_what_was_tuned(name, needs):
    assert f"To run it so, set {needs}" in " ".join(str(rf.hub()[name]).split())
