"""Ray Tune: a learned ellipsoid with Optuna's TPE inside it."""

import math
import tempfile

import ray
from ray import tune
from ray.tune.search.optuna import OptunaSearch
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import ringfence as rf
from ringfence.adapters import raytune

learned = rf.learn(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)

images, digits = load_digits(n_class=8, return_X_y=True)
X, y = images[:240], digits[:240] % 3 == 0  # a new task: is the digit 0, 3 or 6?


def error(config):
    """Of a support vector machine on principal components, cross-validated."""
    config = dict(config)
    components = math.ceil(config.pop("components") * X.shape[1])
    model = make_pipeline(StandardScaler(), PCA(components), SVC(**config))
    return 1 - cross_val_score(model, X, y, cv=3).mean()


def train(config):
    """What a worker runs; report after each epoch if your model has some."""
    tune.report({"error": error(config)})


ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
searcher = raytune.searcher(learned, "error", "min", base=OptunaSearch(seed=0), starts=3)
tuner = tune.Tuner(
    train,
    tune_config=tune.TuneConfig(search_alg=searcher, metric="error", mode="min", num_samples=8),
    run_config=tune.RunConfig(storage_path=tempfile.mkdtemp(), verbose=0),
)
best = tuner.fit().get_best_result()
print(f"error {best.metrics['error']:.3f}, inside: {learned.contains(best.config)}")
