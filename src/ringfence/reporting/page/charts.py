"""The chart of the check: mean regret against trials."""

from __future__ import annotations

import math

from ringfence.checking.display.evidence import Curve
from ringfence.checking.display.text import spending_lines
from ringfence.checking.result import Spending
from ringfence.rendering.markup import Html
from ringfence.reporting.page.svg import LINE, Plot, Tick, element, line, mark, spread, width_of
from ringfence.space import Float
from ringfence.space.ticks import scale_of
from ringfence.words import cost_text

WIDE, NARROW = (860, 360), (358, 300)
"""Pixels of the chart: for a desk, and for a phone, where letters keep their size."""
COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def regret_chart(curve: Curve, size: tuple[int, int], says: str) -> Html:
    """Mean regret against trials, the band of its interval, and the line that is the speed-up."""
    top = 1.05 * max(*curve.full, *curve.inside_high)
    plot = Plot(*size, left=46.0)
    last = math.log(curve.full_draws[-1])

    def x(trials: float) -> float:
        return plot.x(math.log(min(trials, curve.full_draws[-1])) / last)

    def y(regret: float) -> float:
        return plot.y(regret / top)

    counts = [Tick(x(k), str(k)) for k in COUNTS if k <= curve.full_draws[-1]]
    regrets = [Tick(plot.y(at), text) for at, text in scale_of("", Float(0, top)).ticks]
    level = curve.inside[curve.draws.index(curve.judged_at)]
    ends = [(x(curve.low), y(level)), (x(curve.high), y(level))]
    reach = [(x(curve.judged_at), y(level)), (x(curve.worth), y(level))]
    low = [(x(k), y(r)) for k, r in zip(curve.draws, curve.inside_low)]
    high = [(x(k), y(r)) for k, r in zip(curve.draws, curve.inside_high)]
    learned = [(x(k), y(r)) for k, r in zip(curve.draws, curve.inside)]
    full = [(x(k), y(r)) for k, r in zip(curve.full_draws, curve.full)]
    return plot.drawn(
        plot.axes(
            spread(counts, [width_of(tick.text) for tick in counts]),
            spread(regrets, [LINE] * len(regrets)),
            "random trials (log)",
            "expected regret",
        ),
        plot.inner(
            element("path", d=line([*low, *reversed(high)], closed=True), class_="band"),
            element("path", d=line(full), class_="full"),
            element("path", d=line(ends), class_="interval"),
            element("path", d=line(reach), class_="worth"),
            element("path", d=line(learned), class_="learned"),
        ),
        *(mark("dot", *point, number) for number, point in enumerate(learned)),
        mark("diamond", *reach[1]),
        says=says,
    )


def spending_chart(spending: Spending, size: tuple[int, int]) -> Html:
    """Mean regret against what is spent: the starting points, and random search."""
    plot = Plot(*size, left=46.0)
    low, high = math.log(spending.spent[0]), math.log(spending.spent[-1])

    def x(spent: float) -> float:
        return plot.x((math.log(spent) - low) / (high - low))

    spent = [
        Tick(x(cost), cost_text(cost * spending.typical, spending.unit)) for cost in spending.spent
    ]
    regrets = [Tick(plot.y(at), text) for at, text in scale_of("", Float(0, 1)).ticks]
    curves = [
        [(x(cost), plot.y(regret)) for cost, regret in zip(spending.spent, curve)]
        for curve in (spending.random, spending.starts)
    ]
    return plot.drawn(
        plot.axes(
            spread(spent, [width_of(tick.text) for tick in spent]),
            spread(regrets, [LINE] * len(regrets)),
            "spent (log)",
            "expected regret",
        ),
        plot.inner(
            element("path", d=line(curves[0]), class_="full"),
            element("path", d=line(curves[1]), class_="learned"),
        ),
        says=" ".join(spending_lines(spending)),
    )


def regret_labels(curve: Curve) -> list[str]:
    """What to show at each point of the learned space's curve."""
    full = dict(zip(curve.full_draws, curve.full))
    return [
        f"{k} trial{'s' * (k != 1)}\nlearned space: regret {inside:.3f} (90% {low:.3f} to "
        f"{high:.3f})\nfull space: {full[k]:.3f}"
        for k, inside, low, high in zip(
            curve.draws, curve.inside, curve.inside_low, curve.inside_high
        )
    ]
