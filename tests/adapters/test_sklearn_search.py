"""LearnedSearchCV: scikit-learn's own checks, and that its search is ours."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import ringfence as rf
from ringfence.adapters.sklearn.estimators import ESTIMATORS, known_of, naming_of_hub
from ringfence.adapters.sklearn.failures import reason_of
from ringfence.adapters.sklearn.names import prefix_of

pytest.importorskip("sklearn")
import sklearn.ensemble
import sklearn.linear_model
import sklearn.neighbors
import sklearn.neural_network
import sklearn.svm
from sklearn.base import clone, is_classifier
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import ElasticNet, LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, RandomizedSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from ringfence.adapters.sklearn import LearnedSearchCV, arguments, param_list
from ringfence.adapters.sklearn.doubts import Data, deviation_of, doubts
from ringfence.learned.full import full_space

HOMES = {
    name: module
    for module in (sklearn.svm, sklearn.ensemble, sklearn.neighbors, sklearn.neural_network,
                   sklearn.linear_model)
    for name in dir(module)
}  # fmt: skip
# what l1_ratio needs before scikit-learn 1.8
PENALTY = {"penalty": "elasticnet"} if LogisticRegression().penalty == "l2" else {}
MAIN_NAMES = {
    "n_estimators": "num_iterations", "min_child_samples": "min_data_in_leaf",
    "subsample": "bagging_fraction", "subsample_freq": "bagging_freq",
    "colsample_bytree": "feature_fraction", "reg_alpha": "lambda_l1", "reg_lambda": "lambda_l2",
    "min_split_gain": "min_gain_to_split",
}  # fmt: skip  # of LightGBM
ADAM = {"solver": "adam", "early_stopping": False}
SPACE = rf.Space({"C": rf.Float(0.01, 100.0, log=True), "gamma": rf.Float(1e-4, 10.0, log=True)})
ONE = rf.Space({"C": rf.Float(0.01, 100.0, log=True)})


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    mixed = np.random.default_rng(0).permutation(len(y))
    return X[mixed], y[mixed]


def failed_checks(search) -> set[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(search, on_fail=None)
    assert sum(one["status"] == "passed" for one in results) > 40
    return {one["check_name"] for one in results if one["status"] == "failed"}


def test_it_passes_the_checks_that_the_randomized_search_passes():
    ours = LearnedSearchCV(LogisticRegression(), 2, ONE, cv=2, random_state=0)
    theirs = RandomizedSearchCV(LogisticRegression(), {"C": [0.1, 1]}, n_iter=2, cv=2)
    assert failed_checks(ours) <= failed_checks(theirs)


def test_it_tries_what_the_optimizer_says_and_tells_it_the_mean_score(iris):
    search = LearnedSearchCV(SVC(), 7, SPACE, cv=3, random_state=4).fit(*iris)
    seed = int(np.random.RandomState(4).randint(2**31 - 1))
    again = rf.optimizer("gp", SPACE, seed=seed, direction="maximize")
    for params, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"]):
        trial = again.ask()
        assert trial.config == params
        by_hand = cross_val_score(SVC(**trial.config), *iris, cv=3).mean()
        assert score == pytest.approx(by_hand)
        again.tell(trial, score)
    assert search.best_score_ == max(trial.value for trial in search.optimizer_.trials)
    assert search.best_params_["C"] == search.best_estimator_.C
    assert search.predict(iris[0]).shape == iris[1].shape


def test_starting_points_come_first_and_the_trials_are_the_next_history(iris):
    learned = rf.learn(rf.example_history(), starts=3)
    space = learned.space
    names = [n for n in space.parameters if n in SVC().get_params()]
    assert set(names) < set(space.parameters)  # 'components' is none of SVC
    with pytest.raises(rf.SettingError, match="the estimator has no 'components'"):
        LearnedSearchCV(SVC(), 3, learned).fit(*iris)
    runs = rf.example_history().frame.drop("components")
    learned = rf.learn(rf.History.from_frame(runs, task="task", objective="error"), starts=3)
    search = LearnedSearchCV(SVC(), 4, learned, cv=3, random_state=0).fit(*iris)
    assert search.cv_results_["params"][:3] == [
        dict(start) for start in learned.starts(3, by="trials")
    ]
    history = search.trials("iris")
    assert history.tasks == ("iris",) and len(history) == 4
    assert history.roles.cost is not None  # the seconds of the fits


def test_a_history_gives_the_transfer_optimizer(iris):
    runs = rf.example_history().frame.drop("components").head(256 * 4)
    history = rf.History.from_frame(runs, task="task", objective="error")
    learned = rf.learn(history, shape="full", starts=0)
    search = LearnedSearchCV(SVC(), 2, learned, history=history, cv=3, random_state=0).fit(*iris)
    assert search.optimizer_.name == "transfer"


def test_a_step_of_a_pipeline_is_found(iris):
    model = make_pipeline(StandardScaler(), SVC())
    search = LearnedSearchCV(model, 3, SPACE, cv=3, random_state=0).fit(*iris)
    assert set(search.best_params_) == {"svc__C", "svc__gamma"}
    assert search.trials().frame.columns[:3] and "C" in search.trials().frame.columns


class Open(SVC):
    """Takes arguments that it does not name, as LightGBM's max_bin is one."""

    def __init__(self, C=1.0, **more):
        super().__init__(C=C)
        self.more = more

    def get_params(self, deep=True):
        return {"C": self.C, **self.more}

    def set_params(self, **given):
        self.C = given.pop("C", self.C)
        self.more |= given
        return self


