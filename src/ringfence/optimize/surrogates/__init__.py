"""Models of an objective from its evaluations: plain arrays in, means and variances out."""
