"""Command lines, and addresses with a secret in them."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from itertools import product

from fuzz.case import Case
from fuzz.corpus.benchmark import FILES, finished
from fuzz.corpus.formats import SPACE, learned_files
from fuzz.corpus.runs import delimited
from fuzz.corpus.tools import mlflow_database, optuna_database
from fuzz.hostile import TOKEN
from ringfence.space.files import write_space

READ = ["--task", "task", "--objective", "loss"]
QUICK = (
    ["learn", "runs.csv", *READ, "--starts", "0", "-o", "out.json"],
    ["learn", "runs.csv", *READ, "--space", "space.json", "--parameters", "C,depth"],
    ["learn", "runs.csv", *READ, "--shape", "ellipsoid", "--outliers", "0.1", "--refit"],
    ["learn", "runs.csv", *READ, "--top", "0.2", "--average-repeats", "-o", "-"],
    ["learn", "study.db", "--studies", "s*", "--categories", "observed", "--missing", "drop"],
    ["learn", "mlflow.db", "--format", "mlflow", "--option", "experiments=e1", "--seed", "3"],
    ["infer", "runs.csv", *READ, "--ignore", "status", "-o", "space.toml"],
    ["show", "box.json", "--tasks"],
    ["show", "box.json", "--diff", "ball.json"],
    ["sample", "box.json", "-n", "3", "--seed", "0", "--format", "csv"],
    ["sample", "ball.json", "-n", "2", "--format", "table"],
    ["starts", "box.json", "-n", "2", "--format", "table"],
    ["export", "box.json", "--to", "optuna", "-o", "tune.py"],
    ["export", "ball.json", "--to", "ray"],
    ["export", "box.json", "--to", "sklearn"],
    ["bench", "status", "plan.toml", "--store", "store", "--suite", "tiny"],
    ["bench", "table", "plan.toml", "--store", "store", "-o", "all.parquet"],
    ["bench", "table", "results.parquet"],
    ["bench", "fetch", "openml", "nothing", "--data", "tables", "--delay", "0"],
    ["example", "optuna", "-o", "there"],
    ["example"],
    ["learn", "runs.csv", *READ, "--starts", "0", "--hub", "elastic_net/classification"],
    ["learn", "runs.csv", *READ, "--cost", "duration", "--status", "status", "--starts", "0"],
    ["hub", "list"],
    ["hub", "show", "elastic_net", "--task", "classification", "--rows", "500"],
    ["hub", "export", "svm", "--to", "optuna", "-o", "tune.py"],
    ["hub", "export", "mlp", "--to", "json", "--task", "regression"],
    ["export", "off.json", "--to", "optuna"],
    ["show", "off.json", "--tasks"],
    ["--version"],
)  # fmt: skip
SLOW = (
    ["check", "runs.csv", *READ, "--starts", "0", "--format", "json"],
    ["check", "runs.csv", *READ, "--starts", "0", "--require-speedup", "1.5"],
    ["report", "runs.csv", *READ, "--starts", "0", "-o", "out.html"],
    ["show", "box.json", "--plot", "box.svg"],
    ["show", "off.json", "--plot", "off.svg"],
    ["refresh", "runs.csv", *READ, "--starts", "0", "--no-check", "-o", "box.json"],
    ["refresh", "--all", "refresh.toml", "--json"],
    ["bench", "run", "plan.toml", "--store", "store", "--data", "."],
    ["bench", "plot", "results.parquet", "-o", "figures", "--metric", "regret"],
)
REFRESH = b"""task = "task"
objective = "loss"
starts = 0
no_check = true

[[space]]
source = "runs.csv"
output = "box.json"

[[space]]
source = "runs.csv"
output = "new.json"
shape = "ellipsoid"
parameters = ["C", "depth"]
"""
"""A plan of refreshes: one of a space that is there, one that begins."""
SCHEMES = (
    "http", "https", "postgresql", "postgres", "mysql", "mysql+pymysql", "mssql", "oracle",
    "sqlite", "jdbc:postgresql", "databricks", "file", "ftp", "duckdb", "snowflake",
    "postgresql+nothing",
)  # fmt: skip
PATTERNS = (
    "{s}://me:{t}@localhost:1/db", "{s}://{t}@localhost:1/db", "{s}://localhost:1/db?token={t}",
    "{s}://localhost:1/db?password={t}&x=1", "{s}://localhost:1/{t}/db",
    "{s}:/me:{t}@localhost:1/db", "{s}:me:{t}@localhost:1/db", "{s}://me:{t}@[::1/db", "{s}://me:{t}@localhost:port/db",
    "{s}://localhost:1/db#{t}", "{s}//me:{t}@localhost/db", "{s}://me:{t}%40@localhost:1/d%zz",
    " {s}://me:{t}@localhost:1/db", "{s}://me:{t}@localhost:1\n/db",
    "{s}:/me:{t}/db", "{s}//me:{t}:localhost/db", "{s}:me:{t}:localhost", "{s}//{t}:x/db",
    "{s}://localhost:1;user=me;password={t}", "host=localhost user={s} password={t}",
)  # fmt: skip
FORMATS = (None, "mlflow", "optuna", "csv", "hpob", "openml", "raytune", "wandb", "ibis")


def files() -> dict[str, bytes]:
    """All that a command line may name."""
    cells, table = finished()
    box, ball = learned_files()[:2]
    return {
        "runs.csv": delimited(),
        "study.db": optuna_database(),
        "mlflow.db": mlflow_database(),
        "space.json": write_space(SPACE, ".json").encode(),
        "box.json": box,
        "ball.json": ball,
        "off.json": learned_files()[5],
        "refresh.toml": REFRESH,
        "results.parquet": table,
        **{name: content for name, content in FILES.items() if name != "runs.csv"},
        **cells,
    }


def named(arguments: list[str]) -> dict[str, bytes]:
    """The files that a command line needs."""
    plan, refresh = "plan.toml" in arguments, "refresh.toml" in arguments
    return {
        name: content
        for name, content in files().items()
        if name in arguments
        or (plan and (name.startswith("store/") or name in ("runs.csv", "tiny.toml")))
        or (refresh and name in ("runs.csv", "box.json"))
    }


def _commands(lines: tuple[list[str], ...], target: str) -> list[Case]:
    return [Case(target, named(line), arguments=tuple(line)) for line in lines]


def _addresses() -> list[Case]:
    for package in ("mlflow", "ibis", "openml"):  # which take seconds: no input is to blame for it
        with suppress(ImportError):
            import_module(package)
    return [
        Case("address", {}, pattern.format(s=scheme, t=TOKEN), {} if f is None else {"format": f})
        for pattern, scheme, f in product(PATTERNS, SCHEMES, FORMATS)
    ]


CORPORA = {
    "commands": lambda: _commands(QUICK, "commands"),
    "slow-commands": lambda: _commands(SLOW, "slow-commands"),
    "address": _addresses,
}