def test_arguments_that_an_estimator_takes_unnamed_are_its_own(iris):
    space = rf.Space({"C": rf.Float(0.1, 10.0), "max_bin": rf.Int(15, 255)})
    for model, prefix in ((Open(), ""), (make_pipeline(StandardScaler(), Open()), "open__")):
        search = LearnedSearchCV(model, 2, space, cv=2, random_state=0).fit(*iris)
        assert set(search.best_params_) == {f"{prefix}C", f"{prefix}max_bin"}
    with pytest.raises(rf.SettingError, match="the estimator has no 'depth'"):
        LearnedSearchCV(Open(), 2, rf.Space({"depth": rf.Int(1, 3)}), cv=2).fit(*iris)


@pytest.mark.parametrize(
    "parameters, names, prefix",
    [
        ({"C", "gamma"}, ["C"], ""),
        ({"svc", "svc__C", "svc__gamma", "scale__with_mean"}, ["C", "gamma"], "svc__"),
        ({"a", "a__b", "a__b__C", "a__x"}, ["C"], "a__b__"),
        ({"svc__C", "svc__gamma"}, ["svc__C", "svc__gamma"], ""),
    ],
)
def test_where_the_parameters_are(parameters, names, prefix):
    assert prefix_of(parameters, names) == prefix


def test_unclear_steps_are_named():
    with pytest.raises(rf.SettingError, match=r"several steps have all .*a__.*b__"):
        prefix_of({"a__C", "b__C"}, ["C"])
    with pytest.raises(rf.SettingError, match="step 'a' has no 'depth'"):
        prefix_of({"a__C"}, ["C", "depth"])


def test_a_configuration_that_fails_everywhere_is_a_failed_trial(iris):
    space = rf.Space({"C": rf.Categorical([1.0, -1.0, 10.0])})
    search = LearnedSearchCV(SVC(), 3, space, cv=3, random_state=0, optimizer="random")
    with pytest.warns(UserWarning, match="1 of 3 configurations failed in every fold"):
        search.fit(*iris)
    assert [t.config["C"] for t in search.optimizer_.trials if t.state == "failed"] == [-1.0]
    (reason,) = [t.reason for t in search.optimizer_.trials if t.state == "failed"]
    assert reason.startswith("all fits failed: sklearn.utils._param_validation.InvalidParameterErr")
    assert reason.endswith("in the range (0.0, inf]. Got -1.0 instead.")
    assert -1.0 not in [params["C"] for params in search.cv_results_["params"]]
    with pytest.raises(ValueError, match="All the 3 fits failed"):
        LearnedSearchCV(SVC(), 1, rf.Space({"C": rf.Categorical([-1.0])}), cv=3).fit(*iris)
    with pytest.raises(ValueError, match="'C' parameter of SVC"):
        LearnedSearchCV(SVC(), 3, space, cv=3, error_score="raise", optimizer="random").fit(*iris)


class Fussy(SVC):
    """Fails with many words on several lines."""

    def fit(self, X, y):
        raise RuntimeError("no memory on the device" + "!" * 400 + "\nat frame 1\nat frame 2")


def test_the_reason_of_a_failure_is_the_first_line_of_the_error(iris):
    search = LearnedSearchCV(Fussy(), 1, SPACE, cv=3, random_state=0)
    with pytest.raises(ValueError, match="All the 3 fits failed"):
        search.fit(*iris)
    (trial,) = search.optimizer_.trials
    assert trial.reason.startswith("all fits failed: RuntimeError: no memory on the device!!!")
    assert len(trial.reason) == 300 and "frame" not in trial.reason


