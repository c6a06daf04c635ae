"""A check as a picture: regret against draws, and what each task gains or loses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ringfence.checking.display.evidence import Curve, TaskRow, curve, task_rows
from ringfence.checking.display.text import headline
from ringfence.errors import MissingExtraError
from ringfence.learned.picture import DOT, OUT, RING
from ringfence.words import plain, shortened

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
    found = curve(check)
    judged = [row for row in task_rows(check) if row.gain is not None]
    shown = judged[:MOST_TASKS]
    made: Any = Figure(figsize=(10, max(4.0, 1.5 + 0.2 * len(shown))), layout="constrained")
    FigureCanvasAgg(made)
    made.suptitle(headline(check).replace("; ", "\n", 1), fontsize=10)
    if found is None:
        made.text(0.5, 0.5, "no task has recorded runs inside", ha="center")
        return made
    left, right = made.subplots(1, 2)
    _draw_curve(left, found)
    _draw_tasks(right, shown, len(judged))
    return made


def _draw_curve(axes: Axes, found: Curve) -> None:
    level = found.inside[found.draws.index(found.judged_at)]
    worth = min(found.worth, found.full_draws[-1])
    axes.plot(found.full_draws, found.full, "--", color=DOT, label="full space")
    axes.plot(found.draws, found.inside, "o-", ms=4, color=RING, label="learned space")
    says = f"{found.judged_at} trials inside are worth {found.worth:.0f}"
    axes.plot([found.judged_at, worth], [level, level], ":D", ms=5, color=OUT, label=says)
    ticks = [k for k in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if k <= found.full_draws[-1]]
    axes.set_xscale("log")
    axes.set_xticks(ticks, [str(k) for k in ticks])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("random trials")
    axes.set_ylabel("expected regret")
    axes.legend(fontsize=8, frameon=False)


def _draw_tasks(axes: Axes, rows: list[TaskRow], of: int) -> None:
    gains = [row.gain or 0.0 for row in rows]
    colors = [OUT if gain < 0 else RING for gain in gains]
    axes.barh(range(len(rows)), gains, color=colors, height=0.7)
    labels = [shortened(plain(row.name), 32).replace("$", r"\$") for row in rows]
    axes.set_yticks(range(len(rows)), labels, fontsize=7)
    axes.axvline(0, color=DOT, lw=0.8)
    axes.invert_yaxis()
    axes.set_xlabel("regret saved after ten trials (left of 0: lost)")
    if len(rows) < of:
        axes.set_title(f"the {len(rows)} of {of} tasks that gain least", fontsize=9)
