"""The `fasttext` module by name: what fastText itself returns for its models, and its errors."""

import copy
import json
import math
import pickle
import re
import struct
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import fasttext
from pyw2v.fasttext import util
from pyw2v.fasttext.FastText import _FastText

FOLDER = Path(__file__).parents[1] / "data" / "fasttext"
GOLDEN = json.loads((FOLDER / "golden.json").read_text(encoding="utf-8"))
FILES = sorted(GOLDEN)
CLASSIFIERS = [name for name in FILES if "labels" in GOLDEN[name]]


@pytest.fixture(params=FILES)
def name(request):
    return request.param


@pytest.fixture
def model(name):
    return fasttext.load_model(str(FOLDER / name))


@pytest.fixture
def golden(name):
    return GOLDEN[name]


classifiers = pytest.mark.parametrize("name", CLASSIFIERS)


def errors_of(name):
    return "replace" if name == "latin1.bin" else "strict"


def assert_pairs(found, expected, tolerance):
    """Same texts with the same scores, in the same order but for scores that are nearly equal."""
    assert_allclose([score for score, _ in found], [score for score, _ in expected], **tolerance)
    scores = {text: score for score, text in expected}
    assert {text for _, text in found} == set(scores)
    assert_allclose([score for score, _ in found], [scores[text] for _, text in found], **tolerance)


NEAR = {"rtol": 1e-5, "atol": 2e-6}


def test_words_labels_and_ids(model, golden, name):
    words, counts = model.get_words(include_freq=True, on_unicode_error=errors_of(name))
    assert words == golden["words"]
    assert_array_equal(counts, golden["counts"])
    assert {word: model.get_word_id(word) for word in golden["word_ids"]} == golden["word_ids"]
    if "labels" in golden:
        labels, counts = model.get_labels(include_freq=True)
        assert labels == model.labels == golden["labels"]
        assert_array_equal(counts, golden["label_counts"])
        ids = {label: model.get_label_id(label) for label in golden["label_ids"]}
        assert ids == golden["label_ids"]
    elif name != "latin1.bin":
        assert model.labels == model.words == words


def test_vectors(model, golden):
    for word, vector in golden["word_vectors"].items():
        assert_allclose(model.get_word_vector(word), vector, rtol=1e-6, atol=1e-6, err_msg=word)
        assert model[word].dtype == np.float32
    for text, vector in golden["sentence_vectors"].items():
        assert_allclose(model.get_sentence_vector(text), vector, rtol=1e-5, atol=2e-6)
    assert_allclose(model.get_input_vector(1), golden["input_vector"], rtol=1e-6, atol=1e-6)
    assert model.get_dimension() == golden["dim"]
    assert model.is_quantized() == golden["quantized"]


def test_subwords(model, golden):
    for word, (texts, rows) in golden["subwords"].items():
        found_texts, found_rows = model.get_subwords(word)
        assert found_texts == texts
        assert_array_equal(found_rows, rows)
    for text, row in golden.get("subword_ids", {}).items():
        assert model.get_subword_id(text) == row


def test_neighbors_and_analogies(model, golden, name):
    for word, expected in golden["neighbors"].items():
        if any(golden["word_vectors"].get(word, [1])):  # else any word is as near as any other
            found = model.get_nearest_neighbors(word, 4, errors_of(name))
            assert_pairs(found, expected, NEAR)
    if not all(score == 0 for score, _ in golden["analogies"]):
        known = [golden["words"][2], "</s>", ""]
        probes = known if name != "latin1.bin" else ["a", "unseen", "жжéa"]
        found = model.get_analogies(*probes, 4, errors_of(name))
        assert_allclose([s for s, _ in found], [s for s, _ in golden["analogies"]], atol=1e-5)
    assert model.get_nearest_neighbors("a", 0, errors_of(name)) == []


def test_lines(model, golden, name):
    text = "__label__0 a __label__none </s> b"
    words, labels = model.get_line(text)
    assert labels == (["__label__0"] if "labels" in golden else [])
    assert words == ["a", "</s>"]
    assert model.get_line([text, ""]) == ([words, ["</s>"]], [labels, []])


@classifiers
def test_predictions(model, golden):
    for text, k, threshold, expected in golden["predictions"]:
        assert_pairs(model.f.predict(text + "\n", k, threshold, "strict"), expected, NEAR)
        labels, probabilities = model.predict(text, k=k, threshold=threshold)
        assert isinstance(labels, tuple)
        assert probabilities.dtype == np.float64
        assert_allclose(probabilities, [p for p, _ in expected], **NEAR)
    texts = [text for text, *_ in golden["predictions"]]
    labels, probabilities = model.predict(texts, k=2)
    for text, some, values in zip(texts, labels, probabilities, strict=True):
        assert values.dtype == np.float32
        one = model.predict(text, k=2)
        assert (tuple(some), values.tolist()) == (one[0], one[1].tolist())
    assert model.predict([]) == ([], [])


