"""What the paper says in passing and a small example decides."""

from __future__ import annotations

import numpy as np

import ringfence as rf


def test_a_minimum_of_the_learned_space_need_not_be_one_of_the_full_space():
    """Section 3 calls the local minima of eq. 2 a subset of those of eq. 1: f(x) = x has one in
    [0, 1], at 0, and another one in the box around tasks whose best is not there."""
    space = rf.Space({"x": rf.Float(0.0, 1.0)})
    tasks = [{"task": f"t{x}", "x": x, "loss": 0.0} for x in (0.3, 0.45, 0.6)]
    learned = rf.learn(tasks, space, task="task", objective="loss", direction="minimize", starts=0)
    x = np.sort([config["x"] for config in learned.sample(200, seed=0)])
    low, _ = learned.bounds["x"]
    assert low > 0 and learned.contains({"x": low}) and (x >= low).all()
    step = 0.01 * low
    assert not learned.contains({"x": low - step}) and space["x"].low < low - step < low
