"""How probable it is that a word is among k different ones, drawn one after the other by weight.

Let word i arrive after an exponential time of rate p_i: the k first arrivals are such a draw. So

    P(w is drawn) = integral over t of p_w e^(-p_w t) P(fewer than k of the others came before t)

and the number of others is a sum of independent yes-or-no's, q_i = 1 - e^(-p_i t), whose generating
function is a product, of f_i(z) = 1 + q_i (z - 1). Its coefficients follow from its values on the
unit circle; the word itself is left out by a division. Rare words, of which there are many, enter
by the first terms of a series in q. What is cut off anywhere is below 1e-9 of the result.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_ORDER = 16  # of Gauss-Legendre's rule on each panel
_TAIL = 30.0  # e^-30 is what is cut off
_RARE = 0.05  # the largest q of a word that the series is used for
_TERMS = 9
_CHUNK_VALUES = 1 << 16  # complex numbers in one array: 1 MB, of a processor's own cache


def inclusion_probabilities(p: Array, k: int) -> Array:
    """Return the probability of each word to be among k different ones; they add up to k.

    `p` are the probabilities of one draw, more than k of them positive.
    """
    # Few samplers are in use, each many times: by every epoch, say.
    found = np.frombuffer(_computed(np.ascontiguousarray(p, np.float64).tobytes(), k))
    return found.copy()


@lru_cache(maxsize=8)
def _computed(p_bytes: bytes, k: int) -> bytes:
    p = np.frombuffer(p_bytes)
    values, inverse, counts = np.unique(p[p > 0], return_inverse=True, return_counts=True)
    result = np.zeros(len(p))
    result[p > 0] = _of_distinct(values, counts, k)[inverse]
    return result.tobytes()


def _of_distinct(p: Array, counts: NDArray[np.int64], k: int) -> Array:
    """For distinct p, each of `counts` words."""
    n_words = int(counts.sum())
    first, last = _times(p, counts, k)
    nodes, weights = _quadrature(math.log(first), math.log(last), k)
    common = p * last > _RARE
    mean = _total(counts, -np.expm1(-p * last))
    length = min(n_words, math.ceil(mean + _TAIL + math.sqrt(_TAIL * (_TAIL + 2 * mean)))) + 1
    circle = _Circle(length | 1, k)  # odd: at z = -1 a factor f may be zero
    result = -np.expm1(-p * first)  # before `first`, fewer than k have come for certain
    for t, weight in zip(nodes, weights * nodes, strict=True):
        q = -np.expm1(-p * t)
        fewer = np.empty(len(p))
        fewer[common], series = circle.fewer_than_k(
            q[common], counts[common], q[~common], counts[~common]
        )
        fewer[~common] = np.polynomial.polynomial.polyval(-q[~common], series)
        result += weight * p * (1 - q) * fewer
    return np.minimum(result, 1.0)


class _Circle:
    """Points of the unit circle, of which those with the other sign of Im z follow."""

    def __init__(self, length: int, k: int) -> None:
        angle = 2 * np.pi * np.arange((length + 1) // 2) / length
        self.steps = np.exp(1j * angle) - 1  # z - 1
        self.nearness = 4 * np.cos(angle / 2) ** 2  # |z + 1|^2
        # The sum of z^-j for j < k, over the length: what picks coefficients below k.
        self.pick = np.full(len(angle), k / length, complex)
        self.pick[1:] = 2 / length * (np.exp(-1j * k * angle[1:]) - 1)
        self.pick[1:] /= np.exp(-1j * angle[1:]) - 1

    def fewer_than_k(
        self, common: Array, n_common: NDArray[np.int64], rare: Array, n_rare: NDArray[np.int64]
    ) -> tuple[Array, Array]:
        """P(fewer than k of the others) for each common q, and for rare ones its series in -q."""
        sums, power = [], np.ones_like(rare)
        for _ in range(_TERMS):
            power = power * rare
            sums.append(_total(n_rare, power))
        each = np.repeat(common, n_common)
        fewer, series = np.zeros(len(common)), np.zeros(_TERMS)
        width = max(1, _CHUNK_VALUES // max(len(each), 1))
        for at in range(0, len(self.steps), width):
            steps = self.steps[at : at + width]
            log_rare: Any = sum(
                -total * (-steps) ** m / m for m, total in enumerate(sums, 1) if total
            )
            product = np.multiply.reduce(1 + np.multiply.outer(each, steps), axis=0)
            picked = product * np.exp(log_rare) * self.pick[at : at + width]
            fewer += self._left_out(common, picked, slice(at, at + width))
            series += [(picked * steps**m).real.sum() for m in range(_TERMS)]
        return fewer, series

    def _left_out(self, q: Array, picked: NDArray[np.complex128], points: slice) -> Array:
        """Sum the real parts of picked / f over some points, in real numbers: far quicker.

        |f|^2 = |1 + q (z - 1)|^2 is written without a difference of near equals.
        """
        slope = (picked * self.steps[points].conj()).real
        size = np.multiply.outer(q * (1 - q), self.nearness[points])
        size += ((1 - 2 * q) ** 2)[:, np.newaxis]
        total: Array = ((picked.real + np.multiply.outer(q, slope)) / size).sum(axis=1)
        return total


def _times(p: Array, counts: NDArray[np.int64], k: int) -> tuple[float, float]:
    """Before the one, fewer than k words have come, and after the other at least k; nearly surely.

    P(N >= k) <= m^k / k! and P(N < k) <= e^(-(m - k)^2 / 2m) for the mean m of the number N.
    """
    early = math.exp((math.lgamma(k + 1) - _TAIL) / k)
    late = k + 1 + _TAIL + math.sqrt(_TAIL * (_TAIL + 2 * k + 2))
    longest = 2 * _TAIL / float(p[0])  # by then every word has come
    last = _time_of(late, p, counts) if late < counts.sum() else longest
    return _time_of(early, p, counts), min(last, longest)


def _time_of(mean: float, p: Array, counts: NDArray[np.int64]) -> float:
    """When so many words have come on average."""
    low, high = -80.0, 700.0
    for _ in range(100):
        middle = (low + high) / 2
        if _total(counts, -np.expm1(-p * math.exp(middle))) < mean:
            low = middle
        else:
            high = middle
    return math.exp(low)


def _total(counts: NDArray[np.int64], values: Array) -> float:
    """The sum over all words. Not by `@`: BLAS's threads would wait for each other far longer."""
    return float((counts * values).sum())


def _quadrature(begin: float, end: float, k: int) -> tuple[Array, Array]:
    """Points t and weights of an integral over log t.

    The time of the k-th arrival is known the better the larger k is, to one in sqrt(k).
    """
    x, w = np.polynomial.legendre.leggauss(_ORDER)
    n_panels = math.ceil((end - begin) * (1 + math.sqrt(k) / 8))
    half = (end - begin) / n_panels / 2
    middles = begin + half * (2 * np.arange(n_panels) + 1)
    return np.exp(middles[:, np.newaxis] + half * x).ravel(), np.tile(half * w, n_panels)
