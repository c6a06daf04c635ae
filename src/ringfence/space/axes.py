"""Axes: the scale of one parameter, from its values to coordinates in [0, 1] and back.

A range is stretched over the axis. A value that switches the parameter off (`off`) owns a cell of
its own, OFF_SHARE wide, at the end of the axis where it lies as a number, and the range has the
rest:

    off below the range   0 [    off    ] OFF_SHARE ··[ low                            high ] 1
    off above the range   0 [ low                            high ]·· 1 - OFF_SHARE [  off  ] 1

So regions, models and optimizers see one coordinate as ever, in which `off` is the neighbor of the
end that it lies beyond, and a uniform coordinate is `off` with probability OFF_SHARE. A box that
holds `off` and a share k of the range draws it with OFF_SHARE / (OFF_SHARE + k (1 - OFF_SHARE)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ringfence.arrays import FloatArray

FINE = 1e-12
"""A step between floats of less than this share of a range does not matter to any region."""
ROUNDING = 1e-9
"""So far from an end of an interval of coordinates a value still counts as inside."""
OFF_SHARE = 0.25
"""The share of an axis that stands for `off`. Finished tunings that could switch a parameter off
did so in about half of all cases; a learned box that keeps a third of the range draws `off` in half
of all cases with a quarter, and a search of the full space still has three quarters for the range.
A sum of few powers of two, so that both ends of a range are exact."""
MARGIN = 2.0**-20
"""Between the cell and the range, more than the tolerance of any region: a box that ends with the
cell does not hold the first value of the range."""


@dataclass(frozen=True)
class Axis:
    """One numeric parameter's scale. `low`, `high` are its smallest and largest value."""

    low: Any
    """A number; an array (k,) stands for k parameters at once."""
    high: Any
    log: bool
    integer: bool

    def encode(self, values: FloatArray) -> FloatArray:
        """Values → unit coordinates; exactly 0 and 1 at the ends of a real range."""
        start, stop = self._edges()
        unit: FloatArray = (self._scale(values) - start) / (stop - start)
        return np.clip(unit, 0.0, 1.0)

    def decode(self, unit: FloatArray) -> FloatArray:
        """Unit coordinates → values, rounded if integer, never outside [low, high]."""
        start, stop = self._edges()
        raw = start + unit * (stop - start)
        with np.errstate(over="ignore"):  # a rounded logarithm of the largest float
            values = np.exp(raw) if self.log else raw
        if self.integer:
            return np.asarray(np.clip(np.rint(values), self.low, self.high))
        values = np.where(unit <= 0.0, self.low, np.where(unit >= 1.0, self.high, values))
        return np.asarray(np.clip(values, self.low, self.high))

    def cell(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Lower and upper edge of the coordinates that decode to these integers; a real number is
        its own edge."""
        if not self.integer:
            return self.encode(values), self.encode(values)
        start, stop = self._edges()
        lower = (self._scale(values - 0.5) - start) / (stop - start)
        upper = (self._scale(values + 0.5) - start) / (stop - start)
        return np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)

    def whole_cells(self, lower: float, upper: float) -> tuple[float, float]:
        """An interval of coordinates moved to the outer edges of the cells whose middle it holds;
        ends among real numbers stay where they are."""
        if not self.integer:
            return lower, upper
        starts, stops = self.cell(np.array(self.span(lower, upper)))
        return float(starts[0]), float(stops[1])

    @property
    def declared(self) -> tuple[float, float, float, float]:
        """In the declared units, logarithms for a log scale: what the coordinates 0 and 1 stand
        for, then the smallest and the largest value."""
        return *self._edges(), float(self._scale(self.low)), float(self._scale(self.high))

    def span(self, start: float, stop: float) -> tuple[float, float]:
        """Smallest and largest value whose coordinate lies in [start, stop], to rounding; if none
        does, the nearest ones."""
        low, high = self._ends(start, stop)
        return min(low, high), max(low, high)

    def listed(self, start: float, stop: float, most: int) -> FloatArray | None:
        """The values whose coordinates lie in [start, stop]; None for more than `most`, as those
        of an interval of real numbers are."""
        if not self.integer:
            return None
        low, high = self.span(start, stop)
        return None if high - low > most else np.arange(low, high + 1)

    @property
    def has_cells(self) -> bool:
        """Whether some values own more than a point of the axis."""
        return self.integer

    @property
    def is_coarse(self) -> bool:
        """Whether a coordinate differs from that of the value it stands for: that of an integer,
        and of a real number if its range is so narrow that floats are far apart in it."""
        start, stop = self._edges()
        return self.integer or math.ulp(max(abs(start), abs(stop))) > FINE * (stop - start)

    def _ends(self, start: float, stop: float) -> tuple[float, float]:
        """The ends of the values in [start, stop], the wrong way round if no integer is there."""
        low, high = self.decode(np.array([start, stop])).tolist()
        if self.integer:
            first, last = self.encode(np.array([low, high])).tolist()
            low += first < start - ROUNDING
            high -= last > stop + ROUNDING
        return low, high

    def _edges(self) -> tuple[Any, Any]:
        half = 0.5 if self.integer else 0.0
        return self._scale(self.low - half), self._scale(self.high + half)

    def _scale(self, values: Any) -> Any:
        return np.log(values) if self.log else values


@dataclass(frozen=True, eq=False)
class Columns(Axis):
    """The columns of several parameters whose scales are of one kind."""

    def _edges(self) -> tuple[Any, Any]:
        return self._known_edges

    @cached_property
    def _known_edges(self) -> tuple[Any, Any]:
        return super()._edges()

    @classmethod
    def of(cls, axes: Sequence[Axis], columns: Sequence[int]) -> Columns:
        """Those of `axes` at these columns, all alike but for their ends."""
        first, ends = axes[columns[0]], np.array([(axes[j].low, axes[j].high) for j in columns])
        low, high = ends.astype(float).T
        return cls(low, high, first.log, first.integer)


@dataclass(frozen=True)
class OffAxis(Axis):
    """The scale of a parameter that one value switches off: a cell for `off`, then the range."""

    off: float

    @classmethod
    def of(cls, axis: Axis, off: float) -> OffAxis:
        """The axis with a cell for `off`; if that is an end of the range, the range begins with the
        next integer, or a millionth beyond."""
        low, high = axis.low, axis.high
        inward = axis.decode(np.array([MARGIN, 1.0 - MARGIN])).tolist()
        if off == low:
            low = low + 1 if axis.integer else inward[0]
        elif off == high:
            high = high - 1 if axis.integer else inward[1]
        return cls(low, high, axis.log, axis.integer, off)

    def encode(self, values: FloatArray) -> FloatArray:
        """Values → unit coordinates; the middle of its cell for `off`."""
        values = np.asarray(values, float)
        is_off = values == self.off
        within = self._onto(self.range.encode(np.where(is_off, self.low, values)))
        return np.where(is_off, self.place, within)

    def decode(self, unit: FloatArray) -> FloatArray:
        """Unit coordinates → values: `off`, or one of the range."""
        unit = np.asarray(unit, float)
        edge = OFF_SHARE + MARGIN / 2
        is_off = unit <= edge if self._below else unit >= 1.0 - edge
        return np.where(is_off, self.off, self.range.decode(np.clip(self._from(unit), 0.0, 1.0)))

    def cell(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Lower and upper edge of the coordinates that decode to these integers or to `off`."""
        values = np.asarray(values, float)
        is_off = values == self.off
        lower, upper = map(self._onto, self.range.cell(np.where(is_off, self.low, values)))
        start, stop = self._cell_of_off
        return np.where(is_off, start, lower), np.where(is_off, stop, upper)

    def whole_cells(self, lower: float, upper: float) -> tuple[float, float]:
        """An interval of coordinates moved to the outer edges of the cells whose middle it holds,
        and out of the cell of `off` if it does not hold that."""
        low, high = self.span(lower, upper)
        starts, stops = self.cell(np.array([low, high]))
        start = starts[0] if self.integer or low == self.off else max(lower, self._onto(0.0))
        stop = stops[1] if self.integer or high == self.off else min(upper, self._onto(1.0))
        return float(start), float(stop)

    @property
    def declared(self) -> tuple[float, float, float, float]:
        """In the declared units, logarithms for a log scale: what the coordinates 0 and 1 stand
        for, then the smallest and the largest value; the scale goes on beyond the range."""
        start, stop, low, high = self.range.declared
        first, last = self._from(np.array([0.0, 1.0])) * (stop - start) + start
        place = float(self._from(self.place) * (stop - start) + start)
        ends = (place, high) if self._below else (low, place)
        return float(first), float(last), *ends

    def span(self, start: float, stop: float) -> tuple[float, float]:
        """Smallest and largest value whose coordinate lies in [start, stop], to rounding; if none
        does, the nearest ones."""
        held = [self.off] if start - ROUNDING <= self.place <= stop + ROUNDING else []
        first, last = float(self._from(start)), float(self._from(stop))
        if first <= 1.0 + ROUNDING and last >= -ROUNDING:
            low, high = self.range._ends(min(max(first, 0.0), 1.0), min(max(last, 0.0), 1.0))
            held += [low, high] if low <= high else []
        held = held or self.decode(np.array([start, stop])).tolist()
        return min(held), max(held)

    def listed(self, start: float, stop: float, most: int) -> FloatArray | None:
        """The values whose coordinates lie in [start, stop]; None for more than `most`, as those
        of an interval of real numbers are."""
        low, high = self.span(start, stop)
        if low == high == self.off:
            return np.array([self.off])
        held = [self.off] if self.off in (low, high) else []
        first, last = max(low, self.low), min(high, self.high)
        if not self.integer or last - first > most:
            return None
        return np.array(sorted([*held, *np.arange(first, last + 1)]))

    @property
    def has_cells(self) -> bool:
        """Yes: `off` has one."""
        return True

    @property
    def is_coarse(self) -> bool:
        """Yes: all of a cell stands for `off`."""
        return True

    @cached_property
    def range(self) -> Axis:
        """The axis of the range alone."""
        return Axis(self.low, self.high, self.log, self.integer)

    @property
    def place(self) -> float:
        """The coordinate of `off`, the middle of its cell."""
        start, stop = self._cell_of_off
        return (start + stop) / 2

    @property
    def _below(self) -> bool:
        """Whether `off` lies below the range."""
        return bool(self.off < self.low)

    @property
    def _cell_of_off(self) -> tuple[float, float]:
        return (0.0, OFF_SHARE) if self._below else (1.0 - OFF_SHARE, 1.0)

    def _onto(self, unit: Any) -> Any:
        """Coordinates of the range alone → coordinates of the axis."""
        rest = 1.0 - OFF_SHARE - MARGIN
        return OFF_SHARE + MARGIN + rest * unit if self._below else rest * unit

    def _from(self, unit: Any) -> Any:
        """Undo `_onto`; negative or beyond 1 in the cell of `off`."""
        rest = 1.0 - OFF_SHARE - MARGIN
        return (unit - OFF_SHARE - MARGIN) / rest if self._below else unit / rest
