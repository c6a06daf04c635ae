"""minimize: the loop around ask and tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from inspect import signature
from numbers import Real
from time import perf_counter
from typing import Any

from ringfence.checks import integer
from ringfence.errors import ExhaustedError, SettingError, TrialError
from ringfence.history import Direction, History, Runs
from ringfence.history.runs import read_with_hint
from ringfence.history.tables import as_float
from ringfence.learned.settings import By, Starts
from ringfence.learned.space import LearnedSpace
from ringfence.optimize.ask_tell import Optimizer
from ringfence.optimize.ask_tell import optimizer as make_optimizer
from ringfence.optimize.display import optimizer_html, optimizer_text
from ringfence.optimize.failures import Catch, Failures, NoNumberError, advice, failure_line, is_bug
from ringfence.optimize.guard import GuardShare
from ringfence.optimize.method import BaseMethod
from ringfence.optimize.progress import Bar
from ringfence.optimize.transfer.sources import MetaFeatures
from ringfence.optimize.trial import Trial
from ringfence.optimize.weighing.budget import Budget
from ringfence.space import Config, Space
from ringfence.words import brief, shortened

Objective = Callable[..., float]

USUAL_TRIALS, MOST_TRIALS = 50, 1_000_000
"""Trials if nothing is said, and with a limit on their cost alone."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What `rf.minimize` found.

    Examples:
        >>> import ringfence as rf
        >>> space = rf.Space({"x": rf.Int(0, 4)})
        >>> outcome = rf.minimize(lambda config: abs(config["x"] - 3), space, "random", n_trials=9)
        >>> outcome.config, outcome.value, len(outcome.trials)
        ({'x': 3}, 0.0, 5)
    """

    optimizer: Optimizer
    """Ask it for more, or save it."""
    ended: str
    """Why the loop ended, in words."""

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial."""
        return self.optimizer.trials

    @property
    def best(self) -> Trial | None:
        """The best trial; None if none succeeded."""
        return self.optimizer.best

    @property
    def config(self) -> Config | None:
        """The best configuration."""
        return None if self.best is None else self.best.config

    @property
    def value(self) -> float | None:
        """The best value."""
        return None if self.best is None else self.best.value

    @property
    def failures(self) -> tuple[Trial, ...]:
        """The trials that failed, each with its reason."""
        return tuple(trial for trial in self.trials if trial.state == "failed")

    @property
    def failed(self) -> str:
        """How many trials failed and why, in a line; empty if none did."""
        return failure_line(self.trials)

    @property
    def direction(self) -> Direction:
        """Whether the objective was minimized or maximized."""
        return self.optimizer.direction

    def history(self, task: str = "this task") -> History:
        """The trials as a history of one task, for the next `learn`.

        Args:
            task: its name.

        Examples:
            >>> import ringfence as rf
            >>> space = rf.Space({"x": rf.Int(0, 4)})
            >>> outcome = rf.minimize(lambda config: config["x"], space, "random", n_trials=3)
            >>> len(outcome.history("today"))
            3
        """
        return self.optimizer.history(task)

    def __str__(self) -> str:
        return optimizer_text(self.optimizer, self.ended)

    def _repr_html_(self) -> str:
        return optimizer_html(self.optimizer, self.ended)

    def __repr__(self) -> str:
        best = "no trial succeeded"
        if self.best is not None:
            best = f"best {self.value:g} at {brief(self.config)}"
        failed = f"; {shortened(self.failed, 300)}" if self.failed else ""
        ended = shortened(self.ended, 200)
        return f"Outcome({self.direction}: {best}; {len(self.trials)} trials{failed}; {ended})"


