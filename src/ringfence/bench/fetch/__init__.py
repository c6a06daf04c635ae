"""Tables of the paper itself, for those with a network: OpenML's runs, and HPO-B's download."""
