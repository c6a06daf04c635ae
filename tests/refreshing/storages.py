"""An Optuna storage to which things happen."""

from __future__ import annotations

import random

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)


class Busy:
    """A storage in which studies come and go, and trials begin, end and fail, by a seed."""

    def __init__(self, url: str, seed: int) -> None:
        self.url, self.rng = url, random.Random(seed)
        self.names: list[str] = []
        self.running: list[tuple[str, optuna.Trial]] = []
        self.made = 0

    def happen(self) -> None:
        """Something."""
        luck = self.rng.random()
        if luck < 0.2 or not self.names:
            self.create()
        elif luck < 0.3 and len(self.names) > 2:
            self.delete()
        elif luck < 0.5 and self.running:
            self.finish()
        else:
            self.try_some(self.rng.choice(self.names), self.rng.randrange(1, 5))

    def create(self) -> None:
        name = f"task-{self.made}"
        self.made += 1
        optuna.create_study(storage=self.url, study_name=name)
        self.names.append(name)
        self.try_some(name, 2)

    def delete(self) -> None:
        name = self.names.pop(self.rng.randrange(len(self.names)))
        self.running = [pair for pair in self.running if pair[0] != name]
        optuna.delete_study(storage=self.url, study_name=name)

    def finish(self) -> None:
        name, trial = self.running.pop(self.rng.randrange(len(self.running)))
        if self.rng.random() < 0.5:
            trial.suggest_float("late", 0, 1)
        optuna.load_study(storage=self.url, study_name=name).tell(trial, self.rng.random())

    def try_some(self, name: str, n: int) -> None:
        sampler = optuna.samplers.RandomSampler(seed=self.rng.randrange(2**31))
        study = optuna.load_study(storage=self.url, study_name=name, sampler=sampler)
        for _ in range(n):
            trial = study.ask()
            trial.suggest_float("x", 0, self.rng.choice([1, 1, 1, 2]))
            trial.suggest_categorical("kernel", ["linear", "rbf"])
            luck = self.rng.random()
            if luck < 0.2:
                self.running.append((name, trial))
            elif luck < 0.3:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                study.tell(trial, self.rng.random())