def minimize(
    objective: Objective,
    where: LearnedSpace | Space | Optimizer,
    optimizer: str | type[BaseMethod] = "auto",
    n_trials: int | None = None,
    *,
    seed: int = 0,
    n_jobs: int = 1,
    progress: bool | None = None,
    candidates: Iterable[Mapping[str, Any]] | None = None,
    direction: Direction | None = None,
    catch: Catch = (),
    history: Runs | None = None,
    meta_features: Any = None,
    target: MetaFeatures | None = None,
    starts: Starts = "auto",
    guard: GuardShare = "auto",
    by: By = "auto",
    max_cost: float | None = None,
    **options: Any,
) -> Outcome:
    """Minimize `objective` over a learned space.

    The objective takes a configuration (a dict) and returns a number; for methods that ration a
    resource it takes the budget as a second argument. Ctrl-C ends the loop and returns what there
    is; before the first trial has finished it is a KeyboardInterrupt, so that pressing it twice
    ends a program that calls this again and again.

    An exception, or a value that is not a finite number, makes the trial a failure, and the loop
    goes on. But an error that is a bug (NameError, TypeError, ImportError, AttributeError,
    SyntaxError, KeyError), a value that is no number at all (None, since a return is missing), or
    the third failure in a row ends the search with that very error; what was finished is in
    its attribute `outcome`. `catch` says which errors never end it. A search that continues begins
    with the trials that Ctrl-C or a bug cut short: their configurations are not to blame.

    Args:
        objective: the function to minimize.
        where: the learned or plain space; or an optimizer, which then continues.
        optimizer: its name, or a method of your own, as in `rf.optimizer`; 'auto' is 'transfer' if
            there is a history (as of dense spaces of the hub), else 'gp'.
        n_trials: how many more trials to run; None is 50, or with `max_cost` as many as it allows.
        seed: of the proposals.
        n_jobs: number of threads that call the objective at once; the order in which they finish
            then decides what comes next.
        progress: whether to show a bar; None: if the error output is a terminal.
        direction: 'maximize' if more is better. None is 'minimize', or what the optimizer does
            that continues; it asks if the past runs were maximized.
        catch: an exception's class, or a tuple of such, that is recorded as a failed trial however
            often it comes: ValueError (also for values that are not finite), or Exception for all.
        candidates: the only configurations that may be tried, as in `rf.optimizer`.
        history: earlier tasks, for methods that learn from them; as in `rf.optimizer`.
        meta_features: numbers that describe each earlier task, as in `rf.optimizer`.
        target: the same numbers of the task at hand.
        starts: number of starting points to try first, as in `rf.optimizer`.
        guard: share of the trials that search the full space, as in `rf.optimizer`.
        by: 'cost' or 'trials', as in `rf.optimizer`; 'auto' is also 'cost' with a `max_cost`. With
            by='cost' or a `max_cost` the seconds that each call of the objective takes are its
            cost, so the history's costs should be seconds, too; `rf.optimizer` and
            `tell(…, cost=…)` take any other cost.
        max_cost: stop before the trials have cost more than this: a trial is not started that would
            probably not end in time, judged by the costs of the history and of the trials so far.
            One that runs is never cut short.
        options: settings of the method.

    Examples:
        >>> import ringfence as rf
        >>> learned = rf.learn(rf.example_history(), starts=0)
        >>> def objective(config):
        ...     return (config["components"] - 0.7) ** 2 + (config["kernel"] != "rbf")
        >>> outcome = rf.minimize(objective, learned, n_trials=8, seed=0)
        >>> outcome.value == min(trial.value for trial in outcome.trials)
        True
    """
    count = USUAL_TRIALS if max_cost is None else MOST_TRIALS
    if n_trials is not None:
        count = integer(n_trials, "n_trials", 0) or 0
    limit = _limit(max_cost)
    workers = integer(n_jobs, "n_jobs", 1) or 1
    if not callable(objective):
        raise SettingError(f"the objective must be callable, not {type(objective).__name__}")
    failures = Failures(catch)
    if isinstance(where, Optimizer):
        engine = where
        given = {
            "optimizer": optimizer != "auto", "seed": seed != 0, "candidates": candidates,
            "history": history, "meta_features": meta_features, "target": target,
            "starts": starts != "auto", "guard": guard != "auto", "by": by != "auto",
        }  # fmt: skip
        set_again = [name for name, value in given.items() if value not in (None, False)]
        _refuse_settings(engine, direction, [*set_again, *options])
    else:
        if limit is not None and isinstance(where, LearnedSpace) and where.costs is not None:
            _require_seconds(where.costs.unit, "learned space")
        if limit is not None and history is not None:
            history = read_with_hint(history, "history")
            _require_seconds(history.cost_unit, "history")
        engine = make_optimizer(
            optimizer,
            where,
            seed=seed,
            direction=direction,
            candidates=candidates,
            history=history,
            meta_features=meta_features,
            target=target,
            starts=starts,
            guard=guard,
            by="cost" if by == "auto" and limit is not None else by,
            **options,
        )
    _take_seconds(engine, limit, by)
    if engine.method.budgeted:
        _require_budget(engine, objective)
    runs = _Runs(engine, objective, failures)
    total = None if limit is not None and n_trials is None else count
    with Bar(total, progress, limit) as bar, _limited(engine, limit) as budget:
        before = _n_settled(engine)
        try:
            ended = _run(runs, count, workers, bar, budget)
        except KeyboardInterrupt:
            if _n_settled(engine) == before:
                raise
            ended = "interrupted"
    return Outcome(engine, ended)


