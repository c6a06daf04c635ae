"""How to use a learned space: the program for the tool that the runs came from, then the others."""

from __future__ import annotations

from dataclasses import dataclass

from ringfence.adapters import TOOLS
from ringfence.adapters.export import filled, snippet
from ringfence.errors import RingfenceError
from ringfence.history import History
from ringfence.learned.file_format import encode
from ringfence.learned.space import LearnedSpace

LEARNED_FILE = "learned.json"
LARGEST = 200_000  # bytes of a learned space that the page still carries along
OF_READER = {"raytune": "ray"}
"""Readers whose tool has another name in `ringfence export`."""
SKLEARN_SCORE = "mean_test_score"  # the column of `cv_results_`
NAMES = {
    "optuna": "Optuna", "configspace": "ConfigSpace", "smac": "SMAC3", "ray": "Ray Tune",
    "botorch": "BoTorch", "ax": "Ax", "sklearn": "scikit-learn", "synetune": "Syne Tune",
    "neps": "NePS", "cmaes": "CMA-ES", "hyperopt": "Hyperopt",
}  # fmt: skip
OWN = '''"""ringfence: its own optimizer inside the learned space."""

import ringfence as rf

learned = rf.load(LEARNED)


def objective(config):
    return 0.0  # train with config, return RESULT


outcome = rf.minimize(objective, learned, n_trials=20, direction="DIRECTION")
print(outcome)
'''


@dataclass(frozen=True)
class Program:
    """A program that searches the learned space."""

    tool: str
    command: str
    """What writes it, with `ringfence export`; empty for ringfence's own."""
    text: str


@dataclass(frozen=True)
class Use:
    """What a reader does next."""

    programs: tuple[Program, ...]
    """The one for the tool that the runs came from is the first."""
    saved: str
    """The content of LEARNED_FILE; empty if it is too large for a page."""


def use_of(history: History, learned: LearnedSpace) -> Use:
    """The programs of all tools that can search the learned space."""
    found = [Program("ringfence", "", filled(OWN, learned, LEARNED_FILE))]
    for tool in TOOLS:
        try:
            text = snippet(learned, LEARNED_FILE, tool)
        except RingfenceError:  # the tool cannot search such a space
            continue
        command = f"ringfence export {LEARNED_FILE} --to {tool}"
        found.append(Program(NAMES.get(tool, tool), command, text))
    wanted = origin(history)
    found.sort(key=lambda program: program.tool != NAMES.get(wanted, wanted))
    saved = encode(learned)
    return Use(tuple(found), saved.decode() if len(saved) <= LARGEST else "")


def origin(history: History) -> str:
    """The tool that the runs came from, as `ringfence export` calls it; else ringfence itself."""
    if history.roles.objective == SKLEARN_SCORE:
        return "sklearn"
    tool = OF_READER.get(history.tool, history.tool)
    return tool if tool in TOOLS else "ringfence"
