"""The paper's own tables, which need a network: OpenML's runs, and HPO-B's download."""
