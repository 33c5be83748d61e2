"""Tables of n-grams, and the vectors composed of them."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v._core.compose import WordMeans, mean_rows
from pyw2v._core.lines import Rules
from pyw2v._core.matrix import zeros
from pyw2v._core.ngrams import NgramHasher
from pyw2v.vectors import ngrams

WORDS = ["where", "Straße", "日本語", "</s>", "", "a", 17]


def composed(own, parts, table):
    """Mean of a word's own row and those of its n-grams, in double precision."""
    offsets, ids = table
    means = []
    for word in range(len(offsets) - 1):
        rows = [parts[i].astype(np.float64) for i in ids[offsets[word] : offsets[word + 1]]]
        rows += [] if own is None else [own[word].astype(np.float64)]
        means.append(np.mean(rows, axis=0) if rows else np.zeros(parts.shape[1]))
    return np.array(means)


def test_ngrams_are_those_of_the_bracketed_word():
    assert ngrams.compute_ngrams("où", 2, 3) == ["<o", "où", "ù>", "<où", "où>"]
    assert ngrams.compute_ngrams_bytes("ab", 2, 3) == [b"<a", b"<ab", b"ab", b"ab>", b"b>"]
    assert ngrams.ft_ngram_hashes("a", 3, 6, 2_000_000) == [1087600]
    assert ngrams.ft_hash_bytes(b"<a>") % 2_000_000 == 1087600
    assert ngrams.compute_ngrams("word", 4, 2) == []


def test_table_lists_the_ngrams_of_each_word_and_none_for_the_end_of_a_sentence():
    offsets, ids = ngrams.ngram_table([*WORDS, None], NgramHasher(2, 3, 1000))
    for i, word in enumerate(WORDS):
        expected = [] if word == "</s>" else ngrams.ft_ngram_hashes(word, 2, 3, 1000)
        assert ids[offsets[i] : offsets[i + 1]].tolist() == expected
    assert offsets[len(WORDS)] == offsets[len(WORDS) + 1] == len(ids)


def test_table_of_arrays_is_the_same_table():
    offsets, ids = ngrams.ngram_table(WORDS, NgramHasher(3, 4, 99))
    again = ngrams.table_of([ids[a:b] for a, b in itertools.pairwise(offsets)])
    assert_array_equal(again[0], offsets)
    assert_array_equal(again[1], ids)


@pytest.mark.parametrize("dim", [1, 7, 8, 33, 100])
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_composed_rows_are_means(dim, own, dtype, rng):
    table = ngrams.ngram_table(WORDS, NgramHasher(2, 4, 50))
    parts = rng.normal(size=(50, dim)).astype(dtype)
    words = rng.normal(size=(len(WORDS), dim)).astype(dtype) if own else None
    out = np.empty((len(WORDS), dim), dtype)
    ngrams.compose(words, parts, table, out)
    tolerance = 1e-2 if dtype == np.float16 else 1e-5
    assert_allclose(out, composed(words, parts, table), rtol=tolerance, atol=tolerance)


def test_composing_by_many_threads_gives_the_same_bits(rng):
    words = [f"word{i}" for i in range(3000)]
    table = ngrams.ngram_table(words, NgramHasher(3, 6, 500))
    parts, own = zeros(500, 20), zeros(3000, 20)
    parts[:], own[:] = rng.normal(size=(500, 20)), rng.normal(size=(3000, 20))
    one, many = (np.empty((3000, 20), np.float32) for _ in range(2))
    mean_rows(own, parts, *table, one, 1)
    mean_rows(own, parts, *table, many, 4)
    assert_array_equal(one, many)
    assert_allclose(one, composed(own, parts, table), rtol=1e-5, atol=1e-5)


def test_tables_that_do_not_fit_are_refused():
    own, parts, out = (np.zeros((n, 3), np.float32) for n in (2, 5, 2))
    good = (np.array([0, 1, 2]), np.array([4, 0], np.uint32))
    mean_rows(own, parts, *good, out)
    bad = [
        (own, parts, np.array([0, 2]), good[1], out),
        (own, parts, np.array([0, 3, 2]), good[1], out),
        (own, parts, np.array([1, 1, 2]), good[1], out),
        (own, parts, good[0], np.array([5, 0], np.uint32), out),
        (own[:1], parts, *good, out),
        (own[:, :2], parts, *good, out),
        (own, parts[:, :2], *good, out),
        (own, np.zeros((3, 5), np.float32).T, *good, out),
    ]
    for arguments in bad:
        with pytest.raises(ValueError, match="must"):
            mean_rows(*arguments)


def test_no_words_are_composed_to_nothing():
    mean_rows(None, np.zeros((0, 4), np.float32), *ngrams.table_of([]), np.zeros((0, 4), "f4"))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros((6, 4), np.float32), "one for each word and bucket, 7, got 6"),
        (np.zeros((7, 4), np.float64), "a float32 matrix"),
        (np.zeros((4, 7), np.float32).T, "of adjacent numbers"),
        (np.zeros(7, np.float32), "a float32 matrix"),
    ],
)
def test_word_means_refuse_what_is_no_matrix_of_rows(rows, message):
    rules = Rules(n_words=2, hasher=NgramHasher(2, 3, 5))
    with pytest.raises(ValueError, match=message):
        WordMeans(rules=rules, ids={}, rows=rows)


def test_word_means_without_rows_are_zero():
    rules = Rules(n_words=0, hasher=NgramHasher(2, 3, 0))
    means = WordMeans(rules=rules, ids={b"label": 0}, rows=np.zeros((0, 3), np.float32))
    assert means.word(b"label").tolist() == [0, 0, 0]
    assert means.line([b"label", b"x"]).tolist() == [0, 0, 0]
