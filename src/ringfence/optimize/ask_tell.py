"""Optimizer: ask for a configuration, tell how it went."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ringfence.checks import integer
from ringfence.errors import ExhaustedError, SettingError, TrialError
from ringfence.files import write_atomically
from ringfence.history import Direction, History, Runs
from ringfence.history.roles import require_direction
from ringfence.learned.hub.joining import known_models, with_past
from ringfence.learned.settings import By, Starts, unit_of
from ringfence.learned.space import LearnedSpace
from ringfence.optimize.display import optimizer_html, optimizer_text
from ringfence.optimize.domain.candidate_list import CandidateList
from ringfence.optimize.domain.domain import Domain, domain_of
from ringfence.optimize.export import history_of
from ringfence.optimize.guard import GuardShare, guard_of, guard_share
from ringfence.optimize.log import TrialLog
from ringfence.optimize.method import BaseMethod, Proposal, Setup, read_options
from ringfence.optimize.registry import method_class, method_name
from ringfence.optimize.state import encode_state
from ringfence.optimize.transfer.sources import MetaFeatures, sources_of
from ringfence.optimize.trial import Trial, checked_cost
from ringfence.optimize.weighing.budget import Budget
from ringfence.optimize.weighing.cost import Costs, have_costs
from ringfence.optimize.weighing.weighing import Weighing
from ringfence.space import Space
from ringfence.threads import one_thread
from ringfence.words import writable

USUAL_STARTS = 5
"""Number of starting points of a learned space to try first, with a model right after them
(docs/transfer.md has the measurements)."""
DRAWN = 256  # configurations among which one is looked for that ends in time


class Optimizer:
    """One method over one space, and its log; `rf.optimizer` makes it. Smaller values are better.

    Its proposals are a function of the seed, the log and the method's memory: the same in another
    process, and the same after `save` and `load_optimizer`.

    Args:
        method: its name, or a class of your own.
        setup: the space, the seed, and what is known of earlier tasks.
        options: the method's own settings.

    Examples:
        >>> import ringfence as rf
        >>> optimizer = rf.optimizer("gp", rf.Space({"x": rf.Float(0.0, 1.0)}), seed=0)
        >>> for _ in range(5):
        ...     trial = optimizer.ask()
        ...     _ = optimizer.tell(trial, (trial.config["x"] - 0.3) ** 2)
        >>> len(optimizer.trials), optimizer.best.state
        (5, 'done')
    """

    def __init__(
        self, method: str | type[BaseMethod], setup: Setup, options: Mapping[str, Any]
    ) -> None:
        cls = method_class(method)
        self.name = method_name(method)
        self.setup = setup
        settings = read_options(cls.Options, dict(options), self.name)
        self.method = cls(setup, settings)
        self.guard_method: BaseMethod | None = None
        """The same method over the full space, which proposes the guard's trials."""
        if setup.guard is not None:
            self.guard_method = cls(replace(setup, domain=setup.guard.domain, guard=None), settings)
        self.log = TrialLog(setup.domain.layout)
        self.timed = False
        """Whether the costs of the trials are the seconds that they took."""

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial asked for, in order."""
        return tuple(self._shown(trial) for trial in self.log.trials)

    @property
    def best(self) -> Trial | None:
        """The best finished trial; if there are budgets, of those with the highest."""
        return None if self.log.best is None else self._shown(self.log.best)

    @one_thread
    def ask(self) -> Trial:
        """The next trial; ask again before telling to work on several at once.

        Raises:
            ExhaustedError: nothing is left to try.

        Examples:
            >>> import ringfence as rf
            >>> optimizer = rf.optimizer("random", rf.Space({"x": rf.Float(0.0, 1.0)}), seed=0)
            >>> optimizer.ask().number, optimizer.ask().number
            (0, 1)
        """
        number = len(self.log)
        rng = np.random.default_rng([self.setup.seed, number])
        proposal, guarded = self._next(rng)
        if not self.is_ours:
            self._check(proposal, guarded)
        trial = Trial(
            number=number,
            config=proposal.config,
            budget=proposal.budget,
            resumes=proposal.resumes,
            place=proposal.place,
            guard=guarded,
        )
        self.log.add(trial)
        return trial

    def tell(self, trial: Trial | int, value: float, cost: float | None = None) -> Trial:
        """The result of a trial; the trial as it now stands.

        Args:
            trial: what `ask` gave, or its number.
            value: what the objective gave.
            cost: what the trial cost, in the unit of the history's costs if it has some: seconds,
                dollars, anything that adds up. A search by cost learns from it.

        Raises:
            TrialError: the trial is not running, the value is not finite (then call `fail`), or the
                cost is no cost.

        Examples:
            >>> import ringfence as rf
            >>> optimizer = rf.optimizer("random", rf.Space({"x": rf.Float(0.0, 1.0)}), seed=0)
            >>> optimizer.tell(optimizer.ask(), 0.25).value
            0.25
        """
        number = self._running(trial)
        try:
            if isinstance(value, (str, bytes)):  # "0.5" would be taken for a number
                raise TypeError
            result = float(value)
        except (TypeError, ValueError):
            raise TrialError(f"trial {number}: the value must be a number, not {value!r}") from None
        if not math.isfinite(result):
            raise TrialError(f"trial {number}: the value is {result}; call fail(trial) instead")
        spent = checked_cost(cost, number)
        settled = self.log.settle(number, state="done", value=self._sign * result, cost=spent)
        return self._shown(settled)

    def fail(self, trial: Trial | int, reason: str = "", cost: float | None = None) -> Trial:
        """The trial has no result. It is not tried again; models take it for the worst seen, and if
        failures depend on the configuration, for a sign of where they are.

        Args:
            trial: what `ask` gave, or its number.
            reason: in words, for `trial.reason`.
            cost: what it cost until it failed.

        Raises:
            TrialError: the trial is not running, or the cost is no cost.

        Examples:
            >>> import ringfence as rf
            >>> optimizer = rf.optimizer("random", rf.Space({"x": rf.Float(0.0, 1.0)}), seed=0)
            >>> optimizer.fail(optimizer.ask(), "out of memory").reason
            'out of memory'
        """
        number = self._running(trial)
        spent = checked_cost(cost, number)
        why = writable(str(reason)) or None
        return self.log.settle(number, state="failed", reason=why, cost=spent)

    @property
    def cost(self) -> float:
        """What the trials cost so far, as far as that was said.

        Examples:
            >>> import ringfence as rf
            >>> optimizer = rf.optimizer("random", rf.Space({"x": rf.Float(0.0, 1.0)}), seed=0)
            >>> _ = optimizer.tell(optimizer.ask(), 0.25, cost=12.0)
            >>> _ = optimizer.fail(optimizer.ask(), "out of memory", cost=3.0)
            >>> optimizer.cost
            15.0
        """
        return float(sum(trial.cost or 0.0 for trial in self.log.trials))

    @contextmanager
    def within(self, max_cost: float) -> Iterator[Budget]:
        """Meanwhile trials are preferred that end before they have cost this much together.

        Args:
            max_cost: what the trials from now on may cost.

        Examples:
            >>> import ringfence as rf
            >>> optimizer = rf.optimizer("gp", rf.Space({"x": rf.Float(0.0, 1.0)}), seed=0)
            >>> with optimizer.within(60.0) as budget:
            ...     _ = optimizer.tell(optimizer.ask(), 0.25, cost=12.0)
            ...     budget.left(optimizer.log)
            48.0
        """
        layout, sources = self.setup.domain.layout, self.setup.sources
        costs = Costs(layout, () if sources is None else sources.tasks)
        budget = Budget(costs, max_cost, self.cost)
        methods = [each for each in (self.method, self.guard_method) if each is not None]
        unlimited = [each.weighing for each in methods]
        for each, weighing in zip(methods, unlimited):
            each.weighing = Weighing((*weighing.weights, budget))
        try:
            yield budget
        finally:
            for each, weighing in zip(methods, unlimited):
                each.weighing = weighing

    def cheaper(self, refused: Trial, budget: Budget) -> Trial | None:
        """A trial that would end within the budget, in the place of the last one; None, and the
        last one is withdrawn, if none is found.

        Args:
            refused: the last trial that was asked for, which would not end in time.
            budget: what `within` gives.

        Examples:
            >>> import ringfence as rf
            >>> optimizer = rf.optimizer("random", rf.Space({"x": rf.Float(0.0, 1.0)}), seed=0)
            >>> with optimizer.within(60.0) as budget:
            ...     _ = optimizer.tell(optimizer.ask(), 0.25, cost=60.0)
            ...     print(optimizer.cheaper(optimizer.ask(), budget))
            None
        """
        if refused.number != len(self.log) - 1:  # one of an earlier call that is to run again
            return None
        self.log.withdraw()
        if self.method.budgeted or budget.left(self.log) <= 0.0:
            return None
        rng = np.random.default_rng([self.setup.seed, refused.number, 1])
        domain = self.setup.domain
        rows = domain.draw(DRAWN, rng)
        try:
            proposed = self.method.propose(self.log, rng).config
            rows = np.concatenate([domain.layout.encode([proposed]), rows])
        except ExhaustedError:
            return None
        for row in rows[budget.fits(rows, self.log)]:
            if domain.layout.keys(row[None])[0] not in self.log.tried:
                trial = Trial(refused.number, domain.config(row))
                self.log.add(trial)
                return trial
        return None

    def history(self, task: str = "this task") -> History:
        """The finished and failed trials as a history of one task, for the next `learn`.

        Args:
            task: its name.

        Examples:
            >>> import ringfence as rf
            >>> optimizer = rf.optimizer("random", rf.Space({"x": rf.Float(0.0, 1.0)}), seed=0)
            >>> _ = optimizer.tell(optimizer.ask(), 0.25)
            >>> optimizer.history("today").tasks
            ('today',)
        """
        space = self.setup.domain.layout.space
        return history_of(self.trials, space, task, self.direction, timed=self.timed)

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything needed to continue to a JSON file; complete, or not there at all.

        Args:
            path: of the file; `rf.load_optimizer` reads it.

        Examples:
            >>> import ringfence as rf
            >>> optimizer = rf.optimizer("random", rf.Space({"x": rf.Float(0.0, 1.0)}), seed=0)
            >>> _ = optimizer.tell(optimizer.ask(), 0.25)
            >>> optimizer.save("run.json")
            >>> rf.load_optimizer("run.json").ask() == optimizer.ask()
            True
        """
        write_atomically(Path(path), encode_state(self))

    def __str__(self) -> str:
        return optimizer_text(self)

    def _repr_html_(self) -> str:
        return optimizer_html(self)

    def __repr__(self) -> str:
        done = sum(trial.state == "done" for trial in self.log.trials)
        best = "" if self.best is None else f", best {self.best.value:g}"
        return f"Optimizer({self.name!r}, {done} of {len(self.log)} trials done{best})"

    @property
    def is_ours(self) -> bool:
        """Whether the method is one of ringfence's, not a class of the user's own."""
        return ":" not in self.name

    @property
    def direction(self) -> Direction:
        """Whether smaller or larger values are better."""
        return self.setup.direction

    @property
    def _sign(self) -> float:
        return -1.0 if self.direction == "maximize" else 1.0

    def _shown(self, trial: Trial) -> Trial:
        """A trial of the log, where smaller is better, with the value as it was told."""
        if self.direction == "minimize" or trial.value is None:
            return trial
        return msgspec.structs.replace(trial, value=-trial.value)

    def _next(self, rng: np.random.Generator) -> tuple[Proposal, bool]:
        """What to try next, and whether it is the guard's: a starting point, a configuration of
        the region, or one of the full space if the guard is due or the region exhausted."""
        start = self.method.next_start(self.log)
        if start is not None and not self.method.budgeted:
            return Proposal(start), False
        guard, guard_method = self.setup.guard, self.guard_method
        if guard is None or guard_method is None:
            return self.method.propose(self.log, rng), False
        if start is not None or not guard.is_due(self.log):
            try:
                return self.method.propose(self.log, rng), False
            except ExhaustedError:
                pass
        proposal = guard_method.propose(self.log, rng)
        return proposal, proposal.resumes is None

    def _check(self, proposal: Proposal, guarded: bool) -> None:
        """SettingError if a proposal is not one, or lies outside the domain."""
        if not isinstance(proposal, Proposal):
            raise SettingError(
                f"{self.name}.propose must return a Proposal, not a {type(proposal).__name__}"
            )
        guard = self.setup.guard
        domain = guard.domain if guarded and guard is not None else self.setup.domain
        if not domain.learned.contains(proposal.config):
            raise SettingError(
                f"{self.name} proposed a configuration outside the space: {proposal.config}"
            )

    def _running(self, trial: Trial | int) -> int:
        number = trial.number if isinstance(trial, Trial) else integer(trial, "trial", 0)
        if number is None or number >= len(self.log):
            raise TrialError(f"there is no trial {number}; {len(self.log)} were asked for")
        known = self.log.trials[number]
        if isinstance(trial, Trial) and trial.config != known.config:
            raise TrialError(f"trial {number} is of another optimizer: its configuration differs")
        if known.state != "running":
            raise TrialError(f"trial {number} was told before: it is {known.state}")
        return number