def test_scores_that_are_not_finite_are_told_once_for_all_configurations(iris):
    def score(model, X, y):
        return np.nan if model.C < 1 else model.score(X, y)

    search = LearnedSearchCV(SVC(), 6, ONE, cv=3, random_state=0, scoring=score, optimizer="random")
    with pytest.warns(UserWarning, match="test scores are non-finite") as told:
        search.fit(*iris)
    assert len(told) == 1 and str(search.cv_results_["mean_test_score"]) in str(told[0].message)
    assert {trial.state for trial in search.optimizer_.trials} == {"done", "failed"}


def test_of_several_configurations_at_once_no_reason_is_said_to_be_anyones():
    error = ValueError("All the 2 fits failed.\n----\nTraceback (most recent):\n  x\nE: a\nb\n")
    assert reason_of(error, 2) == "all fits failed of 2 configurations at once, the last: E: a"
    assert reason_of(ValueError("All the 2 fits failed."), 1).endswith(": All the 2 fits failed.")


def test_a_small_space_ends_the_search(iris):
    space = rf.Space({"C": rf.Categorical([1.0, 10.0])})
    search = LearnedSearchCV(SVC(), 9, space, cv=3, random_state=0).fit(*iris)
    assert sorted(p["C"] for p in search.cv_results_["params"]) == [1.0, 10.0]


def test_several_scores(iris):
    scores = ["accuracy", "f1_macro"]
    search = LearnedSearchCV(SVC(), 4, SPACE, cv=3, scoring=scores, refit="f1_macro")
    search.fit(*iris)
    values = [trial.value for trial in search.optimizer_.trials]
    assert values == search.cv_results_["mean_test_f1_macro"].tolist()
    with pytest.raises(rf.SettingError, match="refit= one of 'accuracy', 'f1_macro'"):
        LearnedSearchCV(SVC(), 4, SPACE, cv=3, scoring=scores, refit=False).fit(*iris)


def test_it_repeats_itself_and_can_be_cloned(iris):
    search = LearnedSearchCV(SVC(), 4, SPACE, cv=3, random_state=1)
    first = search.fit(*iris).cv_results_["params"]
    assert clone(search).fit(*iris).cv_results_["params"] == first
    assert (
        LearnedSearchCV(SVC(), 4, SPACE, cv=3, random_state=2).fit(*iris).cv_results_["params"]
        != first
    )


def test_groups_reach_the_folds(iris):
    groups = np.arange(len(iris[1])) % 3
    search = LearnedSearchCV(SVC(), 2, SPACE, cv=GroupKFold(3), random_state=0)
    search.fit(*iris, groups=groups)
    assert search.n_splits_ == 3


def test_more_processes_than_folds_try_several_at_once(iris, monkeypatch):
    import ringfence.adapters.sklearn.search as module

    monkeypatch.setattr(module, "effective_n_jobs", lambda n_jobs: 6)
    sizes = []
    plain = module.BaseSearchCV._format_results

    def counting(self, params, *rest):
        sizes.append(len(params))
        return plain(self, params, *rest)

    monkeypatch.setattr(module.BaseSearchCV, "_format_results", counting)
    LearnedSearchCV(SVC(), 6, SPACE, cv=3, random_state=0).fit(*iris)
    assert sizes == [1, 3, 5, 6]  # one to learn the number of folds, then two at once


def test_what_is_wrong_is_said_in_a_line(iris):
    for search, words in [
        (LearnedSearchCV(SVC(), 0, SPACE), "n_iter must be at least 1"),
        (LearnedSearchCV(SVC(), 3, {"C": [1]}), r"Space is needed, not dict; a Space is rf\.Space"),
        (
            LearnedSearchCV(SVC(), {"C": [1]}, 3),
            r"not 3; the order is .*\(estimator, n_iter, space",
        ),
        (LearnedSearchCV(SVC(), 3, SPACE, optimizer="gb"), "gb"),
    ]:
        with pytest.raises(rf.SettingError, match=words):
            search.fit(*iris)
    with pytest.raises(rf.FileError, match=r"nowhere\.json"):
        LearnedSearchCV(SVC(), 3, "nowhere.json").fit(*iris)
    with pytest.raises(NotFittedError):
        LearnedSearchCV(SVC(), 3, SPACE).trials()


