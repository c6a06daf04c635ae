"""What is called with a case. Each call does what a user would do with such a file."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import ringfence as rf
from fuzz.case import Case
from fuzz.hostile import TOKEN
from fuzz.outcome import LONGEST_MESSAGE, Flaw, unsafe_in
from ringfence.learned.file import decode
from ringfence.learned.file_format import encode

TOOLS = ("optuna", "configspace", "smac", "ray", "botorch", "ax", "sklearn", "cmaes", "hyperopt")
SERVERS = (
    "http", "https", "postgresql", "postgres", "mysql", "mysql+pymysql", "mssql", "oracle",
    "databricks", "ftp", "snowflake", "postgresql+nothing", "jdbc:postgresql",
)  # fmt: skip
"""Schemes of servers, whose addresses hold passwords."""
NUMBER = re.compile(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?(?:$|[,;|\t\"])")
"""A number that a cell begins with, up to the next one."""
NESTED = 30
"""Levels of a row of JSON of which polars cannot make a column, so that we never see a table."""
EXITS = (0, 1, 2, 3)
"""Done, refused, wrong usage or a check that failed, a check that cannot tell."""


def call(case: Case, thorough: bool) -> None:
    """Do with the case what its target says, in the present folder. What takes long, as learning
    from a history that could be read does, only if it is asked for."""
    TARGETS[case.target](case, thorough)


def _read(case: Case, thorough: bool) -> None:
    """A reader; then the history is shown, and perhaps learned from."""
    history = rf.read_history(case.source, **case.options)
    shown(str(history), repr(history))
    if thorough:
        learned = rf.learn(history, starts=0)
        shown(str(learned))
        content = encode(learned)
        if encode(decode(content)) != content:
            raise Flaw("not-the-same", "a learned space that is saved and loaded")


def _address(case: Case, thorough: bool) -> None:
    """An address that leads nowhere; its secret must not come out, of the error's causes either."""
    if not _has_secret(case.source):
        return
    for load in (rf.load, rf.load_optimizer, rf.read_space):
        try:
            load(case.source)
        except rf.RingfenceError as error:
            if TOKEN in str(error):
                raise Flaw("leak", ascii(str(error))[:300]) from error
    try:
        history = rf.read_history(case.source, **case.options)
        shown(repr(history), secret=True)
    except BaseException as error:
        cause: BaseException | None = error
        while cause is not None:
            if TOKEN in str(cause) and not (cause is not error and error.__suppress_context__):
                raise Flaw("leak", ascii(str(cause))[:300]) from error
            cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
        raise


def _has_secret(address: str) -> bool:
    """What looks like the name of a file is one, and a host may be told. In a path only that of a
    web server is secret: a database's name may be told, too."""
    before, _, after = address.partition(TOKEN)
    asked = bool(set("?#") & set(before))
    login = "@" in after and (":" in before or "//" in before)
    if re.search(r"://[\w.-]*$", before) and not login:
        return False
    in_path = "localhost" in before and not asked and not login
    if in_path:
        return address.strip().startswith(("http://", "https://"))
    mistyped = re.search(r"//[\w.-]+:\d|(?::|//).*\?[^/]*=|\bpassword=$", before)
    begun = MARKED.match(before)
    return "://" in address or login or mistyped is not None or begun is not None


MARKED = re.compile(rf"({'|'.join(map(re.escape, SERVERS))})(?::|//[^/]*(?::|$))")
"""How an address of a server begins, with or without all of its marks."""


def _learned(case: Case, thorough: bool) -> None:
    """A learned space is loaded, shown, drawn from, saved again and exported."""
    learned = rf.load(case.source)
    shown(str(learned), repr(learned))
    for config in learned.sample(2, seed=0):
        if not learned.contains(config):
            raise Flaw("outside", f"a sample: {config!r}"[:300])
    content = encode(learned)
    if encode(decode(content)) != content:
        raise Flaw("not-the-same", "a learned space that is loaded, saved and loaded")
    if thorough:
        _export(learned)
        learned._repr_html_()
        learned.starts(1)
        if learned.hub:
            _searched(learned)