def _limit(max_cost: float | None) -> float | None:
    """What may be spent, or SettingError."""
    if max_cost is None:
        return None
    if isinstance(max_cost, bool) or not isinstance(max_cost, Real) or not max_cost > 0:
        raise SettingError(f"max_cost must be a positive number, not {max_cost!r}")
    return as_float(max_cost)


def _refuse_settings(
    engine: Optimizer, direction: Direction | None, set_again: Sequence[str]
) -> None:
    """SettingError if a search that continues is to be another one."""
    if direction not in (None, engine.direction):
        raise SettingError(f"the optimizer that continues is to {engine.direction}")
    if set_again:
        raise SettingError(
            f"an optimizer that continues has its own {', '.join(set_again)}; leave that out, or "
            "pass a space to begin anew"
        )


def _take_seconds(engine: Optimizer, limit: float | None, by: By) -> None:
    """Let the seconds of a trial be its cost if costs count; SettingError for a limit if other
    costs were told."""
    told = not engine.timed and any(trial.cost is not None for trial in engine.trials)
    if told and limit is not None:
        raise SettingError(
            "max_cost is held against the seconds that trials take, but what this optimizer's "
            "trials cost was told: go on with ask and tell(…, cost=…), or pass a space to begin "
            "anew"
        )
    if not told:  # else seconds would be added to dollars, say
        engine.timed = engine.timed or limit is not None or by == "cost"


def _require_seconds(unit: str | None, owner: str) -> None:
    """SettingError if the costs of the owner are no times: trials are held to seconds."""
    if unit not in (None, "seconds"):
        raise SettingError(
            f"max_cost is held against the seconds that trials take, but the {owner}'s costs are "
            f"in {unit!r}: if these are seconds, call the column 'seconds'; else count costs "
            "yourself with rf.optimizer and tell(…, cost=…)"
        )


def _limited(
    engine: Optimizer, limit: float | None
) -> AbstractContextManager[Budget] | AbstractContextManager[None]:
    return nullcontext() if limit is None else engine.within(limit)


@dataclass(frozen=True)
class _Runs:
    """How trials are run and told."""

    engine: Optimizer
    objective: Objective
    failures: Failures


@dataclass(frozen=True)
class _Ran:
    """What came of a call of the objective."""

    value: Any
    error: Exception | None
    cost: float | None


