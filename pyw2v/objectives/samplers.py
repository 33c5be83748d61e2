"""Noise samplers: from which distribution the words of sampled objectives are drawn.

A sampler gives each word of a vocabulary a weight, from its count, its rank or a list. From the
weights follow the expected counts Q(w), how often a draw of k words holds word w on average, which
the objectives need for their log Q correction. In training the core draws the words; `draw` has the
same draws for losses of other frameworks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyw2v._shared.checks import check_float, check_floats, check_int
from pyw2v.io.weights_format import read_weights
from pyw2v.objectives import draws
from pyw2v.objectives.draws import Draw

__all__ = ["Draw", "FixedUnigram", "LogUniform", "Sampler", "Uniform", "Unigram"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sampler:
    """What all samplers share.

    Parameters
    ----------
    unique : bool, default False
        Whether the k words of one draw all differ.

    Raises
    ------
    ValueError
        If `unique` is no bool.
    """

    unique: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        """Check the settings."""
        if not isinstance(self.unique, bool | np.bool_):
            raise ValueError(f"unique must be True or False, got {self.unique!r}")

    def weights(self, counts: ArrayLike, words: Sequence[Any] | None = None) -> Array:
        """Return the weight of each word; only ratios matter.

        Parameters
        ----------
        counts : array_like
            How often each word of the vocabulary occurs.
        words : sequence, optional
            The words, in the same order; needed only where weights were given by word.

        Returns
        -------
        ndarray of float64
            The weights.
        """
        raise NotImplementedError("a subclass says what words weigh")

    def probabilities(self, counts: ArrayLike, words: Sequence[Any] | None = None) -> Array:
        """Return the probability of each word in a single draw.

        Parameters
        ----------
        counts : array_like
            How often each word of the vocabulary occurs.
        words : sequence, optional
            The words, in the same order; needed only where weights were given by word.

        Returns
        -------
        ndarray of float64
            The probabilities, which sum to 1.

        Raises
        ------
        ValueError
            If counts are not positive, or no word has a weight.
        """
        weights = _checked_weights(self.weights(counts, words))
        return cast(Array, weights / weights.sum())

    def expected_counts(
        self, counts: ArrayLike, k: int, words: Sequence[Any] | None = None
    ) -> Array:
        """Return Q(w), the mean number of times that word w is among k drawn ones.

        With replacement it is k p(w). Without (`unique`), words are drawn until k different ones
        are found, and Q(w) is the exact probability that w is one of them. (TensorFlow takes 1 - (1
        - p(w))^tries with the tries of each draw, which is off by some per cent for words that are
        drawn often.)

        Parameters
        ----------
        counts : array_like
            How often each word of the vocabulary occurs.
        k : int
            How many words are drawn.
        words : sequence, optional
            The words, in the same order; needed only where weights were given by word.

        Returns
        -------
        ndarray of float64
            The expected counts, which sum to k.

        Raises
        ------
        ValueError
            If k different words cannot be drawn.

        Examples
        --------
        >>> from pyw2v import Unigram
        >>> Unigram(1.0).expected_counts([6, 3, 1], k=2).round(2).tolist()
        [1.2, 0.6, 0.2]
        """
        p = self.probabilities(counts, words)
        k = check_draws(k, int(np.count_nonzero(p)), self.unique)
        return draws.expected_counts(p, k, self.unique)

    def draw(
        self,
        counts: ArrayLike,
        k: int,
        *,
        n: int | None = None,
        true: ArrayLike | None = None,
        unique: bool | None = None,
        seed: int | None = None,
        words: Sequence[Any] | None = None,
    ) -> Draw:
        """Draw k classes, or n times k, with the expected counts of true and drawn classes.

        It is the triple of TensorFlow's candidate samplers, for losses of other frameworks. The
        expected counts are those of `expected_counts`, exact for unique draws too; drawn classes
        that are true ones are not removed.

        Parameters
        ----------
        counts : array_like
            How often each word of the vocabulary occurs.
        k : int
            How many classes are drawn at a time.
        n : int, optional
            How many draws, independent of each other; by default one, without an axis of its own.
        true : array_like of int, optional
            The ids of the true classes, of any shape, to have their expected counts.
        unique : bool, optional
            Whether the k classes of a draw all differ; as the sampler says by default.
        seed : int, optional
            Seed of the draws; a new one every time by default.
        words : sequence, optional
            The words, in the order of `counts`; needed only where weights were given by word.

        Returns
        -------
        Draw
            A tuple of `sampled` (int32, (n, k) or (k,)), `true_expected` (shaped like `true`, None
            without) and `sampled_expected` (shaped like `sampled`).

        Raises
        ------
        TypeError
            If ids or numbers are no integers.
        ValueError
            If k different classes cannot be drawn, or a true class does not exist.

        See Also
        --------
        expected_counts : Those of all classes.

        Examples
        --------
        >>> from pyw2v import Uniform
        >>> sampled, true_expected, sampled_expected = Uniform().draw([6, 3, 1], k=2, true=[[0, 2]])
        >>> sampled.shape, true_expected.round(2).tolist(), sampled_expected.round(2).tolist()
        ((2,), [[0.67, 0.67]], [0.67, 0.67])
        >>> Uniform().draw([6, 3, 1], k=2, n=1000, unique=True, seed=1).sampled.shape
        (1000, 2)
        """
        once = self.unique if unique is None else unique
        if not isinstance(once, bool | np.bool_):
            raise ValueError(f"unique must be True, False or None, got {unique!r}")
        p = self.probabilities(counts, words)
        k = check_draws(k, int(np.count_nonzero(p)), bool(once))
        times = 1 if n is None else check_int("n", n, minimum=0)
        if seed is not None:
            seed = check_int("seed", seed, minimum=0)
        wanted = None if true is None else draws.check_ids("true", true, len(p))
        expected = draws.expected_counts(p, k, bool(once))
        ids = draws.draw_ids(p, k, times, bool(once), seed)
        sampled = ids[0] if n is None else ids
        return Draw(sampled, None if wanted is None else expected[wanted], expected[sampled])

    def describe(self) -> dict[str, Any]:
        """Return the settings in a form that JSON holds; `described` makes a sampler of them.

        Returns
        -------
        dict
            The settings by name.
        """
        return {"type": type(self).__name__, "unique": bool(self.unique)}


@dataclass(frozen=True)
class Unigram(Sampler):
    """Draws words by count ** power.

    Parameters
    ----------
    power : float, default 0.75
        0.75 is the power of Mikolov et al., 1 the unigram distribution, 0 uniform.
    unique : bool, default False
        Whether the k words of one draw all differ.
    """

    power: float = 0.75

    def __post_init__(self) -> None:
        """Check the settings."""
        super().__post_init__()
        object.__setattr__(self, "power", check_float("power", self.power))

    def weights(self, counts: ArrayLike, words: Sequence[Any] | None = None) -> Array:
        """Return count ** power.

        Parameters
        ----------
        counts : array_like
            How often each word of the vocabulary occurs.
        words : sequence, optional
            Not used.

        Returns
        -------
        ndarray of float64
            The weights.
        """
        return _counts(counts) ** self.power

    def describe(self) -> dict[str, Any]:
        """Return the settings in a form that JSON holds.

        Returns
        -------
        dict
            The settings by name.
        """
        return super().describe() | {"power": self.power}


@dataclass(frozen=True)
class LogUniform(Sampler):
    """Draws words by rank, as Zipf's law has it: log((r + 2) / (r + 1)) for rank r = 0, 1, ...

    The rank is by falling count, equal counts in the order of the vocabulary.

    Parameters
    ----------
    unique : bool, default False
        Whether the k words of one draw all differ.
    """

    def weights(self, counts: ArrayLike, words: Sequence[Any] | None = None) -> Array:
        """Return log((rank + 2) / (rank + 1)).

        Parameters
        ----------
        counts : array_like
            How often each word of the vocabulary occurs.
        words : sequence, optional
            Not used.

        Returns
        -------
        ndarray of float64
            The weights.
        """
        order = np.argsort(-_counts(counts), kind="stable")
        weights = np.empty(len(order))
        weights[order] = np.log1p(1 / (np.arange(len(order)) + 1.0))
        return weights


@dataclass(frozen=True)
class Uniform(Sampler):
    """Draws all words alike.

    Parameters
    ----------
    unique : bool, default False
        Whether the k words of one draw all differ.
    """

    def weights(self, counts: ArrayLike, words: Sequence[Any] | None = None) -> Array:
        """Return ones.

        Parameters
        ----------
        counts : array_like
            How often each word of the vocabulary occurs.
        words : sequence, optional
            Not used.

        Returns
        -------
        ndarray of float64
            The weights.
        """
        return np.ones(len(_counts(counts)))


@dataclass(frozen=True, eq=False, init=False)
class FixedUnigram(Sampler):
    """Draws words by given weights, each raised to `distortion`.

    Parameters
    ----------
    weights : array_like, str or os.PathLike
        One number for each word of the vocabulary in its order, or a file. The lines of a file are
        such numbers too, or ``word weight`` (as word2vec's -save-vocab writes them), or
        ``word,weight`` (TensorFlow's `vocab_file`); then it must have all words of the vocabulary,
        in any order.
    distortion : float, default 1.0
        The power.
    reserved : int, default 0
        The first so many words of the vocabulary are never drawn; `weights` begins behind them.
    unique : bool, default False
        Whether the k words of one draw all differ.

    Raises
    ------
    ValueError
        If weights are negative, not finite or all zero.
    """

    given: Array  # as given, or read from the file
    distortion: float
    reserved: int
    words: tuple[str, ...] | None = field(repr=False)  # of the file

    def __init__(
        self,
        weights: ArrayLike | str | os.PathLike[str],
        distortion: float = 1.0,
        reserved: int = 0,
        unique: bool = False,
    ) -> None:
        words = None
        if isinstance(weights, str | os.PathLike):
            path = weights
            words, weights = read_weights(path)
            if not any(weights):
                raise ValueError(f"{os.fspath(path)}: weights must not be all zero")
        given = _checked_weights(weights)
        given.flags.writeable = False
        for name, value in (
            ("unique", unique),
            ("given", given),
            ("distortion", check_float("distortion", distortion)),
            ("reserved", check_int("reserved", reserved, minimum=0)),
            ("words", words),
        ):
            object.__setattr__(self, name, value)
        super().__post_init__()

    def weights(self, counts: ArrayLike, words: Sequence[Any] | None = None) -> Array:
        """Return weight ** distortion, zeros for reserved words.

        Parameters
        ----------
        counts : array_like
            How often each word of the vocabulary occurs.
        words : sequence, optional
            The words, in the same order; needed where the weights came from a file of words.

        Returns
        -------
        ndarray of float64
            The weights.

        Raises
        ------
        ValueError
            If there is not one weight for each word.
        """
        n_words = len(_counts(counts))
        given: Array = self.given
        if self.words is not None and words is not None:
            given = self._by_word(words[self.reserved :])
        if len(given) + self.reserved != n_words:
            raise ValueError(
                f"weights must hold a number for each of the {n_words - self.reserved} words of "
                f"the vocabulary that are not reserved, got {len(given)}"
            )
        drawn = given > 0
        weights = np.zeros(n_words)
        weights[self.reserved :][drawn] = given[drawn] ** self.distortion
        return weights

    def _by_word(self, words: Sequence[Any]) -> Array:
        assert self.words is not None
        weights = dict(zip(self.words, self.given, strict=True))
        missing = next((word for word in words if str(word) not in weights), None)
        if missing is not None:
            raise ValueError(f"the file of weights has no line for the word {missing!r}")
        return np.array([weights[str(word)] for word in words])

    def describe(self) -> dict[str, Any]:
        """Return the settings in a form that JSON holds.

        Returns
        -------
        dict
            The settings by name.
        """
        return super().describe() | {
            "weights": self.given.tolist(),
            "words": None if self.words is None else list(self.words),
            "distortion": self.distortion,
            "reserved": self.reserved,
        }


def described(settings: Any) -> Sampler:
    """Return the sampler that `describe` wrote down."""
    if not isinstance(settings, dict):
        raise ValueError(f"a sampler must be described by its settings, got {settings!r:.80}")
    kind, rest = settings.get("type"), {k: v for k, v in settings.items() if k != "type"}
    makers: dict[Any, Callable[..., Sampler]] = {
        kind.__name__: kind for kind in (Unigram, LogUniform, Uniform)
    }
    if kind == "FixedUnigram":
        words = rest.pop("words")
        if not isinstance(rest.get("weights"), list):  # a path would be read
            raise ValueError(f"weights must be numbers, got {rest.get('weights')!r:.80}")
        sampler = FixedUnigram(**rest)
        if words is not None and len(words) != len(sampler.given):
            raise ValueError(f"there are {len(words)} words for {len(sampler.given)} weights")
        object.__setattr__(sampler, "words", None if words is None else tuple(words))
        return sampler
    if not isinstance(kind, str) or kind not in makers:
        raise ValueError(f"a sampler must be one of {', '.join(makers)}, got {kind!r:.80}")
    return makers[kind](**rest)


def check_sampler(sampler: Any) -> Sampler:
    """Return the sampler if it is one."""
    if not isinstance(sampler, Sampler):
        raise ValueError(
            f"sampler must be None or one of pyw2v.samplers, such as Unigram(), got {sampler!r}"
        )
    return sampler


def check_draws(k: Any, n_words: int, unique: bool) -> int:
    """Return k, the number of words drawn at a time, if `n_words` that can be drawn allow it."""
    number = check_int("k", k, minimum=1)
    if unique and number >= n_words:
        raise ValueError(
            f"k must be less than the {n_words} words that can be drawn when unique=True, "
            f"got {number}"
        )
    return number


def check_all_drawn(p: Array, words: Sequence[Any] | None, reason: str) -> None:
    """Raise a ValueError that starts with its reason if a word is never drawn: log Q is -inf."""
    never = np.flatnonzero(p == 0)
    if len(never):
        name = "" if words is None else f" ({words[never[0]]!r})"
        raise ValueError(
            f"{reason}, so the sampler must give every word a positive weight, "
            f"got 0 for word {never[0]}{name}"
        )


def _counts(counts: ArrayLike) -> Array:
    values = check_floats("counts", counts)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"counts must be one number for each word, got shape {values.shape}")
    if not (np.isfinite(values).all() and (values > 0).all()):
        bad = values[~(np.isfinite(values) & (values > 0))][0]
        raise ValueError(f"counts must be positive and finite, got {bad}")
    return values


def _checked_weights(weights: Any) -> Array:
    values = np.array(check_floats("weights", weights))
    if values.ndim != 1 or not len(values):
        raise ValueError(f"weights must be one number for each word, got shape {values.shape}")
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(f"weights must be finite and not negative, got {values[at]} for word {at}")
    if not values.any():
        raise ValueError(f"weights must not be all zero, got {len(values)} zeros")
    return values
