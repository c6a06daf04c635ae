"""The learned space where people already work: one file per foreign package, imported when used."""

TOOLS = (
    "optuna", "configspace", "smac", "ray", "botorch", "ax", "sklearn", "synetune", "neps",
    "cmaes", "hyperopt",
)  # fmt: skip
"""What `ringfence export` writes programs for, as the snippets are named."""
