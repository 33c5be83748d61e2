"""Training examples for models of other frameworks: NumPy batches of word ids, made in C++.

In: a corpus of any kind that `pyw2v.corpus.scan` reads. Out: (centre, context, negatives or labels,
log Q), with the windows, the sub-sampling and the samplers of our own training; or, by `skipgrams`,
what Keras's function of that name returns.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pyw2v import corpus as corpora
from pyw2v._core.pairs import PairSource
from pyw2v._core.pairs import skipgrams as _skipgrams
from pyw2v._shared.checks import check_float, check_floats, check_int, check_list
from pyw2v._shared.settings import also_known_as
from pyw2v.corpus import EncodedCorpus
from pyw2v.corpus import vocab as vocabs
from pyw2v.objectives.samplers import Sampler, Unigram, check_all_drawn, check_sampler

__all__ = [
    "LabelledBatch",
    "PairBatch",
    "TrainingPairs",
    "make_sampling_table",
    "pairs",
    "skipgrams",
]

Ids = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

# Examples among which the next one is drawn. Few enough for the processor's cache, many compared
# with the examples of the few sentences that are read together.
_POOL = 1 << 17
_MAX_WINDOW = 2**29  # twice as much and a position still fit into 32 bits


class PairBatch(NamedTuple):
    """A batch of n examples of p context words and k noise words each.

    Parameters
    ----------
    centre : ndarray of int32, shape (n,)
        The words to predict from.
    context : ndarray of int32, shape (n,) or (n, p)
        Words of their windows; two-dimensional with more than one positive.
    negatives : ndarray of int32, shape (n, k)
        Noise words.
    log_q : ndarray of float32, shape (n, p + k)
        Log of how often the noise of one example is expected to hold this context word (the first p
        columns) or noise word. Sampled softmax, NCE and sampled logistic subtract it from the
        scores.
    """

    centre: Ids
    context: Ids
    negatives: Ids
    log_q: Floats


class LabelledBatch(NamedTuple):
    """A batch of n examples with one matrix of targets.

    Parameters
    ----------
    centre : ndarray of int32, shape (n,)
        The words to predict from.
    context : ndarray of int32, shape (n, p + k)
        p context words, then k noise words.
    labels : ndarray of float32, shape (n, p + k)
        1 for context words, 0 for noise.
    log_q : ndarray of float32, shape (n, p + k)
        As in `PairBatch`.
    """

    centre: Ids
    context: Ids
    labels: Floats
    log_q: Floats


class TrainingPairs:
    """What `pairs` returns: each iteration is an epoch, drawn anew. Made by `pairs` only."""

    words: Sequence[Any]
    """The word of each id."""
    counts: npt.NDArray[np.int64]
    """How often it occurs in the corpus."""
    epoch: int
    """Of the next iteration. Set it to repeat one: it depends on the seed and this number only."""

    def __init__(
        self,
        words: Sequence[Any],
        counts: npt.NDArray[np.int64],
        corpus: EncodedCorpus,
        settings: dict[str, Any],
        batch: int,
        labels: bool,
    ) -> None:
        self.words, self.counts, self.epoch = words, counts, 0
        self._corpus, self._settings = corpus, settings
        self._batch, self._labels = batch, labels

    def __iter__(self) -> Iterator[PairBatch | LabelledBatch]:
        source = PairSource(tokens=self._corpus.tokens, ends=self._corpus.ends, **self._settings)
        source.start(self.epoch)
        self.epoch += 1
        return self._batches(source)

    def _batches(self, source: PairSource) -> Iterator[PairBatch | LabelledBatch]:
        positives = self._settings["positives"]
        while (found := source.batch(self._batch, self._labels)) is not None:
            centre, context, negatives, log_q = found
            if self._labels:
                labels = np.zeros(context.shape, np.float32)
                labels[:, :positives] = 1
                yield LabelledBatch(centre, context, labels, log_q)
            else:
                context = context[:, 0] if positives == 1 else context
                yield PairBatch(centre, context, negatives, log_q)


@also_known_as({"subsample": "sample"})
def pairs(
    corpus: Any,
    window: int = 5,
    negative: int = 5,
    sampler: Sampler | None = None,
    sample: float | None = 1e-3,
    shuffle: bool | int = True,
    batch: int = 1024,
    seed: int | None = 1,
    *,
    labels: bool = False,
    positives: int = 1,
    noise_per: str = "pair",
    remove_accidental_hits: bool = False,
    shrink_windows: bool = True,
    min_count: int = 1,
    vocab: Sequence[Any] | Mapping[Any, int] | None = None,
    workers: int = -1,
    max_memory: int | None = None,
) -> TrainingPairs:
    """Return training examples of a corpus, as batches of NumPy arrays.

    Parameters
    ----------
    corpus : object
        What `pyw2v.corpus.scan` reads (a `Path`, lists of words, arrays...), or an `EncodedCorpus`.
    window : int, default 5
        Distance of the farthest context word. Windows end with the sentence.
    negative : int, default 5
        Noise words of one example; 0 for none.
    sampler : Sampler, optional
        Where they come from, see `pyw2v.samplers`; by default ``Unigram(0.75)``. Every word of the
        corpus needs a positive weight, or there is no log Q.
    sample : float or None, default 0.001
        Frequent words are dropped at random above this share of the corpus; None or 0 keeps all.
        Also: `subsample`.
    shuffle : bool or int, default True
        True takes sentences in random order, and draws each example from a pool of 131,072. A
        number is the size of that pool. False keeps the order of the corpus.
    batch : int, default 1024
        Examples of one batch; the last one of an epoch may be smaller.
    seed : int or None, default 1
        What is drawn depends on it and on the number of the epoch; None draws a new one.
    labels : bool, default False
        Whether to return `LabelledBatch`: context and noise words side by side, with labels 1 and
        0.
    positives : int, default 1
        Context words of one example. A window with fewer is filled up with its own words, from the
        first on.
    noise_per : {"pair", "window"}, default "pair"
        Whether every example has noise words of its own, as in the papers and in other frameworks,
        or those of one centre share them. The latter is the default of `Word2Vec`, whose engine
        loads the rows of the noise once for all of them; batches gain nothing by it.
    remove_accidental_hits : bool, default False
        Whether to give a noise word that is one of the example's context words the largest float32
        as log Q, so that ``score - log_q`` leaves nothing of it in any loss.
    shrink_windows : bool, default True
        Whether each centre draws its window from 1 to `window`.
    min_count : int, default 1
        Rarer words are dropped. Ids go by falling frequency.
    vocab : sequence or mapping, optional
        The words by their ids (a list, `model.wv.index_to_key`, ``range(n)`` for a corpus of ids)
        or a mapping to ids; other words are dropped, and `min_count` does not matter.
    workers : int, default -1
        Threads that read the corpus; 0 or less for all cores.
    max_memory : int, optional
        Bytes of encoded corpus to hold in memory, see `pyw2v.corpus.scan`.

    Returns
    -------
    TrainingPairs
        An iterable of `PairBatch` or `LabelledBatch`; every iteration over it is an epoch. Its
        `words` and `counts` belong to the ids.

    Raises
    ------
    ValueError
        If a setting is out of range, the corpus holds no word of the vocabulary, or a word of it
        has no weight.

    Examples
    --------
    >>> from pyw2v import pairs
    >>> examples = pairs([["a", "b", "c"]] * 10, window=1, negative=2, sample=None, batch=8)
    >>> batch = next(iter(examples))
    >>> batch.centre.shape, batch.negatives.shape, batch.log_q.shape
    ((8,), (8, 2), (8, 3))
    """
    window = check_int("window", window, minimum=1, maximum=_MAX_WINDOW)
    negative = check_int("negative", negative, minimum=0, maximum=_MAX_WINDOW)
    # A window has no more words; fewer are filled up.
    positives = check_int("positives", positives, minimum=1, maximum=2 * window)
    batch = check_int("batch", batch, minimum=1)
    min_count = check_int("min_count", min_count, minimum=0)
    sample = 0.0 if sample is None else check_float("sample", sample, minimum=0)
    pool = (
        _POOL * shuffle if isinstance(shuffle, bool) else check_int("shuffle", shuffle, minimum=2)
    )
    if noise_per not in ("pair", "window"):
        raise ValueError(f'noise_per must be "pair" or "window", got {noise_per!r}')
    seed = random.getrandbits(64) if seed is None else check_int("seed", seed) % 2**64

    sampler = Unigram() if sampler is None else check_sampler(sampler)
    words, counts, encoded = _encode(corpus, vocab, min_count, workers, max_memory)
    settings: dict[str, Any] = {
        "keep": vocabs.keep_thresholds(counts, sample) if sample else None,
        "weights": None,
        "log_q": None,
        "window": window,
        "shrink_windows": bool(shrink_windows),
        "positives": positives,
        "negative": negative,
        "noise_per_window": noise_per == "window",
        "unique": bool(sampler.unique),
        "mark_hits": bool(remove_accidental_hits),
        "pool": pool,
        "seed": seed,
    }
    if negative:
        seen = np.maximum(counts, 1)  # as training counts words that the corpus lacks
        p = sampler.probabilities(seen, words)
        met = np.where(counts > 0, p, 1)  # a word that the corpus lacks needs no log Q
        check_all_drawn(met, words, "pairs have the log Q of every word")
        settings["weights"] = p
        with np.errstate(divide="ignore"):
            expected = np.log(sampler.expected_counts(seen, negative, words))
        settings["log_q"] = expected.astype(np.float32)
    return TrainingPairs(words, counts, encoded, settings, batch, bool(labels))


def _encode(
    source: Any,
    vocab: Sequence[Any] | Mapping[Any, int] | None,
    min_count: int,
    workers: int,
    max_memory: int | None,
) -> tuple[Sequence[Any], npt.NDArray[np.int64], EncodedCorpus]:
    """The words, their counts and the corpus in their ids."""
    if isinstance(source, EncodedCorpus):
        n_words = int(source.tokens.max(initial=-1)) + 1
        words = _known_words(vocab) if vocab is not None else range(n_words)
        _check_ends(source)
        if n_words > len(words) or source.tokens.min(initial=0) < 0:
            raise ValueError(
                f"ids of the corpus must be from 0 to {len(words) - 1}, got "
                f"{source.tokens.min(initial=0)} to {n_words - 1}"
            )
        return _counted(words, source)
    if vocab is not None:
        words = _known_words(vocab)
        ids = {word: i for i, word in enumerate(words)}
        encoded = corpora.encode(source, ids, workers=workers, max_memory=max_memory)
        return _counted(words, encoded)
    found = corpora.scan(source, workers=workers, max_memory=max_memory)
    kept = vocabs.select(found.words, found.counts, min_count)
    order = kept[vocabs.descending(found.counts[kept])]
    new_ids = np.full(len(found.words), -1, np.int32)
    new_ids[order] = np.arange(len(order), dtype=np.int32)
    return _counted(found.words.take(order), found.remap(new_ids))


def _check_ends(corpus: EncodedCorpus) -> None:
    ends, n_tokens = corpus.ends, len(corpus.tokens)
    rising = len(ends) > 0 and ends[0] >= 0 and bool((ends[1:] >= ends[:-1]).all())
    if not rising or ends[-1] != n_tokens:
        raise ValueError(f"ends of its sentences must rise to {n_tokens}, the corpus's tokens")


def _counted(
    words: Sequence[Any], encoded: EncodedCorpus
) -> tuple[Sequence[Any], npt.NDArray[np.int64], EncodedCorpus]:
    if not len(encoded.tokens):
        raise ValueError(
            f"the corpus must hold words of the vocabulary, got none of {len(words)} in "
            f"{encoded.n_raw_words} tokens"
        )
    counts = np.bincount(encoded.tokens, minlength=len(words)).astype(np.int64)
    return words, counts, encoded


def _known_words(vocab: Sequence[Any] | Mapping[Any, int]) -> Sequence[Any]:
    if isinstance(vocab, range):  # of a corpus of ids, perhaps many
        return vocab
    if not isinstance(vocab, Mapping):
        words = check_list("vocab", vocab)
        if len(set(words)) < len(words):
            twice = next(word for word, n in Counter(words).items() if n > 1)
            raise ValueError(f"words of vocab must differ, got {twice!r} twice")
        return words
    ids = {index: word for word, index in vocab.items()}
    words = [ids[i] for i in range(len(vocab)) if i in ids]
    if len(words) != len(vocab):
        raise ValueError(f"vocab must map {len(vocab)} words to the ids 0 to {len(vocab) - 1}")
    return words


def skipgrams(
    sequence: Sequence[int] | npt.NDArray[np.integer[Any]],
    vocabulary_size: int,
    window_size: int = 4,
    negative_samples: float = 1.0,
    shuffle: bool = True,
    categorical: bool = False,
    sampling_table: npt.ArrayLike | None = None,
    seed: int | None = None,
    *,
    arrays: bool = False,
) -> tuple[Any, Any]:
    """Return couples of word ids and their labels: Keras's `skipgrams`.

    As in Keras, windows are not drawn smaller, id 0 is no word, and the words of couples with noise
    are those of the true ones in random order. The draws themselves are others than Keras's.

    Parameters
    ----------
    sequence : sequence of int
        The word ids of a text.
    vocabulary_size : int
        One more than the largest id.
    window_size : int, default 4
        Distance of the farthest context word.
    negative_samples : float, default 1.0
        Couples with noise for each true one.
    shuffle : bool, default True
        Whether to shuffle the couples.
    categorical : bool, default False
        Whether labels are ``[0, 1]`` and ``[1, 0]`` instead of 1 and 0.
    sampling_table : array_like, optional
        For each word the chance that it is the centre of a window, see `make_sampling_table`.
    seed : int, optional
        Seed of the draws; None follows Python's `random`.
    arrays : bool, default False
        Whether to return NumPy arrays, which are made many times faster; not known to Keras.

    Returns
    -------
    couples : list of list of int, or ndarray
        ``[word, other]``.
    labels : list or ndarray
        1 where `other` stands in the window of `word`, 0 where it was drawn at random from 1 to
        ``vocabulary_size - 1``.

    Raises
    ------
    TypeError
        If `sequence` does not hold whole numbers.
    ValueError
        If ids or sizes are out of range.

    Examples
    --------
    >>> from pyw2v import skipgrams
    >>> couples, labels = skipgrams([1, 2], 3, negative_samples=0.0, shuffle=False)
    >>> couples, labels
    ([[1, 2], [2, 1]], [1, 1])
    """
    words = np.asarray(sequence)
    if words.dtype.kind not in "iu" and words.size:
        raise TypeError(f"sequence must be whole numbers, got {sequence!r:.80}")
    words = np.ascontiguousarray(words, np.int64)
    if words.ndim != 1:
        raise ValueError(f"sequence must be one row of word ids, got shape {words.shape}")
    vocabulary_size = check_int("vocabulary_size", vocabulary_size, minimum=1)
    window_size = check_int("window_size", window_size, minimum=0)
    negative_samples = check_float("negative_samples", negative_samples)
    if negative_samples > 0 and vocabulary_size < 2:
        raise ValueError(
            "vocabulary_size must be at least 2 to draw negative samples from 1 to "
            f"vocabulary_size - 1, got {vocabulary_size}"
        )
    table = None
    if sampling_table is not None:
        table = np.ascontiguousarray(check_floats("sampling_table", sampling_table))
    limit = 2**63 if table is None else len(table)
    if words.size and not (words.min() >= 0 and words.max() < limit):
        raise ValueError(
            f"word ids must be from 0 to {limit - 1}, got {words.min()} to {words.max()}"
        )
    couples, labels = _skipgrams(
        words,
        table,
        vocabulary_size=vocabulary_size,
        window=window_size,
        negative_samples=negative_samples,
        shuffle=bool(shuffle),
        seed=random.getrandbits(64) if seed is None else check_int("seed", seed) % 2**64,
    )
    if categorical:
        labels = np.eye(2, dtype=labels.dtype)[labels]
    return (couples, labels) if arrays else (couples.tolist(), labels.tolist())


def make_sampling_table(size: int, sampling_factor: float = 1e-5) -> npt.NDArray[np.float64]:
    """Return Keras's table for `skipgrams`: the chance to keep the word of each rank.

    It is min(1, sqrt(f)) for f = sampling_factor times the expected inverse frequency of the rank,
    by Zipf's law.

    Parameters
    ----------
    size : int
        How many words there are.
    sampling_factor : float, default 1e-5
        The factor.

    Returns
    -------
    ndarray of float64, shape (size,)
        From 0 to 1.

    Raises
    ------
    ValueError
        If `size` is below 1 or the factor is negative.
    """
    rank = np.arange(check_int("size", size, minimum=1), dtype=np.float64)
    rank[0] = 1
    inverse = rank * (np.log(rank) + 0.577) + 0.5 - 1 / (12 * rank)
    factor = check_float("sampling_factor", sampling_factor, minimum=0)
    return np.minimum(1.0, np.sqrt(factor * inverse))
