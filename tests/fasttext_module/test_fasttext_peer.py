"""pyw2v.fasttext beside the fasttext package itself: `pip install 'pyw2v[fasttext]'`.

Both libraries get the same queries on the same files, whoever wrote them. fasttext predicts by
`model.f.predict`, since `model.predict` of a text fails there under NumPy 2.
"""

import lzma
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import fasttext
from pyw2v.io import fasttext_format

pytest.importorskip(
    "fasttext_pybind",
    reason="the package fasttext is not installed: pip install 'pyw2v[fasttext]' builds it",
    exc_type=ImportError,
)
theirs = pytest.importorskip("fasttext", exc_type=ImportError)

FOLDER = Path(__file__).parents[1] / "data" / "fasttext"
LINES, WORDS, MANY, LATIN = (
    FOLDER / name for name in ("lines.txt", "words.txt", "many.txt", "latin1.txt")
)
CLASSIFY = Path(__file__).parents[3] / "shared" / "data" / "classify"
CLASSIFIER = {"lr": 0.5, "epoch": 10, "dim": 6, "bucket": 500}
# With fewer than ten threads fasttext leaves part of its matrix as it found the memory.
SOUND = {"thread": 10, "verbose": 0}
KINDS = {
    "softmax": {"wordNgrams": 3, "minn": 2, "maxn": 4},
    "hs": {"loss": "hs", "wordNgrams": 2},
    "ns": {"loss": "ns", "maxn": 3},
    "ova": {"loss": "ova"},
}
QUANTISED = {
    "plain": {"qnorm": False, "dsub": 4},
    "norm": {"qnorm": True},
    "cutoff": {"qnorm": True, "cutoff": 270, "dsub": 5},
    "retrained": {"qnorm": False, "cutoff": 300, "retrain": True, "input": str(LINES)},
    "output": {"qnorm": True, "qout": True, "cutoff": 280},
}

# What a file can hold: any text but blanks, zero bytes and lone surrogates.
tokens = st.text(
    st.characters(blacklist_categories=("Cs",), blacklist_characters=" \n\r\t\v\f\0"), min_size=1
)


def sound(train, *args, **options):
    """A model of fasttext's whose last few numbers, never set, did no harm."""
    for _ in range(50):
        try:
            model = train(*args, **options, **SOUND)
        except RuntimeError:  # "Encountered NaN."
            continue
        if np.abs(model.get_input_matrix()).max() < 100:
            return model
    return pytest.skip("fasttext found no sound memory to train on")


def texts_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def assert_same_model(ours, other, texts):
    """Words, vectors, neighbours and predictions of both libraries on one file."""
    errors = "replace"
    words, counts = other.get_words(include_freq=True, on_unicode_error=errors)
    assert ours.get_words(on_unicode_error=errors) == words
    assert_array_equal(ours.get_words(include_freq=True, on_unicode_error=errors)[1], counts)
    for word in [*words[:20], "unseen", "日本語x", ""]:
        assert_allclose(ours.get_word_vector(word), other.get_word_vector(word), atol=1e-6)
        names, rows = other.get_subwords(word, on_unicode_error=errors)
        found = ours.get_subwords(word, on_unicode_error=errors)
        assert found[0] == names
        assert_array_equal(found[1], rows)
    for text in texts[:20]:
        assert_allclose(ours.get_sentence_vector(text), other.get_sentence_vector(text), atol=2e-6)
    near = other.get_nearest_neighbors(words[1], 3, errors)
    found = ours.get_nearest_neighbors(words[1], 3, errors)
    assert_allclose([score for score, _ in found], [score for score, _ in near], atol=1e-5)
    if other.f.getArgs().model.name == "supervised":
        assert ours.labels == other.labels
        assert_same_predictions(ours, other, texts)


def assert_same_predictions(ours, other, texts, k=3):
    # One more than is compared, to know whether the last of them had a rival.
    names, scores = ours.predict(texts, k=k + 1)
    other_names, other_scores = other.predict(texts, k=k + 1)
    for mine, their, values, expected in zip(names, other_names, scores, other_scores, strict=True):
        assert_allclose(values, expected, rtol=1e-5, atol=1e-6)
        # Labels may change places where their scores are equal but for the last bits.
        clear = np.diff(expected, append=-1, prepend=2) < -1e-5
        for i in np.flatnonzero((clear[:-1] & clear[1:])[:k]):
            assert mine[i] == their[i]


@pytest.mark.parametrize("kind", KINDS)
def test_classifiers_of_either_are_the_same_in_both(kind, tmp_path):
    path = str(tmp_path / "model.bin")
    options = CLASSIFIER | KINDS[kind]
    for trained in (
        fasttext.train_supervised(LINES, thread=1, **options),
        sound(theirs.train_supervised, str(LINES), **options),
    ):
        trained.save_model(path)
        ours, other = fasttext.load_model(path), theirs.load_model(path)
        assert_same_model(ours, other, texts_of(LINES))
        for k, threshold in ((1, 0.0), (2, 0.2), (-1, 0.0)):
            assert_allclose(
                ours.test(LINES, k, threshold), other.test(str(LINES), k, threshold), rtol=1e-6
            )


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
@pytest.mark.parametrize("loss", ["ns", "hs", "softmax", "ova"])
def test_word_vectors_of_either_are_the_same_in_both(model, loss, tmp_path):
    path = str(tmp_path / "model.bin")
    options = {"model": model, "loss": loss, "dim": 5, "minCount": 1, "bucket": 50}
    for trained in (
        fasttext.train_unsupervised(WORDS, thread=1, **options),
        sound(theirs.train_unsupervised, str(WORDS), **options),
    ):
        trained.save_model(path)
        ours, other = fasttext.load_model(path), theirs.load_model(path)
        assert_same_model(ours, other, texts_of(WORDS))
        assert ours.f.getArgs().loss.name == other.f.getArgs().loss.name == loss


