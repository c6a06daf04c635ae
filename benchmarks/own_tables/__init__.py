"""Tables of our own: real learners on real data sets, by `scripts/make_tables.py`.

`datasets` (what there is) → `prepare` (small files, folds, meta-features) → `spaces` (what is
drawn) → `learners`, `scoring`, `evaluate` (one configuration) → `pieces` (who does what) → `pool`
(worker processes with a time limit) → `bundle`, `collect` (one Parquet file a learner). Nothing
here needs ringfence but the paper's meta-features, so `run` goes on any machine with numpy,
scikit-learn, XGBoost and LightGBM.
"""
