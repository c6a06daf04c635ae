"""Mehrotra's predictor-corrector method for the quadratic program behind the slack box.

    minimize   1/2 q'Hq + c'q + sum over sides k and rows t of  max(0, max_j (q_kj - B_ktj))

The slacks and the rows are eliminated by hand, so an iteration costs O(n p^2) and one solve of
order 2p. The term `max(0, .)` is one more column, j = p, with q = B = 0: every row then has the
same form, and its multipliers sum to one.

symbol   meaning                                                   shape
------   -------------------------------------------------------   ----------
q        variables: a lower and a (negated) upper bound             (2, p)
B        rows: what the bounds are compared with                    (2, n, p)
H, c     quadratic and linear term                                  (2p, 2p), (2, p)
xi       slack of a row, xi >= 0                                    (2, n)
s        xi + B - q, the distance to each constraint, s > 0         (2, n, p + 1)
z        multipliers, z > 0, rows sum to one                        (2, n, p + 1)
D        z / s                                                      (2, n, p + 1)
E        D with its rows divided by their sums                      (2, n, p + 1)
mu       mean of z s, driven to zero
K        H + sum_t (diag(D_t) - D_t D_t' / sum(D_t)), column p cut  (2p, 2p)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray

MOST_ITERATIONS = 80
ROUNDING = 1e-13
STEP = 0.995  # share of the way to the boundary
REFINEMENTS = 3
PROX = 1e-4  # of H, added to K: keeps flat directions from moving by rounding
TINY = 1e-300


@dataclass(frozen=True)
class _Newton:
    """One factorized Newton system; `step` solves it for a right-hand side."""

    s: FloatArray
    D: FloatArray
    E: FloatArray
    row_sums: FloatArray
    residual: FloatArray
    row_residual: FloatArray
    K: FloatArray
    inverse: FloatArray
    scale: FloatArray

    def step(self, e: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Directions of q, xi, s and z for the complementarity targets s dz + z ds = s e."""
        p = self.residual.shape[1]
        e_row = e.sum(axis=2) - self.row_residual
        pushed = e.sum(axis=1) - (e_row[:, None, :] @ self.E)[:, 0, :]
        b = -self.scale * (self.residual + pushed[:, :p]).ravel()
        x = self.inverse @ b
        for _ in range(REFINEMENTS):
            x += self.inverse @ (b - self.K @ x)
        dq = np.zeros((2, p + 1))
        dq[:, :p] = (self.scale * x).reshape(2, p)
        dxi = e_row / self.row_sums + (self.E @ dq[:, :, None])[:, :, 0]
        ds = dxi[:, :, None] - dq[:, None, :]
        return dq[:, :p], dxi, ds, e - self.D * ds


def _newton(
    s: FloatArray, z: FloatArray, H: FloatArray, residual: FloatArray, row_residual: FloatArray
) -> _Newton:
    p = residual.shape[1]
    D = z / s
    row_sums = D.sum(axis=2)
    E = D / row_sums[:, :, None]
    coupling = E.transpose(0, 2, 1) @ D
    # The diagonal as the sum of the others: a Laplacian has no cancellation.
    nodes = np.arange(p + 1)
    coupling[:, nodes, nodes] = 0.0
    K = H.copy()
    K[:p, :p] -= coupling[0, :p, :p]
    K[p:, p:] -= coupling[1, :p, :p]
    diagonal = np.arange(2 * p)
    K[diagonal, diagonal] += coupling.sum(axis=2)[:, :p].ravel()
    K[diagonal, diagonal] += PROX * np.minimum(H[diagonal, diagonal], 1.0)
    scale = 1.0 / np.sqrt(K[diagonal, diagonal])
    K *= scale[:, None] * scale
    inverse = np.asarray(np.linalg.inv(K + 1e-15 * np.eye(2 * p)), dtype=np.float64)
    return _Newton(s, D, E, row_sums, residual, row_residual, K, inverse, scale)


def minimize(
    B: FloatArray, H: FloatArray, c: FloatArray, offset: float, margin: float
) -> tuple[FloatArray, FloatArray]:
    """The minimizer q and its multipliers z, shape (2, n, p), found from q = 0, off by `margin`.

    Stops at a gap of ROUNDING relative to the value plus `offset`, where rounding takes over, or
    after MOST_ITERATIONS: how good the answer is, the caller's certificate tells.
    """
    _, n, p = B.shape
    q = np.zeros((2, p))
    s = np.zeros((2, n, p + 1))
    s[:, :, :p] = B
    xi = margin - s.min(axis=2)
    s += xi[:, :, None]
    z = 1.0 / s
    z /= z.sum(axis=2, keepdims=True)
    best = (np.inf, q, z)
    for _ in range(MOST_ITERATIONS):
        slope = (H @ q.ravel()).reshape(2, p) + c
        residual = slope + z.sum(axis=1)[:, :p]
        row_residual = 1.0 - z.sum(axis=2)  # zero but for rounding, which would pile up
        complementarity = float(np.vdot(z, s))
        merit = complementarity + float(np.abs(residual).max())
        value = 0.5 * float(np.vdot(q, slope + c)) + float(xi.sum()) + offset
        done = complementarity <= ROUNDING * value and merit > 0.5 * best[0]
        if merit < best[0]:
            best = (merit, q, z)
        if done or merit <= ROUNDING * value or not merit <= 1e6 * best[0]:
            break
        newton = _newton(s, z, H, residual, row_residual)
        _, _, ds, dz = newton.step(-z)
        ratio = ds / s  # in this step dz / z = -1 - ds / s
        length = min(1.0, 1.0 / max(-ratio.min(), 1.0 + ratio.max(), TINY))
        left = 1.0 - length + length**2 * float(np.vdot(ds, dz)) / complementarity
        mu = complementarity / s.size
        dq, dxi, ds, dz = newton.step((max(left, 0.0) ** 3 * mu - ds * dz) / s - z)
        length = min(1.0, STEP / max(-(ds / s).min(), -(dz / z).min(), TINY))
        q, xi, s, z = q + length * dq, xi + length * dxi, s + length * ds, z + length * dz
    return best[1], best[2][:, :, :p]
