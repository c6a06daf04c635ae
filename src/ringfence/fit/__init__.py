"""The four problems of the paper: box and ellipsoid, with and without outliers."""

from ringfence.fit.box import fit_box
from ringfence.fit.fit import Fit

__all__ = ["Fit", "fit_box"]
