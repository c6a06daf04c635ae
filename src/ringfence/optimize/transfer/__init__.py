"""Earlier tasks: their rows, models of their regret, and the configurations that cover them."""
