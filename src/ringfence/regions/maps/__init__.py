"""Maps between the unit cube, or the whole of R^p, and a region."""
