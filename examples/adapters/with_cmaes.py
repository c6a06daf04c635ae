"""CMA-ES started with the center and the shape of a learned ellipsoid."""

import math

import cmaes
import polars as pl
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import ringfence as rf
from ringfence.adapters.cmaes import start

runs = rf.example_history().frame.filter(pl.col("kernel") == "rbf")
names = ["C", "gamma", "components"]  # one kernel, three numbers
history = rf.History.from_frame(runs, task="task", objective="error", parameters=names)
learned = rf.learn(history, shape="ellipsoid", outliers=0.1, refit=True)

images, digits = load_digits(n_class=8, return_X_y=True)
X, y = images[:240], digits[:240] % 3 == 0  # a new task: is the digit 0, 3 or 6?


def error(config):
    """Of a support vector machine on principal components, cross-validated."""
    config = dict(config)
    components = math.ceil(config.pop("components") * X.shape[1])
    model = make_pipeline(StandardScaler(), PCA(components), SVC(**config))
    return 1 - cross_val_score(model, X, y, cv=3).mean()


begin = start(learned)
optimizer = cmaes.CMA(**begin.arguments, seed=0)
found = []
for _ in range(4):
    rows = [optimizer.ask() for _ in range(optimizer.population_size)]
    results = [(row, error(begin.decode(row))) for row in rows]
    optimizer.tell(results)
    found += [(value, begin.decode(row)) for row, value in results]
value, best = min(found, key=lambda one: one[0])
print(f"error {value:.3f}, inside: {learned.contains(best)}")
