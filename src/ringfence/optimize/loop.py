"""minimize: the loop around ask and tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from ringfence.checks import integer
from ringfence.errors import ExhaustedError, SettingError
from ringfence.history import History
from ringfence.learned.settings import Starts
from ringfence.learned.space import LearnedSpace
from ringfence.optimize.ask_tell import Optimizer
from ringfence.optimize.ask_tell import optimizer as make_optimizer
from ringfence.optimize.guard import GuardShare
from ringfence.optimize.method import BaseMethod
from ringfence.optimize.progress import Bar
from ringfence.optimize.transfer.sources import MetaFeatures
from ringfence.optimize.trial import Trial
from ringfence.space import Config, Space

Objective = Callable[..., float]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What `minimize` found."""

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

    def history(self, task: str = "this task") -> History:
        """The trials as a history of one task, for the next `learn`."""
        return self.optimizer.history(task)

    def __repr__(self) -> str:
        best = (
            "no trial succeeded" if self.best is None else f"best {self.value:g} at {self.config}"
        )
        return f"Outcome({best}; {len(self.trials)} trials; {self.ended})"


def minimize(
    objective: Objective,
    where: LearnedSpace | Space | Optimizer,
    optimizer: str | type[BaseMethod] = "auto",
    n_trials: int = 50,
    *,
    seed: int = 0,
    n_jobs: int = 1,
    progress: bool | None = None,
    candidates: Iterable[Mapping[str, Any]] | None = None,
    history: History | None = None,
    meta_features: Any = None,
    target: MetaFeatures | None = None,
    starts: Starts = "auto",
    guard: GuardShare = "auto",
    **options: Any,
) -> Outcome:
    """Minimize `objective` over a learned space.

    The objective takes a configuration (a dict) and returns a number; for methods that ration a
    resource it takes the budget as a second argument. An exception, or a value that is not finite,
    makes the trial a failure, and the loop continues. Ctrl-C ends it and returns what there is.

    Args:
        objective: the function to minimize.
        where: the learned or plain space; or an optimizer, which then continues.
        optimizer: its name, or a method of your own, as in `rf.optimizer`; 'auto' is 'transfer' if
            there is a history, else 'gp'.
        n_trials: how many more trials to run.
        seed: of the proposals.
        n_jobs: number of threads that call the objective at once; the order in which they finish
            then decides what comes next.
        progress: whether to show a bar; None: if the error output is a terminal.
        candidates, history, meta_features, target, starts, guard, options: as in `rf.optimizer`.
    """
    count = integer(n_trials, "n_trials", 0) or 0
    workers = integer(n_jobs, "n_jobs", 1) or 1
    if not callable(objective):
        raise SettingError(f"the objective must be callable, not {type(objective).__name__}")
    if isinstance(where, Optimizer):
        engine = where
    else:
        engine = make_optimizer(
            optimizer,
            where,
            seed=seed,
            candidates=candidates,
            history=history,
            meta_features=meta_features,
            target=target,
            starts=starts,
            guard=guard,
            **options,
        )
    with Bar(count, progress) as bar:
        try:
            ended = _run(engine, objective, count, workers, bar)
        except KeyboardInterrupt:
            _abandon(engine)
            ended = "interrupted"
    return Outcome(engine, ended)


def _run(engine: Optimizer, objective: Objective, count: int, workers: int, bar: Bar) -> str:
    """Keep `workers` trials running until `count` have started and are settled; why it ended."""
    running: dict[Future[float], Trial] = {}
    started = 0
    with _pool(workers) as pool:
        while started < count or running:
            try:
                while started < count and len(running) < workers:
                    trial = engine.ask()
                    running[pool.submit(_evaluate, engine, objective, trial)] = trial
                    started += 1
            except ExhaustedError as error:
                if not running:
                    return str(error)
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=lambda f: running[f].number):
                _settle(engine, running.pop(future), future)
                bar.advance(engine.best)
    return f"{count} trials done"


def _evaluate(engine: Optimizer, objective: Objective, trial: Trial) -> float:
    config = dict(trial.config)
    return objective(config, trial.budget) if engine.method.budgeted else objective(config)


def _settle(engine: Optimizer, trial: Trial, future: Future[float]) -> None:
    error = future.exception()
    if isinstance(error, KeyboardInterrupt):
        raise error
    if error is not None:
        engine.fail(trial, f"{type(error).__name__}: {error}")
        return
    try:
        engine.tell(trial, future.result())
    except ValueError as reason:
        engine.fail(trial, str(reason))


def _abandon(engine: Optimizer) -> None:
    for trial in engine.trials:
        if trial.state == "running":
            engine.fail(trial, "interrupted")


class _CallingThread:
    """An executor that runs each job at once in the calling thread."""

    def submit(self, call: Callable[..., float], *args: Any) -> Future[float]:
        future: Future[float] = Future()
        try:
            future.set_result(call(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    def __enter__(self) -> _CallingThread:
        return self

    def __exit__(self, *exit: object) -> None:
        return None


def _pool(workers: int) -> AbstractContextManager[_CallingThread | ThreadPoolExecutor]:
    return _CallingThread() if workers == 1 else ThreadPoolExecutor(workers)
