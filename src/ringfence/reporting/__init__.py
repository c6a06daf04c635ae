"""The report: one HTML page about a learned space, the evidence for it and where it comes from."""