@classifiers
def test_evaluation(model, golden, name):
    path = FOLDER / ("many.txt" if name == "qout.ftz" else "lines.txt")
    for k, threshold, *expected in golden["test"]:
        assert_allclose(model.test(path, k, threshold), expected, rtol=1e-7)
    report = model.test_label(path)
    assert list(report) == golden["labels"]
    # Sigmoids from a table are often equal, and then any label may be the first.
    for label, expected in golden["test_label"].items() if name != "ns.bin" else ():
        assert_allclose(list(report[label].values()), list(expected.values()))
        assert list(report[label]) == ["precision", "recall", "f1score"]
    meter = model.get_meter(path)
    expected = golden["meter"]
    label = golden["labels"][0]
    assert_allclose(
        [meter.precision_at_recall(r) for r in (0.3, 0.9)], expected["precision_at_recall"]
    )
    assert_allclose(
        [meter.recall_at_precision(p) for p in (0.3, 0.9)], expected["recall_at_precision"]
    )
    assert_allclose(
        [meter.precision_at_recall(0.3, label), meter.recall_at_precision(0.3, label)],
        expected["label"],
    )
    for part, values in zip(
        meter.precision_recall_curve(label), expected["curve_of_label"], strict=True
    ):
        assert_allclose(part[:5], values)
    scores, truth = meter.score_vs_true(label)
    assert sorted(scores) == scores.tolist()
    assert set(truth) <= {0.0, 1.0}


