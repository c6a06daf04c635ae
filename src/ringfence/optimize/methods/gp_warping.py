"""The Gaussian process with input warping (Snoek et al., ICML 2014)."""

from __future__ import annotations

from typing import ClassVar

from ringfence.optimize.methods.gp import Method as GPMethod


class Method(GPMethod):
    """As `gp`, with a monotone map of each numeric input learned beside the length scales."""

    warping: ClassVar[bool] = True
