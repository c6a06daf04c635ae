"""The chart of the no-go zone: how many runs failed along what it bounds."""

from __future__ import annotations

import math

from ringfence.rendering.markup import Html
from ringfence.reporting.failures import ZoneFacts
from ringfence.reporting.page.svg import LINE, Plot, Tick, element, line, spread, width_of
from ringfence.space import Float
from ringfence.space.ticks import scale_of


def zone_chart(zone: ZoneFacts, size: tuple[int, int]) -> Html:
    """Bars of all runs, their lower parts the failed ones, and the zone as a band behind them."""
    plot = Plot(*size, left=46.0)
    low, high = zone.edges[0], zone.edges[-1]
    most = 1.05 * max(zone.runs)

    def x(value: float) -> float:
        value = min(max(value, low), high)
        if zone.log:
            return plot.x(math.log(value / low) / math.log(high / low))
        return plot.x((value - low) / (high - low))

    def bars(counts: tuple[int, ...]) -> str:
        return "".join(
            line(
                [(x(left), plot.y(0)), (x(left), plot.y(n / most)), (x(right), plot.y(n / most)),
                 (x(right), plot.y(0))],
                closed=True,
            )
            for left, right, n in zip(zone.edges, zone.edges[1:], counts)
            if n
        )  # fmt: skip

    along = [Tick(plot.x(at), text) for at, text in scale_of("", Float(low, high, zone.log)).ticks]
    counts = [Tick(plot.y(at), text) for at, text in scale_of("", Float(0.0, most)).ticks]
    ends = (low, zone.threshold) if zone.below else (zone.threshold, high)
    corners = [(x(end), plot.y(up)) for end, up in zip(ends * 2, (0, 0, 1, 1))]
    area = [corners[0], corners[1], corners[3], corners[2]]
    return plot.drawn(
        plot.axes(
            spread(along, [width_of(tick.text) for tick in along]),
            spread(counts, [LINE] * len(counts)),
            f"{zone.axis}{' (log)' if zone.log else ''}",
            "runs",
        ),
        plot.inner(
            element("path", d=line(area, closed=True), class_="band"),
            element("path", d=bars(zone.runs), class_="finished"),
            element("path", d=bars(zone.failed), class_="failed"),
        ),
        says=" ".join(zone.lines),
    )
