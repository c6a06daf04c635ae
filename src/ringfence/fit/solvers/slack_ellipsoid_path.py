"""Choose the penalty of eq. 8 from the share of outliers (section 5 of the paper).

"""

from __future__ import annotations

import math

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import FitError
from ringfence.fit.solvers.slack_ellipsoid import (
    FEW,
    SlackEllipsoid,
    Tasks,
    exact_ellipsoid,
    for_every_task,
    merge_duplicates,
    seen_from,
    solve,
)

RESOLUTION = 0.01  # of log λ
SAMPLE_RESOLUTION = 0.05
LONGEST_STEP = 0.3  # of log λ
MAX_SOLVES = 60
LARGEST = 1e4  # λ p: the points are then as many radii away from the center, on average
TRACE=None

def slack_ellipsoid_for(
    points: FloatArray, outliers: float, *, tol: float = 1e-9
) -> SlackEllipsoid:
    if not 0 <= outliers < 1:
        raise FitError(f"outliers must be a share of the tasks, 0 <= outliers < 1, not {outliers}")
    tasks, row = merge_duplicates(points)
    fit = _search(tasks, outliers, RESOLUTION, tol) if outliers else exact_ellipsoid(tasks, tol)
    return for_every_task(fit, tasks, row)


def count_outside(fit: SlackEllipsoid, tasks: Tasks) -> int:
    return int(tasks.copies[fit.norms > 1].sum())


def _search(tasks: Tasks, outliers: float, resolution: float, tol: float) -> SlackEllipsoid:
    p, n_tasks = tasks.points.shape[1], int(tasks.copies.sum())
    k = math.ceil(outliers * n_tasks - 1e-6)
    lower = math.log(max(k, p + 1) / (n_tasks * p))
    x = math.log((1.1 * k + min(p, 0.5 * (n_tasks - k))) / (n_tasks * p))
    fit = None
    if tasks.copies.size > FEW:
        sample = tasks.thinned()
        fit = seen_from(tasks, _search(sample, outliers, SAMPLE_RESOLUTION, 1e-6))
        x = math.log(fit.penalty)
    x = max(x, lower + resolution)
    upper, best, last = math.inf, None, None
    hi=math.inf; slo=shi=None; fit=None; last=None; side=0; R=resolution; lo=lower; off=.3
    for i in range(MAX_SOLVES):
        fit = solve(tasks, math.exp(x), fit, tol)
        f = _score(fit, tasks, k)
        if TRACE is not None: TRACE.append((tasks.copies.size,math.exp(x)*n_tasks*p,f,count_outside(fit,tasks)))
        if f>0:
            if side==1 and slo is not None: slo/=2
            hi,shi,side,best=x,f,1,fit
        else:
            if side==-1 and shi is not None: shi/=2
            lo,slo,side=x,f,-1
        if hi-lo<=R: return best
        if slo is None or shi is None:
            slope=(f-last[1])/(x-last[0]) if last else TYPICAL_SLOPE
            if slope<.05: slope=TYPICAL_SLOPE
            step=-f/slope
            last=(x,f)
            x+=min(max(step,-.3),.3)-math.copysign(off*R,f)
        else:
            x=lo+(hi-lo)*slo/(slo-shi)-math.copysign(off*R,f)
        m=min(off*R,.5*(hi-lo)); x=min(max(x,lo+m),hi-m)

    raise FitError("TODO")

TYPICAL_SLOPE=0.5

def _score(fit: SlackEllipsoid, tasks: Tasks, k: int) -> float:
    lead = fit.norms - 1
    B=int(((fit.multipliers>0)&(fit.multipliers<tasks.shares)).sum()); tau=min(1.,.2*max(B,1)/k)
    lead = np.where(fit.norms>1, lead-1e-5, np.where(fit.multipliers>0, tau*(fit.multipliers/tasks.shares-1), np.minimum(lead,0)-tau))
    order = np.argsort(-lead)
    return float(lead[order[np.searchsorted(np.cumsum(tasks.copies[order]), k)]])
