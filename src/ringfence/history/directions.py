"""Which way is better, by the name of the objective; a name that leaves a doubt is asked about.

A name is taken apart into words. It says which way if its words for a metric agree and the last of
them is the noun: before it nearly anything may stand ("cifar10_accuracy"), after it only what does
not change the meaning ("f1-macro", "val_loss_0", "rmse_mean"). So "accuracy_drop",
"rank_test_accuracy" and "value" say nothing.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias

Direction: TypeAlias = Literal["minimize", "maximize"]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


MORE_IS_BETTER = _set(
    "accuracy acc score scores reward rewards return returns auc auroc rocauc auprc aucpr prauc "
    "f1 fbeta r2 precision recall sensitivity specificity tpr tnr ap map miou iou jaccard dice "
    "mcc kappa qwk ndcg dcg mrr hits hitrate bleu sacrebleu rouge rougel meteor chrf cider spice "
    "psnr ssim elbo likelihood loglikelihood loglik correlation corr pearson spearman kendall "
    "silhouette hypervolume profit revenue sharpe fitness utility throughput fps speedup winrate "
    "wins success purity nmi ari rew f2 rouge1 rouge2 corrcoef spearmanr pearsonr kendalltau snr "
    "sdr pesq stoi genauigkeit trefferquote exactitude exactitud accuratezza"
)

LESS_IS_BETTER = _set(
    "loss losses error errors err rmse mse mae mape smape rmsle msle medae mmce merror logloss "
    "mlogloss nll crossentropy xent bce perplexity ppl regret cost costs latency time runtime "
    "duration seconds secs wer cer eer fpr fnr fdr misclassification deviance brier hinge pinball "
    "fid lpips aic bic divergence kl rse rae crps mase ece nrmse nmse nmae bpb bpc bpd nlpd kid "
    "fvd fehler fehlerrate verlust erreur perte pérdida errore perdita"
)

RATES = _set(
    "samples tokens steps examples images items it its iterations requests queries frames rows "
    "words sequences batches"
)
"""The more of these in a second, the better."""

PHRASES: dict[str, Direction] = {
    "auc pr": "maximize",
    "auc roc": "maximize",
    "average precision": "maximize",
    "bits per byte": "minimize",
    "bits per char": "minimize",
    "bits per dim": "minimize",
    "brier score": "minimize",
    "brier score loss": "minimize",
    "c index": "maximize",
    "concordance index": "maximize",
    "cosine similarity": "maximize",
    "cross entropy": "minimize",
    "d2 absolute error score": "maximize",
    "d2 log loss score": "maximize",
    "d2 pinball score": "maximize",
    "dice coef": "maximize",
    "dice coefficient": "maximize",
    "exact match": "maximize",
    "explained variance": "maximize",
    "false discovery rate": "minimize",
    "false negative rate": "minimize",
    "false positive rate": "minimize",
    "hit rate": "maximize",
    "kendall tau": "maximize",
    "miss rate": "minimize",
    "neg elbo": "minimize",
    "negative elbo": "minimize",
    "negative log likelihood": "minimize",
    "neg log likelihood": "minimize",
    "true negative rate": "maximize",
    "true positive rate": "maximize",
    "win rate": "maximize",
    "word error rate": "minimize",
    "zero one loss": "minimize",
    **{f"{what} per {unit}": "maximize" for what in RATES for unit in ("second", "sec", "s")},
}
"""Names whose words alone would say something else, or nothing."""

INDIFFERENT = _set(
    "val valid validation validate train training test testing eval evaluation dev holdout oof cv "
    "fold split mean avg average median best final last overall total max min maximum minimum top "
    "macro micro weighted samples ovr ovo binary multi multiclass raw balanced adjusted rate ratio "
    "percent percentage pct count at k s ms sec per epoch step episode metric metrics seed"
)
"""Words that say where, when or in which unit, not what."""

SCORES = _set(
    "calinski harabasz hamming d2 tweedie inception clip bert oob cumulative normalized norm model "
    "quality v measure adjusted rand mutual info homogeneity completeness fowlkes mallows "
    "public private leaderboard lb kaggle glue superglue mmlu humaneval game"
)
"""Scores of which more is better. Others are asked about: a score may be one of risk or energy."""

DOUBTS = _set(
    "rank ranking std var variance stderr se sem steps epochs iterations iters trials to until no "
    "non inv drop gain improvement reduction increase decrease change delta diff difference gap "
    "win attack threshold"
)
"""With one of these in front, it is not the metric itself that the number tells."""

COUNTED = _set("top hit hr pass")
"""With a number behind it, and no other metric, such a word is one: top5, hit@10, pass@1."""

NEGATIONS = _set("neg negative negated minus inverse inverted complement")
"""They turn a metric around. In front of a loss, "neg" is scikit-learn's: more is better."""

