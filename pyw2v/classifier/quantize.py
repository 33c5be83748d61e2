"""A classifier made small: rows that matter little dropped, the others quantised.

In comes what a `.bin` file holds, out goes what a `.ftz` file holds. The rules are fastText's
(Joulin et al. 2016, "FastText.zip").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyw2v._matrices.bucket_rows import BucketRows
from pyw2v._shared.checks import check_int
from pyw2v._shared.lengths import row_norms
from pyw2v.io.fasttext_data import FastTextData
from pyw2v.quantize import N_CENTROIDS, QuantizedMatrix

_EOS = b"</s>"  # stands in every line, so it is always kept
_OUTPUT_DSUB = 2  # whatever that of the input


def quantize(
    data: FastTextData,
    *,
    cutoff: int = 0,
    qnorm: bool = False,
    qout: bool = False,
    dsub: int = 2,
    seed: int = 1234,
    workers: int = -1,
    retrain: Callable[[FastTextData], FastTextData] | None = None,
) -> FastTextData:
    """Return the classifier with quantised matrices; `data` stays as it is.

    `cutoff` above 0 keeps only so many input rows, and then `retrain` may train those that are
    left. `qnorm` quantises the lengths of rows apart, `qout` the output rows too.
    """
    cutoff = check_int("cutoff", cutoff, minimum=0)
    if data.args.model != "supervised":
        raise ValueError("For now we only support quantization of supervised models")
    if data.is_quantized:
        raise ValueError("the model is quantised already")
    if 0 < cutoff < len(data.input):
        data = prune(data, cutoff)
        if retrain is not None:
            data = retrain(data)
    options: dict[str, Any] = {"qnorm": qnorm, "seed": seed, "workers": workers}
    small = _quantized_input(data.input, dsub=dsub, **options)
    output = data.output
    if qout:
        output = QuantizedMatrix.train(output, dsub=_OUTPUT_DSUB, **options)
    return data.replace(input=small, output=output)


def _quantized_input(matrix: Any, **options: Any) -> QuantizedMatrix:
    """Return the matrix in codes; found from the rows that exist, if they are enough."""
    if not isinstance(matrix, BucketRows) or matrix.places is None:
        return QuantizedMatrix.train(matrix, **options)
    if len(matrix.values) < N_CENTROIDS:
        return QuantizedMatrix.train(matrix.to_dense(), **options)
    n_buckets = len(matrix) - matrix.n_words
    places = matrix.n_words + matrix.places[np.arange(n_buckets)].astype(np.int64)
    small = QuantizedMatrix.train(matrix.values, **options)
    return small.take(np.concatenate([np.arange(matrix.n_words), places]))


def _ranked(data: FastTextData) -> tuple[Any, Any, Any]:
    """Rows of words and buckets that exist, their numbers by falling norm, and the buckets.

    `</s>` comes first.
    """
    matrix, n_words = data.input, len(data.words)
    if not isinstance(matrix, BucketRows):
        matrix = BucketRows(matrix, n_words, len(matrix) - n_words, None)
    rows, buckets = matrix.existing()
    norms = row_norms(rows)
    if _EOS in data.words:
        norms[data.words.index(_EOS)] = np.inf
    return rows, np.argsort(-norms, kind="stable"), buckets


def prune(data: FastTextData, cutoff: int) -> FastTextData:
    """Keep the `cutoff` input rows of largest norm, `</s>` among them.

    Words stay in their order; n-grams come by falling norm, under new numbers. Buckets that were
    never seen are dropped whatever the cutoff.
    """
    n_words = len(data.words)
    rows, order, numbers = _ranked(data)
    kept = order[:cutoff]
    words, ngrams = np.sort(kept[kept < n_words]), kept[kept >= n_words]
    buckets = np.empty((len(ngrams), 2), np.int32)
    buckets[:, 0] = numbers[ngrams - n_words]
    buckets[:, 1] = np.arange(len(ngrams))
    return data.replace(
        words=[data.words[i] for i in words],
        word_counts=data.word_counts[words],
        input=np.ascontiguousarray(rows[np.concatenate([words, ngrams])], np.float32),
        pruned=buckets,
    )


def cutoff_for_size(
    data: FastTextData, n_bytes: int, *, qnorm: bool = True, qout: bool = False, dsub: int = 2
) -> int:
    """The largest cutoff with which the `.ftz` file has at most `n_bytes`.

    Raises ValueError if fewer rows fit than the quantiser needs.
    """
    dim, n_words = data.args.dim, len(data.words)
    rows, order, _ = _ranked(data)
    costs = np.full(len(rows), -(-dim // dsub) + qnorm)
    costs[:n_words] += [len(word) + _ENTRY_BYTES for word in data.words]
    costs[n_words:] += _PAIR_BYTES
    room = n_bytes - _fixed_bytes(data, qnorm, qout)
    cutoff = int(np.searchsorted(np.cumsum(costs[order]), room, side="right"))
    if cutoff < N_CENTROIDS:
        raise ValueError(
            f"a model of {n_bytes} bytes would have {cutoff} rows, it must have {N_CENTROIDS}"
        )
    return cutoff


# Bytes of a file: settings, numbers of words and tokens, the two flags of quantised matrices.
_HEADER_BYTES = 8 + 56 + 28 + 2
_ENTRY_BYTES = 1 + 8 + 1  # of a word or label beside its spelling: end, count, type
_PAIR_BYTES = 8  # old and new number of an n-gram
_DENSE_BYTES = 16  # before the numbers of a dense matrix
_QUANT_BYTES = 1 + 16 + 4  # before the codes of a quantised one
_SHAPE_BYTES = 16  # before centroids


def _fixed_bytes(data: FastTextData, qnorm: bool, qout: bool) -> int:
    """Bytes of everything that no cutoff changes."""
    labels = sum(len(label) + _ENTRY_BYTES for label in data.labels)
    n_rows, dim = len(data.output), data.args.dim
    centroids = _QUANT_BYTES + _SHAPE_BYTES + 4 * N_CENTROIDS * dim
    if qnorm:
        centroids += _SHAPE_BYTES + 4 * N_CENTROIDS
    output = _DENSE_BYTES + 4 * n_rows * dim
    if qout:
        output = centroids + n_rows * (-(-dim // _OUTPUT_DSUB) + qnorm)
    return _HEADER_BYTES + labels + centroids + output