@pytest.mark.parametrize(
    "estimator, config, arguments",
    [
        (make_pipeline(StandardScaler(), SVC()), {"kernel": "poly", "C": 2.0, "degree": 3},
         {"svc__C": 2.0, "svc__kernel": "poly", "svc__degree": 3}),
        (MLPClassifier(), {"layers": 2, "width_1": 8, "width_2": 4, "alpha": 0.1},
         {"hidden_layer_sizes": (8, 4), "alpha": 0.1, **ADAM}),
        (MLPRegressor(), {"layers": 1, "width_1": 8, "alpha": 0.0},
         {"hidden_layer_sizes": (8,), "alpha": 0.0, **ADAM}),
        (LogisticRegression(), {"C": 2.0, "class_weight": "none"},
         {"C": 2.0, "class_weight": None, "solver": "saga", **PENALTY}),
    ],
)  # fmt: skip
def test_the_names_of_the_hub_become_arguments(iris, estimator, config, arguments):
    given = naming_of_hub(estimator).arguments(config)
    assert given == arguments
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # networks that have not converged
        clone(estimator).set_params(**given).fit(*iris)


def test_the_share_of_l1_counts_in_every_version(iris, monkeypatch):
    """Before 1.8, and wherever `penalty` is set, scikit-learn ignores l1_ratio without it."""
    config = {"C": 2.0, "l1_ratio": 0.9, "class_weight": "none", "max_iter": 500}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # penalty is deprecated
        for model in (LogisticRegression(), LogisticRegression(penalty="l2")):
            names = naming_of_hub(model)
            one, other = (
                clone(model).set_params(**names.arguments({**config, "l1_ratio": share})).fit(*iris)
                for share in (0.9, 0.1)
            )
            assert np.abs(one.coef_ - other.coef_).max() > 0.1
    space = rf.hub("elastic_net", task="classification")
    for version, penalty in (("1.7.2", "elasticnet"), ("1.8.dev0", None), ("1.10.0rc1", None)):
        monkeypatch.setattr("ringfence.adapters.sklearn.estimators.version", lambda _, v=version: v)
        given = arguments(space, config)
        assert (given.get("penalty"), given["solver"]) == (penalty, "saga")


def test_linear_boosters_run_as_in_the_table_and_warn_of_nothing(iris):
    xgboost = pytest.importorskip("xgboost")
    config = {"booster": "gblinear", "n_estimators": 5, "learning_rate": 0.3, "subsample": 0.5}
    given = ESTIMATORS["XGBClassifier"].arguments(config)
    linear = {"booster": "gblinear", "n_estimators": 5, "learning_rate": 0.3}
    assert given == linear | {"updater": "coord_descent"}
    model = clone(xgboost.XGBClassifier(n_jobs=1)).set_params(**given)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(*iris)
    trees = {"booster": "gbtree", "subsample": 0.5}
    assert ESTIMATORS["XGBClassifier"].arguments(trees) == trees


def test_the_estimator_that_the_hub_knows_is_found_in_a_pipeline():
    names = naming_of_hub(make_pipeline(StandardScaler(), SVC()))
    assert (names.prefix, names.known.entry) == ("svc__", "svm")
    with pytest.raises(rf.SettingError, match="no space for StandardScaler"):
        naming_of_hub(StandardScaler())
    with pytest.raises(rf.SettingError, match="several parts of the estimator, a__, b__"):
        naming_of_hub(VotingClassifier([("a", SVC()), ("b", SVC())]))


def test_a_learner_that_the_hub_does_not_know_is_named():
    with pytest.raises(rf.SettingError, match=r"no space for Ridge: .*SVC, XGB$"):
        naming_of_hub(make_pipeline(StandardScaler(), Ridge()))


def test_a_space_of_another_learner_is_refused(iris):
    for origin in ("xgboost", "mlp-tabr"):
        search = LearnedSearchCV(MLPClassifier(), 3, rf.hub(origin))
        with pytest.raises(rf.SettingError, match=f"the hub's '{origin}', which MLPClassifier"):
            search.fit(*iris)
    for task, model in (("regression", LogisticRegression()), ("classification", ElasticNet())):
        search = LearnedSearchCV(model, 3, rf.hub("elastic_net", task=task))
        with pytest.raises(rf.SettingError, match=f"'elastic_net/{task}', which [EL]"):
            search.fit(*iris)
    with pytest.raises(rf.SettingError, match=r"pass space=rf\.hub\('svm', task=…\)"):
        LearnedSearchCV(SVC(), 3, "svm").fit(*iris)
    with pytest.raises(rf.SettingError, match=r"pass space=rf\.hub\('svm', task=…\)"):
        LearnedSearchCV(SVC(), 3, rf.hub()["svm"]).fit(*iris)


