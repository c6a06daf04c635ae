"""A learned space as a picture: numbers first, drawing second."""

from ringfence.learned.picture.drawing import DOT, OUT, RING, draw, figure

__all__ = ["DOT", "OUT", "RING", "draw", "figure"]
