"""What is kept of a classifier when it is made small."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pyw2v.classifier.quantize import cutoff_for_size, prune, quantize
from pyw2v.io import fasttext_format
from pyw2v.io.fasttext_data import FastTextArgs, FastTextData


@pytest.fixture
def data(rng):
    """300 words, 500 buckets, 3 labels; `</s>` has the smallest row."""
    words = [b"</s>", *(b"w%d" % i for i in range(299))]
    matrix = rng.normal(size=(800, 6)).astype("f4")
    matrix[0] = 1e-6
    return FastTextData(
        FastTextArgs(dim=6, model="supervised", loss="softmax", bucket=500, minn=2, maxn=3),
        words,
        np.arange(300, 0, -1),
        matrix,
        rng.normal(size=(3, 6)).astype("f4"),
        [b"__label__a", b"__label__b", b"__label__c"],
        np.array([3, 2, 1]),
        1000,
    )


def test_the_rows_of_largest_norm_are_kept_and_the_end_of_a_line(data):
    small = prune(data, 400)
    norms = np.linalg.norm(data.input, axis=1)
    least = np.sort(norms)[-399]
    expected = [w for i, w in enumerate(data.words) if i == 0 or norms[i] >= least]
    assert small.words == expected
    assert_array_equal(small.word_counts, [300 - data.words.index(w) for w in expected])
    rows = [data.words.index(w) for w in expected]
    assert_array_equal(small.input[: len(rows)], data.input[rows])
    assert len(small.input) == 400


def test_ngrams_are_numbered_by_falling_norm(data):
    small = prune(data, 400)
    buckets, rows = small.pruned.T
    assert_array_equal(rows, np.arange(len(rows)))
    n_words = len(small.words)
    assert_array_equal(small.input[n_words:], data.input[300 + buckets])
    assert (np.diff(np.linalg.norm(small.input[n_words:], axis=1)) <= 0).all()


def test_when_no_ngram_is_kept_the_map_is_empty(data):
    data.input[300:] = 0
    assert prune(data, 299).pruned.shape == (0, 2)


def test_without_cutoff_nothing_is_dropped(data):
    for cutoff in (0, 800, 900):
        small = quantize(data, cutoff=cutoff)
        assert small.words == data.words
        assert small.pruned is None
        assert small.input.shape == (800, 6)
    assert small.output is data.output
    assert small.is_quantized
    assert not data.is_quantized


def test_rows_are_quantised_after_the_cutoff(data):
    small = quantize(data, cutoff=300, qnorm=True, dsub=3)
    assert small.input.shape == (300, 6)
    assert small.input.dsub == 3
    assert small.input.norm_codes is not None
    error = np.mean((small.input.to_dense() - prune(data, 300).input) ** 2)
    assert error < 0.1


def test_output_rows_are_quantised_on_demand_in_pairs(data, rng):
    many = data.replace(output=rng.normal(size=(300, 6)).astype("f4"))
    small = quantize(many, qout=True, dsub=3)
    assert small.output.shape == (300, 6)
    assert small.output.dsub == 2
    with pytest.raises(ValueError, match="at least 256 rows, got 3"):
        quantize(data, qout=True)


def test_what_is_left_can_be_trained_before_it_is_quantised(data):
    seen = []

    def retrain(pruned):
        seen.append(len(pruned.input))
        return pruned.replace(input=np.zeros_like(pruned.input))

    assert not quantize(data, cutoff=300, retrain=retrain).input.to_dense().any()
    assert seen == [300]
    quantize(data, retrain=retrain)
    assert seen == [300]


def test_only_dense_classifiers_are_quantised(data):
    with pytest.raises(ValueError, match="only support quantization of supervised models"):
        quantize(data.replace(args=FastTextArgs()))
    with pytest.raises(ValueError, match="already"):
        quantize(quantize(data))
    with pytest.raises(ValueError, match="cutoff must be at least 0"):
        quantize(data, cutoff=-1)
    with pytest.raises(ValueError, match="at least 256 rows, got 255"):
        quantize(data, cutoff=255)


@pytest.mark.parametrize("qnorm", [False, True])
@pytest.mark.parametrize("qout", [False, True])
def test_a_file_has_at_most_the_bytes_allowed(data, rng, tmp_path, qnorm, qout):
    """And not so few that another row would have fitted."""
    many = data.replace(
        output=rng.normal(size=(256, 6)).astype("f4"),
        labels=[b"__label__%d" % i for i in range(256)],
        label_counts=np.ones(256, np.int64),
    )
    options = {"qnorm": qnorm, "qout": qout, "dsub": 4}
    limit = 26_000
    cutoff = cutoff_for_size(many, limit, **options)
    assert 256 < cutoff < 800
    fasttext_format.write(quantize(many, cutoff=cutoff, **options), tmp_path / "small.ftz")
    size = (tmp_path / "small.ftz").stat().st_size
    assert limit - 20 < size <= limit
    assert cutoff_for_size(many, 10**9, **options) == 800
    with pytest.raises(ValueError, match="would have 0 rows, it must have 256"):
        cutoff_for_size(many, 100, **options)
