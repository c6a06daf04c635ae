"""Is the check right? Its intervals and verdicts against what the whole table says."""