PREFIXES = ("validation", "valid", "val", "test", "train", "eval", "dev")


def guess_direction(name: str) -> Direction | None:
    """The direction that the name of an objective stands for; None if it leaves a doubt."""
    words = words_in(name)
    signs = _signs(words)
    known = {sign for sign in signs if sign is not None}
    if len(known) != 1 or _is_doubtful(words, signs) or _is_difference(name):
        return None
    direction = known.pop()
    negations = [i for i, word in enumerate(words) if word in NEGATIONS and signs[i] is None]
    if not negations:
        return direction
    is_sklearn = negations == [0] and words[0] == "neg" and direction == "minimize"
    return "maximize" if is_sklearn else None


def goal_text(objective: str, direction: Direction, *, guessed: bool) -> str:
    """What is better, in a few words: "maximize 'auc' (guessed from its name)"."""
    return f"{direction} {objective!r}" + " (guessed from its name)" * guessed


def question(name: str) -> str:
    """What to ask about an objective whose name leaves a doubt."""
    return (
        f"is more or less of {name!r} better? say direction='minimize' or 'maximize' "
        "(--direction minimize or maximize)"
    )


def _signs(words: list[str]) -> list[Direction | None]:
    """What each word says; the words of a phrase say what the phrase does."""
    signs: list[Direction | None] = [_sign(word) for word in words]
    for phrase in sorted(PHRASES, key=len):  # a longer one overrules those within it
        parts = phrase.split()
        for start in range(len(words) - len(parts) + 1):
            if words[start : start + len(parts)] == parts:
                signs[start : start + len(parts)] = [PHRASES[phrase]] * len(parts)
    if not any(signs):
        pairs = zip(words, [*words[1:], ""])
        return ["maximize" if w in COUNTED and after.isdigit() else None for w, after in pairs]
    last = max(i for i, sign in enumerate(signs) if sign is not None)
    if words[last] == "loss" and not {"return", "returns", "per", "at"}.intersection(words):
        return [sign and "minimize" for sign in signs]  # a dice loss, or what dice was lost
    return signs


def _sign(word: str) -> Direction | None:
    if word in MORE_IS_BETTER:
        return "maximize"
    return "minimize" if word in LESS_IS_BETTER else None


def _is_doubtful(words: list[str], signs: list[Direction | None]) -> bool:
    """Whether another word could change what is meant: one after the last metric that is not
    INDIFFERENT, one of DOUBTS, when the best was reached, or a score of nobody knows what."""
    last = max(i for i, sign in enumerate(signs) if sign is not None)
    others = [word for word, sign in zip(words, signs) if sign is None and not word.isdigit()]
    moment = {"epoch", "step"}.intersection(others) and {"best", "at"}.intersection(others)
    if moment or DOUBTS.intersection(others):
        return True
    if {word for word, sign in zip(words, signs) if sign is not None} <= {"score", "scores"}:
        return not INDIFFERENT.union(SCORES, NEGATIONS).issuperset(others)
    tail = [word for word in words[last + 1 :] if not word.isdigit()]
    return not INDIFFERENT.issuperset(tail)


def _is_difference(name: str) -> bool:
    """Whether the name is an expression, such as 1-auc or -accuracy."""
    return re.match(r"\s*(1(\.0)?\s*)?[-−–]", name) is not None


def words_in(name: str) -> list[str]:
    """The words of a name in lower case: validation_0-mLogLoss → validation, 0, mlogloss."""
    pieces = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", name))
    return [word for piece in pieces for word in _of_piece(piece)]


def _of_piece(piece: str) -> list[str]:
    """The words of a name without separators: valAcc, testerror, map50, F1Score."""
    word = piece.lower()
    if _is_known(word):
        return [word]
    parts = re.findall(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+", piece)
    if len(parts) > 1 and "".join(parts) == piece and any(_is_known(p.lower()) for p in parts):
        return [part.lower() for part in parts]
    bare = word.rstrip("0123456789")
    if bare != word and _is_known(bare):
        return [bare, word[len(bare) :]]
    for prefix in PREFIXES:
        if word.startswith(prefix) and _sign(word.removeprefix(prefix)) is not None:
            return [prefix, word.removeprefix(prefix)]
    return [word]


def _is_known(word: str) -> bool:
    return _sign(word) is not None or word in INDIFFERENT