def _searched(learned: rf.LearnedSpace) -> None:
    """A search begins with what the hub knows of the space."""
    optimizer = rf.optimizer("transfer", learned, seed=0)
    config = optimizer.ask().config
    if not learned.space.contains(config):
        raise Flaw("outside", f"a trial: {config!r}"[:300])


def _export(learned: rf.LearnedSpace) -> None:
    """Programs for other tools are at least Python."""
    from ringfence.adapters.export import snippet

    for tool in TOOLS:
        try:
            text = snippet(learned, "learned.json", tool)
        except rf.RingfenceError:
            continue
        compile(text, f"{tool}.py", "exec")


def _hub_entry(case: Case, thorough: bool) -> None:
    """An entry of the hub is read, shown, and its spaces and rows asked for."""
    from ringfence.learned.hub import past
    from ringfence.learned.hub.display import hub_html, hub_text
    from ringfence.learned.hub.entries import HubEntry, decode_entry

    for name in (case.source, "tiny.parquet"):
        if not Path(name).is_file():  # the package's own files are there
            raise rf.FileError(f"no {name}")
    entry = HubEntry(decode_entry(Path(case.source).read_bytes(), case.source))
    shown(str(entry), repr(entry), hub_text([entry.record]))
    entry._repr_html_()
    hub_html([entry.record])
    usual, past.rows_of = past.rows_of, _rows_here
    past._history.cache_clear()
    try:
        for rows in (None, 500):
            learned = entry.space(rows=rows)
            shown(str(learned))
            history = entry.history(rows=rows)
            shown(str(history))
            if thorough:
                rf.learn(history, learned.space, starts=0)
    finally:
        past.rows_of = usual


def _rows_here(name: str) -> Any:
    """The rows of the entry that is tried, whatever it calls itself."""
    from ringfence.learned.hub.past import decode_rows

    return decode_rows(Path("tiny.parquet").read_bytes(), "tiny.parquet")


def _refreshed(case: Case, thorough: bool) -> None:
    """A learned space with a history is shown with it, and looked at by a refresh."""
    from ringfence.refreshing.log import read_log, write_log
    from ringfence.refreshing.text import history_parts
    from ringfence.refreshing.versions import Versions
    from ringfence.rendering.layout import lay_out

    path = Path(case.source)
    log = read_log(path)
    shown("\n".join(lay_out(history_parts(log, path))))
    again = Versions.of(path, "2026-02-01T00:00:00Z", look_only=False)
    if again.learned is not None:
        shown(str(again.learned))
    write_log(path, again.log)
    if read_log(path) != again.log:
        raise Flaw("not-the-same", "a log that is read, written and read")


def _long(case: Case, thorough: bool) -> None:
    """Rows of JSON as a table of DuckDB, which is read in its long layout."""
    import ibis
    import polars as pl

    try:
        lines = Path(case.source).read_text("utf-8").splitlines()
        if any(line.count('{"') > NESTED or line.count("[") > NESTED for line in lines):
            raise ValueError("polars needs minutes, and may crash, to make a table of it")
        rows = [json.loads(line) for line in lines if line.strip()]
        table = ibis.memtable(pl.DataFrame(rows, strict=False, infer_schema_length=None))
        if {"keys", "values"} <= {*table.columns}:
            table = table.mutate(params=ibis.map(table.keys, table["values"]))
            table = table.drop("keys", "values")
    except BaseException as error:  # what is no table there never comes to us
        if isinstance(error, KeyboardInterrupt):
            raise
        raise rf.HistoryError("no table") from error
    history = rf.read_history(table, **case.options)
    shown(str(history), repr(history))
    if thorough:
        shown(str(rf.learn(history, starts=0)))


def _space(case: Case, thorough: bool) -> None:
    """A space is read, shown, drawn from, written in every format and read back."""
    from ringfence.space.files import write_space

    space = rf.read_space(case.source)
    shown(str(space), repr(space))
    for ending in (".json", ".yaml", ".toml") if thorough else (".json",):
        path = Path(f"again{ending}")
        try:
            path.write_text(write_space(space, ending), encoding="utf-8")
        except rf.RingfenceError:
            continue
        if rf.read_space(path) != space:
            raise Flaw("not-the-same", f"a space written as {ending}")


