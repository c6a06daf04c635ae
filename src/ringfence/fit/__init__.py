"""The four problems of the paper: box and ellipsoid, with and without outliers."""
