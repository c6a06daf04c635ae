"""NePS: a learned box as a prior over the original ranges."""

import importlib.util
import tempfile

import polars as pl

import ringfence as rf
from ringfence.adapters.neps import pipeline_space, priors

runs = rf.example_history().frame.filter(pl.col("kernel") == "rbf")
names = ["C", "gamma", "components"]
history = rf.History.from_frame(runs, task="task", objective="error", parameters=names)
learned = rf.learn(history, shape="box", outliers=0.1, refit=True)

for name, prior in priors(learned).items():
    print(name, prior)

if importlib.util.find_spec("neps"):  # it wants pandas before 3, so it may not be here
    import neps

    neps.run(
        lambda C, gamma, components: abs(C - 10) + gamma + components,
        pipeline_space=pipeline_space(learned),
        root_directory=tempfile.mkdtemp() + "/results",
        total_evaluations_to_spend=5,
    )
