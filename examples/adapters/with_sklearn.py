"""scikit-learn: a randomized search of a pipeline over draws from a learned ellipsoid."""

from sklearn.datasets import load_digits
from sklearn.model_selection import RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import ringfence as rf
from ringfence.adapters.sklearn import param_list

runs = rf.example_history().frame.drop("components")
history = rf.History.from_frame(runs, task="task", objective="error")
learned = rf.learn(history, shape="ellipsoid", outliers=0.1, refit=True)

X, y = load_digits(n_class=4, return_X_y=True)
candidates = param_list(learned, 8, seed=0, prefix="svc__")
model = make_pipeline(StandardScaler(), SVC())
search = RandomizedSearchCV(model, candidates, n_iter=8, cv=3, random_state=0).fit(X[:300], y[:300])
print(f"{search.best_score_:.3f} with {search.best_params_}")
