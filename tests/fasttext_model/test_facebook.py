"""FastText models through fastText's own files."""

import gzip
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from models import SENTENCES
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import FastText
from pyw2v._core.huffman import HuffmanTree
from pyw2v.fasttext_model import load_facebook_model, load_facebook_vectors, save_facebook_model
from pyw2v.io import fasttext_format

FOLDER = Path(__file__).parents[1] / "data" / "fasttext"
GOLDEN = json.loads((FOLDER / "golden.json").read_text(encoding="utf-8"))


def corpus(name):
    return [line.split() for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def small(**settings):
    defaults = {"vector_size": 6, "min_count": 1, "workers": 1, "sample": 0, "bucket": 50}
    return FastText(SENTENCES, **defaults | settings)


@pytest.mark.parametrize("name", ["skipgram.bin", "cbow.bin"])
@pytest.mark.parametrize("load", [load_facebook_model, load_facebook_vectors])
def test_words_have_the_vectors_that_fasttext_gives_them(name, load):
    loaded = load(FOLDER / name)
    wv = loaded.wv if load is load_facebook_model else loaded
    golden = GOLDEN[name]
    assert wv.index_to_key == golden["words"]
    assert wv.expandos["count"].tolist() == golden["counts"]
    known = {
        word: vector
        for word, vector in golden["word_vectors"].items()
        if word in wv and (wv.bucket or word in golden["words"])
    }
    assert len(known) >= 3
    for word, vector in known.items():
        assert_allclose(wv[word], vector, rtol=1e-5, atol=1e-7)


def test_compressed_files_are_read(tmp_path):
    content = (FOLDER / "skipgram.bin").read_bytes()
    (tmp_path / "model.bin.gz").write_bytes(gzip.compress(content))
    plain = load_facebook_vectors(FOLDER / "skipgram.bin")
    assert_array_equal(load_facebook_vectors(tmp_path / "model.bin.gz").vectors, plain.vectors)
    (tmp_path / "cut.gz").write_bytes(gzip.compress(content)[:100])
    with pytest.raises(ValueError, match="damaged"):
        load_facebook_model(tmp_path / "cut.gz")


def test_words_that_are_not_utf8_are_escaped():
    wv = load_facebook_vectors(FOLDER / "latin1.bin")
    assert any("\\x" in word for word in wv.index_to_key)
    latin = load_facebook_vectors(FOLDER / "latin1.bin", encoding="latin-1")
    assert any("ü" in word for word in latin.index_to_key)


@pytest.mark.parametrize("name", ["skipgram.bin", "cbow.bin"])
def test_a_loaded_model_has_the_settings_of_the_file_and_trains_further(name):
    model = load_facebook_model(FOLDER / name)
    data = fasttext_format.read(FOLDER / name)
    assert (model.sg, model.hs) == ((1, 0) if name == "skipgram.bin" else (0, 1))
    assert (model.window, model.epochs) == (data.args.ws, data.args.epoch)
    assert (model.min_n, model.max_n, model.bucket) == (
        data.args.minn,
        data.args.maxn,
        data.args.bucket,
    )
    assert model.corpus_total_words == data.n_tokens
    before = model.wv.vectors.copy()
    sentences = corpus("words.txt")
    model.sample = 0
    model.train(sentences, total_examples=len(sentences), epochs=2)
    assert np.isfinite(model.wv.vectors).all()
    assert not np.array_equal(model.wv.vectors, before)
    model.build_vocab([["новое", "слово"]] * 3, update=True)
    assert "слово" in model.wv.key_to_index


def test_old_programs_name_the_file_first():
    model = small()
    old_name = {"expected_warning": DeprecationWarning, "match": "load_facebook_model"}
    with pytest.warns(**old_name), pytest.raises(AttributeError, match="file_name"):
        model.load_binary_data()
    model.file_name = FOLDER / "skipgram.bin"
    with pytest.warns(**old_name):
        model.load_binary_data()
    expected = load_facebook_model(FOLDER / "skipgram.bin")
    assert model.bucket == expected.bucket
    assert_array_equal(model.wv.vectors, expected.wv.vectors)


@pytest.mark.parametrize(
    "settings",
    [
        *({}, {"sg": 1}, {"hs": 1, "negative": 0}, {"max_n": 0}),
        *({"objective": name, "negative": 0} for name in ("softmax", "logistic")),
    ],
    ids=str,
)
def test_a_model_survives_fasttexts_format(settings, tmp_path):
    model = small(**settings)
    save_facebook_model(model, tmp_path / "model.bin")
    again = load_facebook_model(tmp_path / "model.bin")
    assert again.wv.index_to_key == model.wv.index_to_key
    for name in ("vectors", "vectors_vocab", "vectors_ngrams"):
        assert_array_equal(getattr(again.wv, name), getattr(model.wv, name))
    assert_array_equal(again.wv.expandos["count"], model.wv.expandos["count"])
    for name in ("sg", "hs", "objective", "window", "epochs", "sample", "min_n", "max_n", "bucket"):
        assert getattr(again, name) == getattr(model, name)
    name = "syn1" if model.hs else "syn1neg"
    assert_array_equal(getattr(again, name), getattr(model, name))
    vectors = load_facebook_vectors(str(tmp_path / "model.bin"))
    assert_array_equal(vectors.vectors, model.wv.vectors)


def path_scores(tree, output, hidden):
    """log p of every word in fastText's tree, where turn 1 has p = sigmoid(score)."""
    offsets, codes, points = tree.offsets, tree.codes, tree.points
    scores = (output @ hidden)[points] * (2.0 * codes - 1.0)
    logs = -np.logaddexp(0, -scores)
    return np.array([logs[a:b].sum() for a, b in pairwise(offsets)])


def test_hierarchical_softmax_means_the_same_in_fasttexts_tree(tmp_path):
    model = small(hs=1, negative=0, epochs=20, alpha=0.1)
    save_facebook_model(model, tmp_path / "model.bin")
    data = fasttext_format.read(tmp_path / "model.bin")
    theirs = path_scores(HuffmanTree.fasttext(data.word_counts), data.output, model.wv["user"])
    assert np.exp(theirs).sum() == pytest.approx(1, abs=1e-5)
    # Of two words, each is the context of the other.
    for word, log_p in zip(model.wv.index_to_key, theirs, strict=True):
        back = path_scores(HuffmanTree.fasttext(data.word_counts), data.output, model.wv[word])
        expected = log_p + back[model.wv.key_to_index["user"]]
        assert model.score([[word, "user"]])[0] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("name", ["softmax.bin", "plain.ftz"])
def test_classifiers_are_refused_with_advice(name):
    for load in (load_facebook_model, load_facebook_vectors):
        with pytest.raises(NotImplementedError, match="classifier"):
            load(FOLDER / name)


def test_fasttext_reads_what_we_write(tmp_path):
    fasttext = pytest.importorskip("fasttext")
    model = small(sg=1)
    save_facebook_model(model, tmp_path / "model.bin")
    other = fasttext.load_model(str(tmp_path / "model.bin"))
    assert other.get_words() == model.wv.index_to_key
    for word in ["human", "computers", "日本語"]:
        assert_allclose(other.get_word_vector(word), model.wv[word], rtol=1e-5, atol=1e-7)
