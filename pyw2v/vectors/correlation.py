"""Pearson's and Spearman's correlation with their two-sided p-values, in plain Python and NumPy."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Correlation(NamedTuple):
    """A correlation coefficient and the probability of one as large between unrelated samples."""

    statistic: float
    pvalue: float

    @property
    def correlation(self) -> float:
        """The coefficient by its older name; SciPy's results, which gensim returns, have both."""
        return self.statistic


def pearson(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Correlation of the values themselves; NaN when a side is constant."""
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return Correlation(math.nan, math.nan)
    a, b = a - a.mean(), b - b.mean()
    # Squares of tiny or huge values would leave the range; powers of two scale without rounding.
    a, b = (np.ldexp(side, -int(np.frexp(np.abs(side).max())[1])) for side in (a, b))
    r = float(a @ b) / math.sqrt(float(a @ a) * float(b @ b))
    r = min(1.0, max(-1.0, r))
    if len(a) == 2:
        return Correlation(r, 1.0)
    # r * sqrt((n - 2) / (1 - r^2)) follows Student's t with n - 2 degrees of freedom.
    p = regularized_beta(len(a) / 2 - 1, 0.5, (1 - r) * (1 + r))
    return Correlation(r, p)


def spearman(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Correlation of the ranks, with the same approximation of p by Student's t; NaN below 3."""
    a, b = np.asarray(x), np.asarray(y)
    if len(a) < 3:
        return Correlation(math.nan, math.nan)
    return pearson(ranks(a), ranks(b))


def ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """Places in ascending order from 1; equal values share the mean of their places."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse])


def regularized_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b), the regularised incomplete beta function, for 0 <= x <= 1."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    # The fraction converges fast below the mean of the distribution, its mirror image above.
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(a, b, x) / a
    return 1 - front * _beta_fraction(b, a, 1 - x) / b


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of DLMF 8.17.22, evaluated from the front (Lentz 1976)."""
    tiny = 1e-300
    c, d = 1.0, 1.0 / _away_from_zero(1 - (a + b) * x / (a + 1), tiny)
    value = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d, tiny)
            c = _away_from_zero(1 + term / c, tiny)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _away_from_zero(x: float, tiny: float) -> float:
    return x if abs(x) > tiny else tiny
