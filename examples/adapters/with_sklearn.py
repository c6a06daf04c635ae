"""scikit-learn: a randomized search of a pipeline over draws from a learned ellipsoid."""

from sklearn.datasets import load_digits
from sklearn.model_selection import RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import ringfence as rf
from ringfence.adapters.sklearn import param_list

runs = rf.example_history().frame.drop("components")  # the pipeline below has no such step
history = rf.History.from_frame(runs, task="task", objective="error")
learned = rf.learn(history, shape="ellipsoid", outliers=0.1, refit=True)

images, digits = load_digits(n_class=8, return_X_y=True)
X, y = images[:240], digits[:240] % 3 == 0  # a new task: is the digit 0, 3 or 6?

candidates = param_list(learned, 20, seed=0, prefix="svc__")
model = make_pipeline(StandardScaler(), SVC())
search = RandomizedSearchCV(model, candidates, n_iter=20, cv=3, random_state=0).fit(X, y)
print(f"error {1 - search.best_score_:.3f} after {len(candidates)} candidates")
