"""Which numbers a run ended with rather than what was tried, by the name of the column."""

from __future__ import annotations

import re
import unicodedata

import polars as pl

from ringfence.history.directions import guess_direction

LOSSES = (
    "objective", "loss", "error", "val_loss", "valid_loss", "validation_loss", "val_error",
    "validation_error", "rmse", "mse", "mae", "mmce", "logloss", "log_loss", "value",
)  # fmt: skip
SCORES = (
    "score", "accuracy", "val_accuracy", "acc", "val_acc", "bal_accuracy", "balanced_accuracy",
    "auc", "roc_auc", "f1", "macro_f1", "r2", "reward",
)  # fmt: skip
METRICS = LOSSES + SCORES
"""What objectives are usually called."""
OUTCOMES = {
    "best_epoch", "best_step", "best_iteration", "stopped_epoch", "last_epoch", "epochs_run",
    "epochs_trained", "epochs_completed", "epoch", "step", "global_step", "steps_done", "n_params",
    "num_params", "n_parameters", "params_count", "model_size", "model_size_mb", "flops", "memory",
    "memory_mb", "memory_gb", "max_memory", "peak_memory", "gpu_memory", "ram", "gpu_util",
    "best_iter", "best_ntree_limit", "final_epoch", "n_iter_", "training_iteration",
    "iterations_since_restore", "timesteps_total", "episodes_total", "episode_len_mean",
    "best_so_far", "best_value_so_far", "incumbent", "total_flos", "grad_norm", "fps", "tp", "fp",
    "tn", "fn", "ci_low", "ci_high", "ci_lower", "ci_upper", "stderr", "std", "support",
    "public_lb", "private_lb", "energy_kwh", "dice_coef", "param_count",
    "peak_memory_gb", "peak_memory_mb", "peak_mem", "peak_mem_gb", "peak_mem_mb", "peak_ram",
    "peak_vram", "gpu_memory_gb", "gpu_memory_mb", "max_rss", "maxrss",
    "gpu_hours", "gpu_minutes", "gpu_seconds", "node_hours", "cost_usd", "cost_eur", "price",
    "price_usd", "compute_cost", "training_cost", "train_cost", "total_cost", "run_cost",
}  # fmt: skip
"""What a run ended with besides its metrics."""
RESULTS = {
    "loss", "error", "err", "acc", "accuracy", "auc", "auroc", "auprc", "f1", "score", "mse",
    "rmse", "mae", "mape", "r2", "mmce", "recall", "logloss", "perplexity", "ppl", "bleu", "rouge",
    "iou", "miou", "dice", "nll", "kappa", "mcc", "reward", "return", "metric", "ndcg", "crps",
}  # fmt: skip
"""A number whose name has one of these words, such as train_loss_3 or acc_top1, is a result …"""
SETTINGS = {
    "weight", "weights", "coef", "coeff", "alpha", "beta", "gamma", "scale", "threshold", "target",
    "tol", "tolerance", "patience", "size", "split", "fraction", "frac", "ratio", "share", "batch",
    "freq", "frequency", "interval", "every", "samples", "num", "n", "k", "folds", "limit",
    "budget", "type", "fn", "function", "clip", "margin", "power", "max", "min", "steps",
    "smoothing", "penalty", "lambda", "decay", "warmup", "temperature", "discount", "nms", "delay",
    "half", "hold", "ramp",
}  # fmt: skip
"""… unless one of these is in it too, as in loss_weight, test_size or val_batch_size."""
HELD_OUT = {"val", "valid", "validation", "test", "eval", "dev", "holdout"}
"""A number whose name begins so is measured on such data."""
FOLDS = re.compile(r"(split|fold)\d+")
"""A word for a part of the data, as in split0_test_score."""
FEW = 10
"""A number of so few values, such as a precision of 16 or 32, was chosen, whatever its name."""


def was_measured(column: pl.Series) -> bool:
    """Whether a column of numbers is called like a result, or like a metric and varies like one."""
    if is_result(column.name):
        return True
    varies = column.dtype.is_float() and column.n_unique() > min(FEW, len(column) / 2)
    return varies and guess_direction(column.name) is not None and not _is_setting(column.name)


def is_result(name: str) -> bool:
    """Whether a column of numbers with this name holds a metric or another result."""
    words = _plain_words(name)
    stem = "_".join(words)
    if {name.lower(), stem, stem.rstrip("0123456789")}.intersection(METRICS):
        return True
    if {name.lower(), stem}.intersection(OUTCOMES) or is_rate(words):
        return True
    if len(words) < 2 or _is_setting(name):
        return False
    return words[0] in HELD_OUT or bool(RESULTS.intersection([*words, *_bare(words)]))


def _is_setting(name: str) -> bool:
    return bool(SETTINGS.intersection(_bare(_plain_words(name))))


def _plain_words(name: str) -> list[str]:
    return [word for word in name_words(name) if not FOLDS.fullmatch(word)]


def _bare(words: list[str]) -> list[str]:
    """The words without numbers behind them, f1 and r2 excepted."""
    return [word if word in RESULTS else word.rstrip("0123456789") for word in words]


def is_rate(words: list[str]) -> bool:
    """Whether words such as tokens, per, second name a speed."""
    return len(words) > 2 and words[-2] == "per" and words[-1] in ("second", "sec", "s")


def name_words(name: str) -> list[str]:
    """The words of a name in lower case, numbers such as a fold's left out."""
    composed = unicodedata.normalize("NFKC", name)  # é as one letter, whatever wrote the file
    words = re.split(r"[\W_]+", composed.strip().lower())  # letters of every alphabet
    return [word for word in words if word and not word.isdecimal()]