def test_a_word_that_spells_the_end_of_a_line_ends_it_in_a_test_too(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("__label__0 a </s> __label__1 b\n__label__2 a")
    model = fasttext.load_model(FOLDER / "softmax.bin")
    assert model.test(path)[0] == 3


def test_evaluation_without_anything_to_divide_by_is_nan(tmp_path):
    (tmp_path / "lines.txt").write_text("a b\n__label__0 a\n")
    model = fasttext.load_model(FOLDER / "softmax.bin")
    n, precision, recall = model.test(tmp_path / "lines.txt", threshold=2.0)
    assert (n, recall) == (1, 0.0)
    assert math.isnan(precision)
    assert math.isnan(model.test_label(tmp_path / "lines.txt")["__label__3"]["recall"])


def test_models_are_saved_byte_for_byte(model, name, tmp_path):
    model.save_model(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == (FOLDER / name).read_bytes()


@pytest.mark.parametrize("name", ["skipgram.bin", "cutoff.ftz"])
def test_models_can_be_pickled_and_copied(model, name, tmp_path):
    for other in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert isinstance(other, _FastText)
        assert_array_equal(other["a"], model["a"])
        other.save_model(tmp_path / "other")
        assert (tmp_path / "other").read_bytes() == (FOLDER / name).read_bytes()


def test_matrices_can_be_read_and_set():
    model = fasttext.load_model(FOLDER / "skipgram.bin")
    inputs, outputs = model.get_input_matrix(), model.get_output_matrix()
    assert inputs.shape == (len(model.words) + 30, 5)
    assert outputs.shape == (len(model.words), 5)
    model.set_matrices(2 * inputs.astype(float), outputs[:, :5])
    assert_allclose(model["a"], 2 * fasttext.load_model(FOLDER / "skipgram.bin")["a"], rtol=1e-6)
    with pytest.raises(ValueError, match="rows"):
        model.set_matrices(inputs[1:], outputs)
    quantized = fasttext.load_model(FOLDER / "norm.ftz")
    for method in (quantized.get_input_matrix, quantized.get_output_matrix):
        with pytest.raises(ValueError, match="quantized"):
            method()
    with pytest.raises(RuntimeError, match="Can't export quantized matrix"):
        quantized.f.getInputMatrix()


def test_membership_is_that_of_words():
    model = fasttext.load_model(FOLDER / "softmax.bin")
    assert "</s>" in model
    assert "unseen" not in model
    assert "__label__0" not in model


def test_errors_are_those_of_fasttext(tmp_path):
    with pytest.raises(ValueError, match=re.escape("none.bin cannot be opened for loading!")):
        fasttext.load_model(tmp_path / "none.bin")
    (tmp_path / "text.bin").write_text("no model at all")
    with pytest.raises(ValueError, match="has wrong file format!"):
        fasttext.load_model(str(tmp_path / "text.bin"))
    words = fasttext.load_model(FOLDER / "skipgram.bin")
    with pytest.raises(ValueError, match="Model needs to be supervised for prediction!"):
        words.predict("a")
    model = fasttext.load_model(FOLDER / "softmax.bin")
    for k in (0, -2):
        with pytest.raises(ValueError, match="k needs to be 1 or higher!"):
            model.predict("a", k=k)
    for call in (model.predict, model.get_line, model.get_sentence_vector):
        with pytest.raises(ValueError, match="one line at a time"):
            call("a\nb")
    with pytest.raises(ValueError, match="cannot be opened"):
        model.test(tmp_path / "none.txt")
    with pytest.raises(ValueError, match="cannot be opened for saving"):
        model.save_model(tmp_path / "no" / "folder.bin")
    with pytest.raises(ValueError, match="rows 0 to"):
        model.get_input_vector(10**6)
    with pytest.raises(UnicodeDecodeError):
        fasttext.load_model(FOLDER / "latin1.bin").get_words()
    with pytest.raises(TypeError, match="text must be a str"):
        model.predict(3)
    with pytest.raises(RuntimeError, match="never trained"):
        _FastText().get_words()


def test_line_breaks_are_blanks_unless_strict():
    model = fasttext.load_model(FOLDER / "softmax.bin")
    assert model.predict("a\nb", strict=False)[0] == model.predict("a b")[0]
    assert model.predict(["a\nb"], strict=False)[0] == [list(model.predict("a b")[0])]


def test_tokenize_and_constants():
    assert fasttext.tokenize("a  b\tc\n\nd\0e ") == ["a", "b", "c", "</s>", "</s>", "d", "e"]
    assert (fasttext.EOS, fasttext.BOW, fasttext.EOW) == ("</s>", "<", ">")
    for old in (fasttext.cbow, fasttext.skipgram, fasttext.supervised):
        with pytest.raises(Exception, match="is not supported any more"):
            old("text")


def test_reduced_models_keep_the_main_directions():
    model = fasttext.load_model(FOLDER / "skipgram.bin")
    inputs = model.get_input_matrix()
    assert util.reduce_model(model, 3) is model
    assert model.get_dimension() == 3
    reduced = model.get_input_matrix()
    centred = inputs - inputs.mean(axis=0)
    variances = np.linalg.svd(centred, compute_uv=False)[:3]
    found = np.linalg.svd(reduced - reduced.mean(axis=0), compute_uv=False)
    assert_allclose(found, variances, rtol=1e-4)
    with pytest.raises(ValueError, match="target_dim"):
        util.reduce_model(model, 4)


def test_util_counts_and_searches():
    assert util.test([["a"], ["b"]], [["a"], ["a", "c"]]) == (0.5, 1 / 3)
    vectors = np.array([[1.0, 0], [0, 1], [0.5, 0]])
    products = np.empty(3)
    assert util.find_nearest_neighbor(np.array([1.0, 0]), vectors, {0}, products) == 2
    assert_array_equal(products, [1, 0, 0.5])
    assert {"en", "de", "zh"} <= util.valid_lang_ids
    assert len(util.valid_lang_ids) == 158
    with pytest.raises(Exception, match="Invalid lang id"):
        util.download_model("xx")


def test_existing_downloads_are_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cc.de.300.bin").write_bytes(b"old")
    assert util.download_model("de") is None
    assert util.download_model("de", if_exists="ignore") == "cc.de.300.bin"
    with pytest.raises(ValueError, match="if_exists"):
        util.download_model("de", if_exists="ask")


@pytest.mark.parametrize(
    ("minn", "maxn", "lengths"),
    [(-1, 4, set()), (-5, -2, set()), (2, -1, {2, 3, 4, 5, 6, 7}), (3, 0, set()), (2, 3, {2, 3})],
)
def test_negative_lengths_of_ngrams_mean_what_they_mean_to_fasttext(tmp_path, minn, maxn, lengths):
    """It compares them as unsigned numbers: a negative minn is out of reach, maxn no limit."""
    content = bytearray((FOLDER / "skipgram.bin").read_bytes())
    struct.pack_into("<2i", content, 44, minn, maxn)  # behind magic, version and nine settings
    (tmp_path / "m.bin").write_bytes(content)
    texts, _ = fasttext.load_model(tmp_path / "m.bin").get_subwords("abcde")
    assert {len(text) for text in texts} == lengths