def _state(case: Case, thorough: bool) -> None:
    """An optimizer goes on, and is the same after it was saved."""
    optimizer = rf.load_optimizer(case.source)
    shown(str(optimizer), repr(optimizer))
    optimizer.save("again.json")
    again = rf.load_optimizer("again.json")
    if thorough:
        trial = optimizer.ask()
        if trial.config != again.ask().config:
            raise Flaw("not-the-same", "the next trial of an optimizer that is saved and loaded")
        optimizer.tell(trial, 1.0)
        shown(str(optimizer))


def _plan(case: Case, thorough: bool) -> None:
    """A plan and its suites are read, and its cells counted."""
    from ringfence.bench.plan import read_plan
    from ringfence.bench.results import progress_of
    from ringfence.bench.store import Store

    _forget_suites()
    plan = read_plan(Path(case.source))
    if sum(len(e.suites) * len(e.methods) * e.replications for e in plan.experiment) > 5000:
        return  # as many cells as were asked for
    progress_of(plan, Store(Path("store")))


def _store(case: Case, thorough: bool) -> None:
    """The results of a plan from its store."""
    from ringfence.bench.plan import read_plan
    from ringfence.bench.results import results
    from ringfence.bench.store import Store
    from ringfence.bench.text import summary

    _forget_suites()
    plan = read_plan(Path(case.source))
    if sum(len(e.suites) * len(e.methods) * e.replications for e in plan.experiment) > 5000:
        return
    table = results(plan, Store(Path("store")))
    if not table.is_empty():
        shown(summary(table))


def _results(case: Case, thorough: bool) -> None:
    """A table of results is summed up."""
    from ringfence.bench.results import read_results
    from ringfence.bench.text import summary

    shown(summary(read_results(Path(case.source))))


def _zip(case: Case, thorough: bool) -> None:
    """Tables are made of HPO-B's zip."""
    from ringfence.bench.fetch.hpob import make_tables

    make_tables(Path(case.source), [case.options.get("space", "4796")], Path("tables"))


def _official(case: Case, thorough: bool) -> None:
    """Suites are made of HPO-B's zip for its official protocol, loaded, and begun; published
    curves are read for them."""
    import polars as pl

    from ringfence.bench.hpob.published import published_curves
    from ringfence.bench.hpob.scores import SCHEMA, scores
    from ringfence.bench.hpob.tables import official_suites
    from ringfence.bench.suites import SuiteSource, load_suite

    _forget_suites()
    folder = Path("tables")
    for made in official_suites(Path(case.source), folder):
        suite = load_suite(SuiteSource(str(folder / made.description), (str(folder),)))
        for task in suite.targets:
            suite.starts(task, 0)
            place = ("Random", 0, made.space, task, 0, 1, 0.5)
            ours = pl.DataFrame([place], schema=SCHEMA, orient="row")
            shown(str(scores(pl.concat([ours, published_curves(Path("results"), ours)]), [1])))


def _openml(case: Case, thorough: bool) -> None:
    """What OpenML once answered is read from the cache; nothing is asked."""
    from ringfence.bench.fetch import parts
    from ringfence.bench.suites.description import OpenMLRuns

    _ask_no_server()
    parts.part_of("3", parts.Request(OpenMLRuns(1), "area", 9, 0.0), Path(case.source))


def _ask_no_server() -> None:
    """OpenML's client would try for minutes."""
    from ringfence.bench.fetch import parts
    from ringfence.history.readers.openml import reader

    parts.evaluations = parts.qualities = reader.evaluations = _no_server


def _no_server(*_: object, **__: object) -> Any:
    raise rf.HistoryError("no server is asked")