def _run(runs: _Runs, count: int, workers: int, bar: Bar, budget: Budget | None) -> str:
    """Keep `workers` trials running until `count` have started and are settled, or nothing that is
    left to spend is enough for the next; why it ended. An error that ends the search is raised once
    those that still run are settled."""
    engine, failures = runs.engine, runs.failures
    fatal: tuple[Exception, Trial] | None = None
    refused = ""
    running: dict[Future[_Ran], Trial] = {}
    cut_short = [trial for trial in engine.trials if trial.state == "running"]
    if budget is not None:
        budget.waiting.update(trial.number for trial in cut_short)
    started = 0
    with _pool(workers) as pool:
        while started < count or running:
            try:
                while started < count and len(running) < workers:
                    trial = cut_short.pop(0) if cut_short else engine.ask()
                    if budget is not None and not budget.allows(trial, engine.log):
                        refused = budget.refusal(trial, engine.log)
                        if trial.number in budget.waiting:
                            continue  # it waits for another call; the next one may be cheaper
                        instead = engine.cheaper(trial, budget)
                        if instead is None:
                            break
                        trial = instead
                    if budget is not None:
                        budget.waiting.discard(trial.number)
                    running[pool.submit(_evaluate, runs, trial)] = trial
                    started += 1
            except ExhaustedError as error:
                if not running:
                    return str(error)
            if refused and not running:
                return refused
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=lambda f: running[f].number):
                trial = running.pop(future)
                ran = future.result()  # KeyboardInterrupt and SystemExit are raised here
                failure = _told(engine, trial, ran)
                if failure is None:
                    failures.success()
                    bar.advance(engine.best, _spent(budget, engine))
                    continue
                ends = failures.ends(failure)
                if not (ends and is_bug(failure)):  # another configuration might have worked
                    engine.fail(trial, _reason(failure), ran.cost)
                    bar.advance(engine.best, _spent(budget, engine))
                if ends and fatal is None:
                    fatal, count = (failure, trial), started
    if fatal is not None:
        raise _with_outcome(engine, *fatal)
    return f"{count} trials done"


def _require_budget(engine: Optimizer, objective: Objective) -> None:
    """SettingError for an objective that takes no budget, if it says what it takes."""
    try:
        signature(objective).bind({}, 1.0)
    except TypeError:
        raise SettingError(
            f"{engine.name!r} rations a budget (epochs, rows): the objective takes it, too, as in "
            "train(config, budget)"
        ) from None
    except ValueError:  # of a callable written in C nothing is known
        return


def _spent(budget: Budget | None, engine: Optimizer) -> float:
    return 0.0 if budget is None else budget.spent(engine.log)


def _with_outcome(engine: Optimizer, error: Exception, trial: Trial) -> Exception:
    """The error, with what was finished and what to do."""
    finished = sum(one.state == "done" for one in engine.trials)
    error.add_note(advice(error, trial, finished))
    error.outcome = Outcome(engine, _words(error))  # type: ignore[attr-defined]
    return error


def _evaluate(runs: _Runs, trial: Trial) -> _Ran:
    config, budgeted = dict(trial.config), runs.engine.method.budgeted
    value, error, began = None, None, perf_counter()
    try:
        value = runs.objective(config, trial.budget) if budgeted else runs.objective(config)
    except Exception as raised:
        error = raised
    return _Ran(value, error, perf_counter() - began if runs.engine.timed else None)


def _told(engine: Optimizer, trial: Trial, ran: _Ran) -> Exception | None:
    """Tell the trial's value; its error, if it has none."""
    if ran.error is not None:
        return ran.error
    try:
        engine.tell(trial, ran.value, ran.cost)
    except TrialError:
        return _no_value(ran.value)
    return None


def _no_value(value: Any) -> TrialError:
    """What is wrong with a value that is no finite number."""
    says = f"the objective returned {brief(value)}, which is not a finite number"
    if value is None:
        return NoNumberError(f"{says}: is a return missing?")
    if isinstance(value, (str, bytes)):
        return NoNumberError(says)
    try:
        float(value)
    except (TypeError, ValueError):
        return NoNumberError(says)
    return TrialError(says)


def _reason(failure: Exception) -> str:
    return str(failure) if isinstance(failure, TrialError) else _words(failure)


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _n_settled(engine: Optimizer) -> int:
    return sum(trial.state != "running" for trial in engine.trials)


class _CallingThread:
    """An executor that runs each job at once in the calling thread."""

    def submit(self, call: Callable[..., _Ran], *args: Any) -> Future[_Ran]:
        future: Future[_Ran] = Future()
        future.set_result(call(*args))
        return future

    def __enter__(self) -> _CallingThread:
        return self

    def __exit__(self, *exit: object) -> None:
        return None


def _pool(workers: int) -> AbstractContextManager[_CallingThread | ThreadPoolExecutor]:
    return _CallingThread() if workers == 1 else ThreadPoolExecutor(workers)
