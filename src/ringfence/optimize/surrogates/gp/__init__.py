"""The Gaussian process: its hyperparameters, their posterior density, fit and predictions."""