def test_of_several_known_parts_the_space_says_which():
    both = StackingClassifier([("a", SVC())], final_estimator=KNeighborsClassifier())
    assert naming_of_hub(both, "svm/classification").prefix == "a__"


def test_of_a_selection_and_a_learner_the_learner_is_tuned():
    inner = make_pipeline(StandardScaler(), SVC())
    both = make_pipeline(SelectFromModel(RandomForestClassifier()), inner)
    assert naming_of_hub(both).prefix == "pipeline__svc__"
    assert naming_of_hub(make_pipeline(SelectFromModel(SVC()), SVC())).prefix == "svc__"


def warned(search, X, y) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search.fit(X, y)
    assert all(each.filename == __file__ for each in caught if "hub" in str(each.message))
    return [str(each.message) for each in caught if "onverge" not in str(each.message)]


def test_what_the_user_set_and_the_hub_sets_anew_is_told(iris):
    assert warned(LearnedSearchCV(SVC(C=1.0, cache_size=100), 2, cv=2), *iris) == []
    (told,) = warned(LearnedSearchCV(SVC(C=3.0), 2, cv=2), *iris)
    assert told.startswith("the search sets C, and yours, 3.0, is not kept")
    (told,) = warned(
        LearnedSearchCV(RandomForestClassifier(bootstrap=False), 1, cv=2, random_state=0), *iris
    )  # which would fail, since the hub's forests draw a part of the rows
    assert told.startswith("the search sets bootstrap, and yours, False")
    assert warned(LearnedSearchCV(SVC(C=3.0), 2, ONE, cv=2), *iris) == []  # it names C itself
    (told,) = warned(LearnedSearchCV(MLPClassifier((5,)), 1, cv=2, random_state=0), *iris)
    assert told.startswith("the search sets hidden_layer_sizes, and yours, (5,)")  # of two widths
    with pytest.raises(rf.SettingError, match="yours is 'precomputed'"):
        LearnedSearchCV(SVC(kernel="precomputed"), 2).fit(iris[0] @ iris[0].T, iris[1])


class Odd:
    def __eq__(self, other):
        raise KeyError("never compared")

    __hash__ = None


@pytest.mark.parametrize("value", [Odd(), np.array([1.0, 2.0]), float("nan"), None])
def test_whatever_is_set_is_told_and_no_error(value):
    naming, space = naming_of_hub(SVC()), rf.hub("svm")
    told = list(doubts(SVC(C=value), naming, space, Data("classification", 150, None)))
    assert len(told) == 1 and told[0].startswith("the search sets C, and yours, ")
    assert list(doubts(SVC(C=1), naming, space, Data("classification", 150, None))) == []


def test_a_class_of_ones_own_with_a_name_of_the_hub_may_need_arguments():
    class SVC(sklearn.svm.SVC):
        def __init__(self, C, *, kernel="rbf"):
            super().__init__(C=C, kernel=kernel)

    told = doubts(SVC(2.0), naming_of_hub(SVC(2.0)), rf.hub("svm"), Data("classification", 9, None))
    assert [line.split(",")[0] for line in told] == ["the search sets C"]


def test_another_name_of_a_searched_argument_is_refused(iris):
    """LightGBM's own name would win, and the parameters that are reported would be false."""
    lightgbm = pytest.importorskip("lightgbm")
    own = rf.Space({"n_estimators": rf.Int(2, 9)})
    for space in ("auto", own):
        search = LearnedSearchCV(lightgbm.LGBMClassifier(num_iterations=3, verbose=-1), 2, space)
        with pytest.raises(rf.SettingError, match="num_iterations=3, which is n_estimators by"):
            search.fit(*iris)
    one = lightgbm.LGBMClassifier(eta=0.3, verbose=-1, n_jobs=1)  # not searched: it may stay
    LearnedSearchCV(one, 2, own, cv=2).fit(*iris)
    for alias, name in ESTIMATORS["LGBMClassifier"].aliases.items():
        assert {alias, name} <= lightgbm.basic._ConfigAliases.get(MAIN_NAMES.get(name, name))


