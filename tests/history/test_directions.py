"""Which way is better: well-known names tell, doubtful ones are asked about."""

import polars as pl
import pytest

import ringfence as rf
from ringfence.history.directions import guess_direction

UP = """
auc AUC roc_auc val_auc accuracy acc f1 r2 R² score reward precision recall map mAP mAP@0.5 mAP50
ndcg@10 bleu return win_rate success_rate hit_rate metrics.auc metrics/val_acc valAcc valacc F1Score
f1-macro f1_0 test-auc-mean validation_0-auc episode_reward_mean cifar10_accuracy top1_acc acc@1
recall_at_20 balanced_accuracy average_precision explained_variance log_likelihood mean_test_score
neg_mean_squared_error neg_log_loss neg_brier_score d2_absolute_error_score
top1 top5 hit@10 hr@10 exact_match eval_exact_match pass@1 dice_coef matthews_corrcoef spearmanr
auc_pr c_index snr cosine_similarity samples_per_sec tokens_per_second eval_steps_per_second
ep_rew_mean test_score mean_score cv_score split0_test_score f1_score r2_score accuracy_score
silhouette_score calinski_harabasz_score val_accuracy_epoch rouge1 metrics/mAP50
"""
DOWN = """
loss error rmse RMSE mae mse logloss log_loss nll perplexity regret cost latency time wer val_loss
validation_error train_time mmce test-mlogloss-mean valid_0-multi_logloss mean_absolute_error
brier_score brier_score_loss neg_log_likelihood negative_log_likelihood false_positive_rate
error_rate p99_latency loss_3 crossEntropy logLoss Error% reconstruction_loss metrics.loss
nrmse dice_loss f1_loss score_loss neg_elbo negative_elbo bits_per_dim bpb kid miss_rate
top1_error top5_err loss_step
"""
DOUBTFUL = """
objective value y result target metric output performance x loss_accuracy accuracy_drop
drop_in_accuracy
auc_gap accuracy_std loss_improvement error_reduction time_to_accuracy 1-auc 1_minus_auc -accuracy
neg_auc inverse_accuracy minus_loss -loss quality mapping scorer timestamp
rank_test_score rank_test_f1 std_test_accuracy StdReward steps_to_reward epochs_to_accuracy
epochs_until_best_loss no_error non_error inv_rmse best_accuracy_epoch best_reward_step
step_at_best_acc best_loss_epoch davies_bouldin_score interval_score toxicity_score anomaly_score
risk_score energy_score penalty_score z_score attack_success_rate win_loss improvement_loss
return_loss accuracy_per_loss train_hr per_second top
"""


@pytest.mark.parametrize(
    ("names", "direction"), [(UP, "maximize"), (DOWN, "minimize"), (DOUBTFUL, None)]
)
def test_names_tell_the_direction(names, direction):
    guesses = {name: guess_direction(name) for name in names.split()}
    assert guesses == dict.fromkeys(names.split(), direction)


def runs(objective, values=(0.1, 0.9, 0.5)):
    n = len(values)
    return pl.DataFrame(
        {"task": ["a"] * n, "lr": [10.0 ** -(i + 1) for i in range(n)], objective: values}
    )


def two_tasks(objective):
    frame = pl.concat([runs(objective), runs(objective).with_columns(task=pl.lit("b"))])
    return rf.History.from_frame(frame, objective=objective)


def test_the_best_auc_is_the_highest_unasked(tmp_path):
    history = rf.History.from_frame(runs("val_auc"), objective="val_auc")
    learned = rf.learn(history, starts=0)
    assert learned.tasks[0].value == 0.9
    assert learned.provenance.goal == "maximize 'val_auc' (guessed from its name)"
    learned.save(tmp_path / "learned.json")
    assert rf.load(tmp_path / "learned.json").provenance.goal == learned.provenance.goal
    check = rf.check(two_tasks("val_auc"), starts=0)
    assert check.goal == learned.provenance.goal


def test_a_doubtful_name_is_asked_about():
    with pytest.raises(rf.HistoryError, match="is more or less of 'value' better\\?"):
        rf.History.from_frame(runs("value"))
    assert rf.History.from_frame(runs("value"), direction="maximize").goal == "maximize 'value'"
