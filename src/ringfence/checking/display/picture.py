"""A check as a picture: regret against draws, and what each task gains or loses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringfence.checking.display import evidence
from ringfence.checking.display.evidence import Curve, TaskRow
from ringfence.checking.display.text import headline
from ringfence.errors import MissingExtraError
from ringfence.learned.picture import DOT, OUT, RING, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ringfence.checking.result import Check

MOST_TASKS = 40


def check_figure(check: Check) -> Any:
    """The picture as a matplotlib figure that belongs to no window."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot") from error
    curve = evidence.curve(check)
    judged = [row for row in evidence.task_rows(check) if row.gain is not None]
    worst = judged[:MOST_TASKS]
    picture: Any = Figure(figsize=(10, max(4.0, 1.5 + 0.2 * len(worst))), layout="constrained")
    FigureCanvasAgg(picture)
    picture.suptitle(headline(check).replace("; ", "\n", 1), fontsize=10)
    if curve is None:
        picture.text(0.5, 0.5, "no task has recorded runs inside", ha="center")
        return picture
    left, right = picture.subplots(1, 2)
    _draw_curve(left, curve)
    _draw_tasks(right, worst, len(judged))
    return picture


def _draw_curve(axes: Axes, curve: Curve) -> None:
    level = curve.inside[curve.draws.index(curve.judged_at)]
    worth = min(curve.worth, curve.full_draws[-1])
    axes.plot(curve.full_draws, curve.full, "--", color=DOT, label="full space")
    axes.plot(curve.draws, curve.inside, "o-", ms=4, color=RING, label="learned space")
    says = f"{curve.judged_at} trials inside are worth {curve.worth:.0f}"
    axes.plot([curve.judged_at, worth], [level, level], ":D", ms=5, color=OUT, label=says)
    ticks = [k for k in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if k <= curve.full_draws[-1]]
    axes.set_xscale("log")
    axes.set_xticks(ticks, [str(k) for k in ticks])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("random trials")
    axes.set_ylabel("expected regret")
    axes.legend(fontsize=8, frameon=False)


def _draw_tasks(axes: Axes, rows: list[TaskRow], total: int) -> None:
    gains = [row.gain or 0.0 for row in rows]
    colors = [OUT if gain < 0 else RING for gain in gains]
    axes.barh(range(len(rows)), gains, color=colors, height=0.7)
    axes.set_yticks(range(len(rows)), [label(row.name) for row in rows], fontsize=7)
    axes.axvline(0, color=DOT, lw=0.8)
    axes.invert_yaxis()
    axes.set_xlabel("regret saved after ten trials (left of 0: lost)")
    if len(rows) < total:
        axes.set_title(f"the {len(rows)} of {total} tasks that gain least", fontsize=9)