def test_words_that_are_not_utf8_survive_both(tmp_path):
    path, again = tmp_path / "model.bin", tmp_path / "again.bin"
    fasttext.train_unsupervised(LATIN, minCount=1, dim=4, bucket=30, thread=1).save_model(path)
    theirs.load_model(str(path)).save_model(str(again))
    assert again.read_bytes() == path.read_bytes()
    assert any(b"\xe9" in word for word in fasttext_format.read(again).words)


@pytest.mark.parametrize("how", QUANTISED)
def test_quantised_models_of_either_are_the_same_in_both(how, tmp_path):
    path = str(tmp_path / "model.ftz")
    options = CLASSIFIER | KINDS["softmax"]
    source = MANY if how == "output" else LINES  # the quantiser needs 256 labels
    for trained in (
        fasttext.train_supervised(source, thread=1, **options),
        sound(theirs.train_supervised, str(source), **options),
    ):
        trained.quantize(**QUANTISED[how])
        trained.save_model(path)
        ours, other = fasttext.load_model(path), theirs.load_model(path)
        assert ours.is_quantized()
        assert other.is_quantized()
        assert_same_model(ours, other, texts_of(source))


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """One classifier of n-grams of both kinds and random rows, opened by both libraries."""
    path = tmp_path_factory.mktemp("pair") / "model.bin"
    model = fasttext.train_supervised(
        LINES, dim=8, wordNgrams=4, minn=1, maxn=5, bucket=100_003, thread=1, epoch=1
    )
    rows = np.random.default_rng(1).normal(size=model.get_input_matrix().shape)
    model.set_matrices(rows, model.get_output_matrix())
    model.save_model(path)
    return fasttext.load_model(path), theirs.load_model(str(path))


@given(tokens)
def test_subwords_and_hashes_of_any_word_are_fasttexts(pair, word):
    ours, other = pair
    assert ours.get_subword_id(word) == other.get_subword_id(word)
    names, rows = other.get_subwords(word)
    found = ours.get_subwords(word)
    assert found[0] == names
    assert_array_equal(found[1], rows)


@given(st.lists(tokens, max_size=8))
def test_word_ngrams_of_any_line_are_fasttexts(pair, words):
    """Rows are random, so that means are equal only if the same rows, as often, were averaged."""
    ours, other = pair
    line = " ".join(words)
    assert_allclose(ours.get_sentence_vector(line), other.get_sentence_vector(line), atol=2e-6)
    assert ours.get_line(line) == other.get_line(line)


@settings(max_examples=50)
@given(st.lists(st.one_of(tokens, st.sampled_from("abcde")), min_size=1, max_size=6))
def test_texts_are_cut_as_fasttext_cuts_them(words):
    for blank in (" ", "\n", " \t", "\r\n", "\v\f", "\0"):
        text = blank.join(words)
        assert fasttext.tokenize(text) == theirs.tokenize(text)


@pytest.mark.parametrize("maxn", [0, 3])
def test_version_11_means_the_same_in_both(maxn, tmp_path):
    path = tmp_path / "model.bin"
    model = fasttext.train_supervised(LINES, thread=1, wordNgrams=2, maxn=maxn, **CLASSIFIER)
    model.save_model(path)
    content = path.read_bytes()
    path.write_bytes(content[:4] + struct.pack("<i", 11) + content[8:])
    assert_same_model(fasttext.load_model(path), theirs.load_model(str(path)), texts_of(LINES))


@pytest.mark.peers
@pytest.mark.skipif(not CLASSIFY.is_dir(), reason="needs the sets of ../shared/data/classify")
@pytest.mark.parametrize("name", ["imdb", "20news", "agnews10k", "reuters90", "langid75"])
def test_predictions_on_real_texts_are_the_same(name, tmp_path):
    for part in ("train", "test"):
        packed = (CLASSIFY / f"{name}.{part}.txt.xz").read_bytes()
        (tmp_path / part).write_bytes(lzma.decompress(packed))
    letters = {"minn": 2, "maxn": 4} if name == "langid75" else {"wordNgrams": 2}
    options = {"dim": 10, "epoch": 2, "lr": 0.5, "bucket": 100_000, **letters}
    texts = [line for line in texts_of(tmp_path / "test") if line]
    path = str(tmp_path / "model")
    for trained in (
        fasttext.train_supervised(tmp_path / "train", thread=1, **options),
        sound(theirs.train_supervised, str(tmp_path / "train"), **options),
    ):
        for quantise in (False, True):
            if quantise:
                trained.quantize(qnorm=True, cutoff=20_000)
            trained.save_model(path)
            ours, other = fasttext.load_model(path), theirs.load_model(path)
            assert_same_predictions(ours, other, texts, k=2)
            assert_allclose(
                ours.test(tmp_path / "test"), other.test(str(tmp_path / "test")), rtol=1e-4
            )
