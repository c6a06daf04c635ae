"""Adaptive Bayesian linear regression: a network that all tasks share, a regression for each."""
