"""Ctrl-C in calls that take long for one item: it takes effect within a fifth of a second.

The signal comes after so much processor time, and the reaction is timed by it, too: other programs
on the machine must not count.
"""

import gc
import signal
import sys
import time

import numpy as np
import pytest

import pyw2v.fasttext
from pyw2v import FastText, GloVe, KeyedVectors, TextClassifier, Word2Vec
from pyw2v._core import word2vec_c

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs setitimer")

AFTER, MOST = 0.05, 0.2
LABELLED = (["some words here", "other words there"] * 5, ["a", "b"] * 5)
NGRAMS = {"min_n": 3, "max_n": 6, "bucket": 1000, "epochs": 1, "workers": 1}


def raise_interrupt(*_):
    raise KeyboardInterrupt


def late(call):
    """Processor seconds from the signal to the exception."""
    before = signal.signal(signal.SIGPROF, raise_interrupt)
    gc.collect()
    begun = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_PROF, AFTER)
        with pytest.raises(KeyboardInterrupt):
            call()
        return time.process_time() - begun - AFTER
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.fixture(scope="module")
def classifier():
    return TextClassifier(dim=100, word_ngrams=3, **NGRAMS).fit(*LABELLED)


@pytest.mark.parametrize("text", ["words here " * 400_000, "word" * 500_000], ids=["words", "word"])
def test_one_long_text_to_predict(classifier, text):
    assert late(lambda: classifier.predict([text])) < MOST
    model = pyw2v.fasttext.FastText._FastText()
    model.f.use(classifier.data)
    assert late(lambda: model.predict(text)) < MOST


def test_one_long_text_to_learn():
    texts = ["words here " * 300_000, "other"]
    model = TextClassifier(dim=100, min_count=1, word_ngrams=3, **NGRAMS)
    assert late(lambda: model.fit(texts, ["a", "b"])) < MOST


@pytest.mark.parametrize("sg", [0, 1])
def test_a_million_noise_words(sg):
    sentences = [["a", "b", "c", "d"] * 200]
    assert late(lambda: Word2Vec(sentences, sg=sg, negative=10**6, workers=1)) < MOST


def test_words_of_a_megabyte():
    words = [letter * 1_000_000 for letter in "abcd"]
    settings = {"min_count": 1, "bucket": 1000, "epochs": 5, "workers": 1}
    assert late(lambda: FastText([words * 5], **settings)) < MOST
    model = FastText([["ab", "cd"] * 10], **settings)
    assert late(lambda: [model.wv[word] for word in words]) < MOST
    assert late(lambda: model.wv[words]) < MOST


def test_text_files_of_vectors(tmp_path):
    path, dim = tmp_path / "vectors.txt", 200_000
    numbers = " 0.12345678" * dim
    path.write_text(f"40 {dim}\n" + "".join(f"w{i}{numbers}\n" for i in range(40)))
    assert late(lambda: KeyedVectors.load_word2vec_format(path)) < MOST
    vectors = KeyedVectors(dim)
    rows = np.random.default_rng(1).normal(size=(40, dim)).astype(np.float32)
    vectors.add_vectors([f"w{i}" for i in range(40)], rows)
    assert late(lambda: vectors.save_word2vec_format(path)) < MOST


def test_classes_of_rows():
    rows = np.random.default_rng(1).normal(size=(20_000, 100)).astype(np.float32)
    assert late(lambda: word2vec_c.classes(rows, 1000)) < MOST


def test_records_of_glove():
    sentences = np.random.default_rng(1).integers(3000, size=(1500, 200)).astype(str).tolist()
    assert late(lambda: GloVe(sentences, epochs=100, workers=1, vector_size=2)) < MOST
