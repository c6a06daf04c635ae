"""A check as a picture: regret against draws, and what each task gains or loses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringfence.checking.display import evidence
from ringfence.checking.display.evidence import Curve, TaskRow
from ringfence.checking.display.text import headline
from ringfence.learned.picture import DOT, OUT, RING
from ringfence.rendering.fitting import label, thin_ticks, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ringfence.checking.result import Check

MOST_TASKS = 40
LEAST_ROWS = 8  # a bar of fewer tasks is no thicker than one of these
COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def check_figure(check: Check) -> Any:
    """The picture as a matplotlib figure that belongs to no window."""
    from ringfence.rendering.figure import new_figure  # brings matplotlib

    curve = evidence.curve(check)
    judged = [row for row in evidence.task_rows(check) if row.gain is not None]
    worst = judged[:MOST_TASKS]
    picture: Any = new_figure(10, max(4.0, 1.5 + 0.2 * len(worst)))
    picture.suptitle(words(headline(check).replace("; ", "\n", 1)), fontsize=10)
    if curve is None:
        picture.text(0.5, 0.5, "no task has runs that tell good from bad", ha="center")
        return picture
    left, right = picture.subplots(1, 2)
    _draw_curve(left, curve)
    _draw_tasks(right, worst, len(judged))
    picture.draw_without_rendering()  # finds the places of all
    thin_ticks(left.xaxis)
    return picture


def _draw_curve(axes: Axes, curve: Curve) -> None:
    from matplotlib.ticker import AutoMinorLocator

    level = curve.inside[curve.draws.index(curve.judged_at)]
    last = curve.full_draws[-1]
    low, worth, high = (min(draws, last) for draws in (curve.low, curve.worth, curve.high))
    axes.plot(curve.full_draws, curve.full, "--", color=DOT, label="full space")
    axes.plot(curve.draws, curve.inside, "o-", ms=4, color=RING, label="learned space")
    ends = curve.inside_low, curve.inside_high
    axes.fill_between(curve.draws, *ends, color=RING, alpha=0.2, lw=0, label="its 90 % interval")
    says = f"{curve.judged_at} trials inside are worth {curve.worth:.0f}"
    axes.plot([curve.judged_at, worth], [level, level], ":D", ms=5, color=OUT, label=says)
    interval = f"its 90 % interval: {curve.low:.0f} to {curve.high:.0f}"
    axes.hlines(level, low, high, color=OUT, alpha=0.35, lw=6, label=interval)
    _scale_trials(axes, last)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_minor_locator(AutoMinorLocator())
    axes.set_ylabel("expected regret")
    axes.legend(fontsize=8, frameon=False)


def _scale_trials(axes: Axes, last: int) -> None:
    """Numbers of trials on a log scale: 1, 2, 5, 10, … with their names, the others as minor
    ticks."""
    from matplotlib.ticker import NullFormatter

    axes.set_xscale("log")
    ticks = [k for k in COUNTS if k <= last]
    between = (digit * power for power in (1, 10, 100) for digit in range(1, 10))
    axes.set_xticks(ticks, [str(k) for k in ticks])
    axes.set_xticks([k for k in between if k <= last and k not in ticks], minor=True)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("random trials (log scale)")


def _draw_tasks(axes: Axes, rows: list[TaskRow], total: int) -> None:
    from matplotlib.ticker import AutoMinorLocator, MaxNLocator

    gains = [row.gain or 0.0 for row in rows]
    colors = [OUT if gain < 0 else RING for gain in gains]
    axes.barh(range(len(rows)), gains, color=colors, height=0.7, alpha=0.8)
    intervals = [row.gain_interval or (gain, gain) for row, gain in zip(rows, gains)]
    lows, highs = zip(*intervals)
    axes.hlines(range(len(rows)), lows, highs, color=DOT, lw=1.0)
    axes.set_yticks(range(len(rows)), [label(row.name) for row in rows], fontsize=7)
    axes.axvline(0, color=DOT, lw=0.8)
    axes.set_ylim(max(len(rows), LEAST_ROWS) - 0.4, -0.6)
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_minor_locator(AutoMinorLocator())
    axes.set_xlabel("regret saved after ten trials (left of 0: lost)\nlines: 90 % intervals")
    if len(rows) < total:
        axes.set_title(f"the {len(rows)} of {total} tasks that gain least", fontsize=9)
