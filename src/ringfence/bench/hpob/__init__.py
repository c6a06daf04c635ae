"""HPO-B in its official protocol: its splits, its five given configurations, its measures."""
