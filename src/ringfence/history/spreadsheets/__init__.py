"""Tables as people keep them: cells that stand for numbers or nothing, lines that are no runs."""