def test_data_unlike_those_of_the_hub_are_told(iris):
    X, y = np.tile(iris[0], (20, 1)), np.tile(iris[1], 20)
    (told,) = warned(LearnedSearchCV(RandomForestClassifier(), 1, cv=2, random_state=0), X, y)
    assert told.startswith("the hub knows data of") and "these are 3,000" in told
    dollars = 1e5 * iris[0][:, 0]
    odd = (["a", "b"], [], [np.inf, 0.0], [1e300, -1e300], None, [[1.0], [None]], object())
    assert [deviation_of(y) for y in odd] == [None] * len(odd)
    (told,) = warned(LearnedSearchCV(MLPRegressor(), 2, cv=2, random_state=0), *(iris[0], dollars))
    assert "deviation of the target is 8.25e+04" in told
    scaled = TransformedTargetRegressor(MLPRegressor(), transformer=StandardScaler())
    assert warned(LearnedSearchCV(scaled, 2, cv=2, random_state=0), iris[0], dollars) == []
    search = LearnedSearchCV(SVC(), 2, cv=2).fit(*iris)
    assert search.space_.hub == "svm/classification"
    other = rf.hub("knn", task="regression")
    (told,) = warned(LearnedSearchCV(KNeighborsClassifier(), 2, other, cv=2), *iris)
    assert "for regression: for this estimator there is rf.hub('knn', task='class" in told


def test_what_held_for_own_runs_is_not_said_of_published_ones():
    """TabR tuned LightGBM with bagging switched off; subsample_freq=1 would switch it on."""
    known = ESTIMATORS["LGBMClassifier"]
    assert known.arguments({"subsample": 0.5}) == {"subsample_freq": 1, "subsample": 0.5}
    published = known_of("lightgbm-tabr/any").arguments({"bagging_fraction": 0.5})
    assert published == {"bagging_fraction": 0.5}


@pytest.mark.parametrize(
    "space, estimator",
    [
        (rf.hub("svm"), SVC()),
        (rf.hub("random_forest"), RandomForestClassifier()),
        (rf.hub("mlp"), MLPClassifier()),
        (rf.hub("elastic_net", task="classification"), LogisticRegression()),
        (rf.hub("elastic_net", task="regression"), ElasticNet()),
    ],
)
def test_draws_from_the_hub_have_the_names_of_the_estimator(space, estimator):
    for each in param_list(space, 20, seed=0):
        clone(estimator).set_params(**{name: value[0] for name, value in each.items()})
    plain = {"layers": 1, "class_weight": "none"}
    assert arguments(space.space, plain) == plain  # not from the hub


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_every_entry_fits_its_estimators(name, iris):
    """Each of ten draws of an entry, as arguments, makes an estimator that can be fitted."""
    module = HOMES.get(name)
    if module is None:
        module = pytest.importorskip({"X": "xgboost", "L": "lightgbm", "C": "catboost"}[name[0]])
    estimator = getattr(module, name)()
    kind = "classification" if is_classifier(estimator) else "regression"
    known = ESTIMATORS[name]
    space = rf.hub(known.entry, task=kind, rows=150)
    for config in [*space.starts(3), *space.sample(7, seed=0)]:
        model = clone(estimator).set_params(**known.arguments(config))
        cheap = {n: 20 for n in ("n_estimators", "max_iter") if n in known.arguments(config)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what has not converged
            assert len(model.set_params(**cheap).fit(*iris).predict(iris[0])) == len(iris[1])


def test_the_hub_is_the_space_unless_another_is_given(iris):
    model = make_pipeline(StandardScaler(), SVC())
    search = LearnedSearchCV(model, 6, cv=3, random_state=0).fit(*iris)
    first = rf.hub("svm", task="classification", rows=150)
    assert search.optimizer_.name == "transfer"  # by the hub's own history
    assert all(set(t.config) <= set(first.space.parameters) for t in search.optimizer_.trials)
    assert search.best_score_ > 0.9 and search.best_params_["svc__C"] > 0
    again = LearnedSearchCV(model, 6, first, cv=3, random_state=0).fit(*iris)
    assert again.cv_results_["params"] == search.cv_results_["params"]


def test_a_space_that_says_falsely_that_it_is_of_the_hub_keeps_its_names(iris, tmp_path):
    space = rf.Space({"C": rf.Float(0.1, 10.0, log=True)})
    learned = replace(full_space(space), hub="knn/any")
    learned.save(tmp_path / "learned.json")
    search = LearnedSearchCV(SVC(), 2, tmp_path / "learned.json", random_state=0, cv=2).fit(*iris)
    assert list(search.best_params_) == ["C"]
