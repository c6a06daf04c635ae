"""Tables from HPO-B's files, in the layout of its download."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import polars as pl
import pytest

from processes import ringfence
from ringfence.bench.fetch.hpob import make_tables
from ringfence.bench.suites import SuiteSource, load_suite
from ringfence.bench.suites.description import read_description
from ringfence.bench.suites.loading import DESCRIPTIONS
from ringfence.errors import FileError, HistoryError

WIDTHS = {"5891": 8, "6767": 18, "6794": 10, "4796": 3}


def entry(seed, n, width):
    rng = np.random.default_rng(seed)
    return {"X": rng.uniform(size=(n, width)).tolist(), "y": rng.uniform(size=(n, 1)).tolist()}


@pytest.fixture
def source(tmp_path):
    """HPO-B's folder: four search spaces, data sets 10 and 11 to learn on, 12 and 13 apart."""
    home = tmp_path / "download" / "hpob-data"
    home.mkdir(parents=True)
    for i, (part, names) in enumerate(
        [("train", ["10", "11"]), ("validation", ["12"]), ("test", ["13"])]
    ):
        content = {
            space: {name: entry(10 * i + j, 20, width) for j, name in enumerate(names)}
            for space, width in WIDTHS.items()
        }
        (home / f"meta-{part}-dataset.json").write_text(json.dumps(content))
    (home / "meta-train-dataset-augmented.json").write_text("not read")
    known = {"4796": {"variables_order": ["cp", "max depth", "minsplit.na"]}}
    (home / "meta-dataset-descriptors.json").write_text(json.dumps(known))
    return home.parent


def test_a_table_has_the_data_sets_of_all_files_under_the_names_of_its_description(
    source, tmp_path
):
    made = make_tables(source, ["5891", "6767", "6794"], tmp_path / "tables")
    assert [(m.tasks, m.rows, m.outside) for m in made] == [(4, 80, 0)] * 3
    for one, space in zip(made, ("5891", "6767", "6794")):
        names = list(read_description(DESCRIPTIONS / f"hpob_{space}.toml")[1])
        table = pl.read_parquet(one.table)
        assert table.columns == ["task", "accuracy", *names]
        expected = entry(20, 20, WIDTHS[space])
        last = table.filter(pl.col("task") == "13")
        assert last[names].to_numpy().tolist() == expected["X"]
        assert last["accuracy"].to_list() == [y for (y,) in expected["y"]]
        suite = load_suite(SuiteSource(f"hpob_{space}", (str(tmp_path / "tables"),)))
        assert suite.tasks == ("10", "11", "12", "13")
        best = min(1 - y for (y,) in expected["y"])
        assert suite.reference("13").best == pytest.approx(best)


def test_the_zip_gives_the_same_table(source, tmp_path):
    with zipfile.ZipFile(tmp_path / "hpob-data.zip", "w") as archive:
        for path in source.rglob("*.json"):
            archive.write(path, path.relative_to(source))
    (unpacked,) = make_tables(source, ["5891"], tmp_path / "a")
    (zipped,) = make_tables(tmp_path / "hpob-data.zip", ["5891"], tmp_path / "b")
    assert unpacked.table.read_bytes() == zipped.table.read_bytes()


def test_any_other_search_space_gets_a_description(source, tmp_path):
    (made,) = make_tables(source, ["4796"], tmp_path)
    assert made.description == tmp_path / "hpob_4796.toml"
    suite = load_suite(SuiteSource(str(made.description)))
    assert list(suite.space) == ["cp", "max depth", "minsplit.na"] and len(suite.tasks) == 4
    (source / "hpob-data" / "meta-dataset-descriptors.json").unlink()
    (made,) = make_tables(source, ["4796"], tmp_path / "unnamed")
    assert list(read_description(made.description)[1]) == ["x0", "x1", "x2"]


def test_values_that_are_not_scaled_are_counted(source, tmp_path):
    path = source / "hpob-data" / "meta-test-dataset.json"
    content = json.loads(path.read_text())
    content["4796"]["13"]["X"][7][1] = 1.5
    path.write_text(json.dumps(content))
    (made,) = make_tables(source, ["4796"], tmp_path)
    assert made.outside == 1
    suite = load_suite(SuiteSource(str(made.description)))
    assert len(suite.candidates("13", "raw")) == 19


def test_what_is_wrong_is_said(source, tmp_path):
    with pytest.raises(HistoryError, match="no search space '1'; it has 4796, 5891, 6767, 6794"):
        make_tables(source, ["1"], tmp_path)
    with pytest.raises(FileError, match=r"none of HPO-B's files: meta-train-dataset\.json"):
        make_tables(tmp_path / "nowhere", ["5891"], tmp_path)
    (tmp_path / "cut.zip").write_bytes(b"PK")
    with pytest.raises(FileError, match=r"cut\.zip cannot be read as zip"):
        make_tables(tmp_path / "cut.zip", ["5891"], tmp_path)
    path = source / "hpob-data" / "meta-train-dataset.json"
    path.write_text(json.dumps({"5891": {"10": entry(0, 5, 7)}}))
    (source / "hpob-data" / "meta-test-dataset.json").unlink()
    (source / "hpob-data" / "meta-validation-dataset.json").unlink()
    with pytest.raises(HistoryError, match="search space 5891 has 7 columns, not 8"):
        make_tables(source, ["5891"], tmp_path)


def test_the_command_makes_what_the_benchmark_runs_on(source, tmp_path):
    def bench(*words):
        made = ringfence("bench", *words, cwd=tmp_path)
        return made.returncode, made.stdout + made.stderr

    code, said = bench("fetch", "hpob", source, "4796")
    assert code == 0
    assert said == (
        "tables/hpob_4796.parquet: 80 evaluations of 4 data sets\n"
        "described by tables/hpob_4796.toml\n"
    )
    (tmp_path / "small.toml").write_text(
        'name = "small"\n[[experiment]]\nfigure = "3a"\ntitle = "made up"\n'
        'suites = ["tables/hpob_4796.toml"]\nmethods = ["Random", "Box Random"]\n'
        "replications = 1\ntrials = 3\n"
    )
    code, said = bench("run", "small.toml")
    assert code == 0 and said == "8 cells finished, 0 failed\n"
    code, said = bench("fetch", "hpob", "nowhere")
    assert code == 1 and said.startswith("ringfence: there is no file nowhere; get it with")
    packed = tmp_path / "packed.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in source.rglob("*.json"):
            archive.write(path, path.name)
    code, said = bench("fetch", "hpob", packed, "4796")
    assert code == 1 and "not the 261,011,374 of the published file" in said
    code, said = bench("fetch", "hpob", packed, "4796", "--unchecked")
    assert code == 0 and "80 evaluations of 4 data sets" in said
