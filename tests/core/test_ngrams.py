"""n-grams and their buckets: fastText's, for any bytes."""

import pickle

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from pyw2v._core.ngrams import NgramHasher

# What fasttext 0.9.3 says of these words: get_subwords of a model with this minn, maxn, bucket.
GOLDEN = {
    ("where", 3, 6, 2_000_000): [
        *(167652, 989715, 1526707, 1071586, 420941, 312621, 969176, 121234, 1473420),
        *(1540811, 114991, 1529033, 1568469, 867498),
    ],
    ("a", 3, 6, 2_000_000): [1087600],
    ("a", 1, 3, 1009): [41, 195, 345, 365],
    ("Straße", 1, 3, 1009): [
        *(588, 552, 807, 8, 746, 925, 272, 728, 727, 533, 344, 345, 920, 995, 930, 468, 7),
        *(477, 803),
    ],
    ("ёлка", 3, 6, 2_000_000): [
        *(333412, 1557778, 797666, 1226196, 1043148, 144684, 373206, 648682, 686012, 933339),
    ],
    ("日本語", 3, 6, 2_000_000): [758587, 4581, 524609, 35559, 928923, 1674355],
    ("日本語", 1, 3, 1009): [787, 99, 90, 231, 976, 189, 424, 416, 302, 808],
    ("e\u0301t\u0301", 3, 6, 2_000_000): [
        *(604793, 1967863, 60576, 396218, 1534065, 1574002, 1607204, 305397, 1139729, 131582),
    ],
    ("🙂x", 3, 6, 2_000_000): [953323, 932303, 707029],
    ("नमस्ते", 1, 3, 1009): [
        *(984, 485, 755, 405, 752, 557, 419, 428, 227, 455, 739, 451, 197, 867, 887, 226, 130),
        *(253, 535),
    ],
}

words = st.one_of(st.binary(max_size=40), st.text(max_size=20).map(lambda s: s.encode()))
lengths = st.tuples(st.integers(-1, 8), st.integers(-1, 8))


@pytest.mark.parametrize(("case", "buckets"), GOLDEN.items(), ids=str)
def test_buckets_are_those_of_fasttext(case, buckets):
    word, min_n, max_n, n_buckets = case
    _, ids = NgramHasher(min_n, max_n, n_buckets).table([word.encode()])
    assert ids.tolist() == buckets


def test_ngrams_come_by_start_then_length_with_brackets_but_not_alone():
    hasher = NgramHasher(1, 3, 0)
    assert hasher.ngrams("où".encode()) == [
        *(b"<o", "<où".encode(), b"o", "où".encode(), "où>".encode()),
        *("ù".encode(), "ù>".encode()),
    ]
    assert hasher.ngrams(b"") == [b"<>"]


@given(words)
def test_hash_matches_the_formula(word):
    assert NgramHasher.hash(word) == reference.ngram_hash(word)


@given(st.lists(words, max_size=5), lengths, st.integers(1, 2**32 - 1))
def test_ngrams_of_any_bytes_match_the_formula(several, limits, n_buckets):
    expected = [reference.ngrams(word, *limits) for word in several]
    hasher = NgramHasher(*limits, n_buckets)
    assert [hasher.ngrams(word) for word in several] == expected
    offsets, ids = hasher.table(several)
    assert offsets.dtype == np.int64
    assert ids.dtype == np.uint32
    assert offsets.tolist() == np.cumsum([0, *map(len, expected)]).tolist()
    assert ids.tolist() == [reference.ngram_hash(g) % n_buckets for gs in expected for g in gs]


@given(st.text(max_size=20), lengths)
def test_ngrams_of_text_are_text(word, limits):
    for ngram in NgramHasher(*limits, 0).ngrams(word.encode()):
        assert 1 <= len(ngram.decode()) <= limits[1]


@given(
    st.lists(st.integers(-(2**31), 2**31 - 1), max_size=8),
    st.integers(0, 5),
    st.integers(1, 2**32 - 1),
)
def test_word_ngrams_match_the_formula(hashes, word_ngrams, n_buckets):
    hasher = NgramHasher(3, 6, n_buckets, word_ngrams)
    ids = hasher.word_buckets(np.array(hashes, np.int32))
    assert ids.tolist() == reference.word_ngram_buckets(hashes, word_ngrams, n_buckets)


def test_no_buckets_no_ngrams():
    hasher = NgramHasher(3, 6, 0, word_ngrams=2)
    offsets, ids = hasher.table([b"word", b"other"])
    assert offsets.tolist() == [0, 0, 0]
    assert len(ids) == 0
    assert hasher.buckets(b"word") == []
    assert len(hasher.word_buckets(np.array([1, 2], np.int32))) == 0


@pytest.mark.parametrize("word", ["text", None, 1])
def test_words_must_be_bytes(word):
    hasher = NgramHasher(3, 6, 10)
    for wrong in (
        lambda: hasher.table([b"ok", word]),
        lambda: hasher.buckets(word),
        lambda: hasher.ngrams(word),
        lambda: NgramHasher.hash(word),
    ):
        with pytest.raises(TypeError):
            wrong()


def test_buckets_of_one_word_are_those_of_many():
    words = ["", "a", "wort", "größe", "日本語"]
    hasher = NgramHasher(2, 4, 1000)
    offsets, ids = hasher.table([word.encode() for word in words])
    for i, word in enumerate(words):
        expected = ids[offsets[i] : offsets[i + 1]].tolist()
        assert hasher.buckets(word.encode()) == expected


@pytest.mark.parametrize("n_letters", [0, 1, 125, 126, 127, 4093, 4094, 4095, 9000])
def test_words_around_the_sizes_of_buffers_match_the_formula(n_letters):
    """127 bytes with the brackets fit without the heap; interrupts are checked every 4096."""
    word = ("aé" * n_letters).encode()[:n_letters]
    expected = [reference.ngram_hash(gram) % 1009 for gram in reference.ngrams(word, 2, 3)]
    assert NgramHasher(2, 3, 1009).buckets(word) == expected


def test_hasher_tells_its_settings_and_is_copied_with_them():
    hasher = NgramHasher(2, 5, 2**32 - 1, word_ngrams=3)
    for one in (hasher, pickle.loads(pickle.dumps(hasher))):
        assert (one.min_n, one.max_n, one.n_buckets, one.word_ngrams) == (2, 5, 2**32 - 1, 3)
    assert repr(hasher) == "NgramHasher(min_n=2, max_n=5, n_buckets=4294967295, word_ngrams=3)"
    assert NgramHasher(2, 5, 9).word_ngrams == 1


@pytest.mark.parametrize("n_buckets", [-1, 2**32])
def test_buckets_that_no_hash_reaches_are_refused(n_buckets):
    with pytest.raises(ValueError, match="n_buckets must be from 0 to 4294967295"):
        NgramHasher(3, 6, n_buckets)
