"""Ray Tune: ASHA over a learned ellipsoid, with Optuna's TPE inside it."""

import math
import tempfile

import ray
from ray import tune
from ray.tune.schedulers import ASHAScheduler
from ray.tune.search.optuna import OptunaSearch

import ringfence as rf
from ringfence.adapters import raytune

learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)


def train(config):
    """In the place of training a support vector machine."""
    for step in range(1, 4):
        tune.report({"error": abs(math.log10(config["C"]) - 1) + 1 / step})


ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
searcher = raytune.searcher(learned, "error", "min", base=OptunaSearch(seed=0))
tuner = tune.Tuner(
    train,
    tune_config=tune.TuneConfig(
        search_alg=searcher,
        scheduler=ASHAScheduler(max_t=3),
        metric="error",
        mode="min",
        num_samples=3,
    ),
    run_config=tune.RunConfig(storage_path=tempfile.mkdtemp(), verbose=0),
)
best = tuner.fit().get_best_result().config
print(best)
assert learned.contains(best)
