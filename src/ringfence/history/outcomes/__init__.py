"""How runs went besides their objective: what they cost, and which of them failed, and why."""