def _command(case: Case, thorough: bool) -> None:
    """A command, as the shell would run it; its output is looked at as well."""
    from ringfence.cli import main

    _forget_suites()
    _ask_no_server()
    out, err = _Pipe(), _Pipe()
    before = sys.argv, sys.stdin
    sys.argv, sys.stdin = ["ringfence", *case.arguments], io.TextIOWrapper(io.BytesIO(b""))
    code: Any = 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as end:
        code = 0 if end.code is None else end.code
    finally:
        sys.argv, sys.stdin = before
    said = err.text()
    shown(out.text(), said)
    if TOKEN in out.text() + said and not any(TOKEN in str(p) for p in Path().rglob("*")):
        raise Flaw("leak", ascii(said[-300:] or out.text()[-300:]))
    if "csv" in case.arguments and code == 0 and (cell := _formula_in(out.text())):
        raise Flaw("formula", ascii(cell[:300]))
    if code not in EXITS:
        raise Flaw("exit-code", f"{code!r}: {said[-200:]!r}")
    if code == 1 and "ringfence: " in said and said.rpartition("ringfence: ")[2].count("\n") > 1:
        raise Flaw("several-lines", ascii(said[-300:]))
    if code == 1 and len(said) > 4 * LONGEST_MESSAGE:
        raise Flaw("long-message", ascii(said[:300]))
    if "Traceback (most recent call last)" in said:
        raise Flaw("traceback", ascii(said[-300:]))
    if code in (1, 2):
        raise Flaw("refused", said[-200:])


def _formula_in(text: str) -> str | None:
    """The first cell that a spreadsheet would calculate, whichever mark separates them there."""
    for line in text.splitlines():
        for mark in ";|\t":
            for cell in line.split(mark):
                bare = cell.strip(' "')
                if bare[:1] in tuple("=+-@＝＋－＠") and not NUMBER.match(bare):
                    return cell
    return None


class _Pipe(io.TextIOWrapper):
    """Standard output that is no terminal, with the bytes below it that some commands write."""

    def __init__(self) -> None:
        self._bytes = io.BytesIO()
        super().__init__(self._bytes, encoding="utf-8", errors="strict", write_through=True)

    def text(self) -> str:
        """All that was written."""
        return self._bytes.getvalue().decode("utf-8", "replace")


def _forget_suites() -> None:
    """Every case has its files at the same paths."""
    from ringfence.bench.suites import load_suite

    load_suite.cache_clear()


def shown(*texts: str, secret: bool = False) -> None:
    """Text that a user would see: it can be written, and no terminal obeys it."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise Flaw("not-text", str(error)[:300]) from None
        letter = unsafe_in(text)
        if letter is not None:
            raise Flaw("control-characters", f"{letter} in what is shown: {text[:200]!a}")
        if secret and TOKEN in text:
            raise Flaw("leak", ascii(text[:300]))


READERS = (
    "csv", "jsonl", "parquet", "xlsx", "wandb", "optuna", "journal", "mlflow", "mlruns", "raytune",
    "smac", "synetune", "hpob",
)  # fmt: skip
SELF_TEST = "self-test"
"""A target that does what must be noticed; not part of a campaign."""


def _self_test(case: Case, thorough: bool) -> None:
    match case.source:
        case "hang":
            time.sleep(3600)
        case "crash":
            os.abort()
        case "memory":
            bytearray(1 << 40)
        case "noise":
            os.write(2, b"panicked")
        case "panic":
            raise SystemExit(7)
        case "leak" | "several\nlines" | "red\x1b[31m":
            error = rf.HistoryError()
            error.args = (TOKEN if case.source == "leak" else case.source,)  # past its own guard
            raise error


TARGETS: dict[str, Callable[[Case, bool], None]] = {
    **dict.fromkeys(READERS, _read),
    "address": _address,
    "learned": _learned,
    "space": _space,
    "state": _state,
    "hub-entry": _hub_entry,
    "refreshed": _refreshed,
    "long": _long,
    "plan": _plan,
    "store": _store,
    "results": _results,
    "hpob-zip": _zip,
    "hpob-official": _official,
    "openml": _openml,
    "commands": _command,
    "slow-commands": _command,
    SELF_TEST: _self_test,
}