@one_thread
def optimizer(
    name: str | type[BaseMethod],
    where: LearnedSpace | Space,
    *,
    seed: int = 0,
    direction: Direction | None = None,
    candidates: Iterable[Mapping[str, Any]] | None = None,
    history: Runs | None = None,
    meta_features: Any = None,
    target: MetaFeatures | None = None,
    starts: Starts = "auto",
    guard: GuardShare = "auto",
    by: By = "auto",
    **options: Any,
) -> Optimizer:
    """An optimizer over a learned space (or a plain one).

    Args:
        name: 'random', 'sobol', 'successive-halving', 'hyperband', 'gp', 'gp-warping', 'smac',
            'ablr', 'gp-warm-start', 'gp-warm-start-all' or 'transfer'; 'auto' is 'transfer' if
            there is a history, else 'gp'. Or a method of your own: a class derived from
            `ringfence.optimize.BaseMethod`.
        where: the space to search.
        seed: the same seed gives the same proposals for the same results.
        direction: 'minimize', or 'maximize' if larger values are better. None is 'minimize', but
            asks if the past runs were maximized.
        candidates: search only these configurations (those inside `where`), as on a table.
        history: earlier tasks, for 'transfer', 'ablr' and the warm starts: a History, or a path, a
            data frame, an Optuna study or another source that is read without options. Those of the
            hub join it, or stand for it, if `where` comes from there.
        meta_features: numbers that describe each task of the history: a mapping from task to
            mapping, or a table with a column of tasks.
        target: the same numbers for the new task.
        starts: number of starting points of the learned space to try first; of candidates, the
            nearest. 'auto' is five, or as many as it has; none for 'transfer', which finds its
            own.
        guard: this share of the trials searches the full space instead, in case the learned
            one misses the optimum. 'auto' is 0.1 for methods with a model and 0 for the others;
            None or 0: nothing outside `where` is ever proposed.
        by: 'cost' if what the trials cost is to be small, 'trials' if their number is. By cost, the
            methods with a model judge a trial by what it may bring per cost at first, and by value
            alone later; what a trial costs is learned from the history and from `tell(…, cost=…)`.
            'auto' is 'cost' if the past runs have costs.
        options: the method's own settings, such as max_budget for 'hyperband'.

    Raises:
        SettingError: an unknown name or option, or a method that needs a history and has none.

    Examples:
        >>> import ringfence as rf
        >>> learned = rf.learn(rf.example_history(), starts=0)
        >>> optimizer = rf.optimizer("gp", learned, seed=0)
        >>> trial = optimizer.ask()
        >>> optimizer.tell(trial, 0.31).state
        'done'
    """
    if isinstance(where, LearnedSpace) and where.hub:
        history = with_past(where, history)
    checked_direction = _direction(direction, where, history)
    checked_seed = integer(seed, "seed", 0)
    if checked_seed is None:
        raise SettingError("an optimizer needs a seed; 0 is as good as any")
    if candidates is not None and not isinstance(candidates, CandidateList):
        candidates = list(candidates)
    if name == "auto":
        name = "gp" if history is None else "transfer"
    domain = domain_of(where, candidates)
    share = guard_share(guard, method_class(name).usual_guard)
    sources = None
    if history is not None:
        sources = sources_of(history, domain.layout, meta_features, target)
        if domain.learned.hub:
            known = msgspec.to_builtins(known_models(domain.learned))
            sources = replace(sources, known=known)
    costs = domain.learned.costs is not None or (sources is not None and have_costs(sources.tasks))
    unit = unit_of(by, costs=costs)
    first = domain.starts(_n_starts(starts, name, domain), unit)
    setup = Setup(
        domain,
        checked_seed,
        sources,
        first,
        guard_of(where, candidates, share),
        checked_direction,
        unit,
    )
    return Optimizer(name, setup, options)


def _direction(
    direction: Direction | None, where: LearnedSpace | Space, history: Runs | None
) -> Direction:
    """The direction that was said, else 'minimize'; SettingError if past runs were maximized, since
    then nobody knows whether the new values are such scores or losses."""
    if direction is not None:
        require_direction(direction)
        return direction
    past: list[tuple[str, str]] = []
    if isinstance(history, History):
        past.append((history.roles.objective, history.roles.direction))
    if isinstance(where, LearnedSpace):
        past.append((where.provenance.objective, where.provenance.direction))
    for name, way in past:
        if way == "maximize":
            raise SettingError(
                f"the past runs maximize {name!r}: say direction='maximize' if you return such "
                "values, or direction='minimize' if less of yours is better"
            )
    return "minimize"


def _n_starts(starts: Starts, name: str | type[BaseMethod], domain: Domain) -> int:
    if starts == "auto":
        return 0 if name == "transfer" else min(USUAL_STARTS, len(domain.learned.portfolio))
    return integer(starts, "starts", 0) or 0
