"""scikit-learn: a search of a pipeline over a learned space, starting points first."""

from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import ringfence as rf
from ringfence.adapters.sklearn import LearnedSearchCV

runs = rf.example_history().frame.drop("components")  # the pipeline below has no such step
history = rf.History.from_frame(runs, task="task", objective="error")
learned = rf.learn(history)

images, digits = load_digits(n_class=8, return_X_y=True)
X, y = images[:240], digits[:240] % 3 == 0  # a new task: is the digit 0, 3 or 6?

model = make_pipeline(StandardScaler(), SVC())
search = LearnedSearchCV(model, 10, learned, history=history, cv=3, random_state=0).fit(X, y)
tried = search.cv_results_["params"]
print(f"error {1 - search.best_score_:.3f} after {len(tried)} configurations")
