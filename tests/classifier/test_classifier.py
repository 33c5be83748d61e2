"""TextClassifier: what it learns, what it takes and gives, how it is saved."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import threads
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import KeyedVectors, TextClassifier
from pyw2v.classifier import labelled
from pyw2v.classifier.quantize import prune
from pyw2v.io import fasttext_format

FASTTEXT = Path(__file__).parents[1] / "data" / "fasttext"
GOLDEN = json.loads((FASTTEXT / "golden.json").read_text(encoding="utf-8"))
CLASSIFIERS = [name for name, golden in GOLDEN.items() if "predictions" in golden]
LOSSES = ["softmax", "hs", "ns", "ova"]


def planted(rng, n=600, n_labels=5):
    """Texts of common words and a few that tell the label, sorted by label."""
    labels = np.sort(rng.integers(n_labels, size=n))
    texts = [
        " ".join([*(f"w{i}" for i in rng.integers(40, size=6)), f"of{y}", f"at{y}"]) for y in labels
    ]
    return texts, labels


def small(**settings):
    return TextClassifier(
        **{"dim": 10, "lr": 0.5, "epochs": 10, "bucket": 5000, "workers": 1} | settings
    )


@pytest.mark.parametrize(
    "features", [{}, {"word_ngrams": 2}, {"min_n": 2, "max_n": 3}], ids=["words", "pairs", "chars"]
)
@pytest.mark.parametrize("loss", LOSSES)
def test_a_planted_problem_is_learnt(loss, features, rng):
    texts, labels = planted(rng)
    model = small(loss=loss, **features).fit(texts[::2], labels[::2])
    assert model.score(texts[1::2], labels[1::2]) > 0.97
    assert model.loss_history_[-1] < 0.5 * model.loss_history_[0]
    proba = model.predict_proba(texts[:50])
    assert proba.shape == (50, 5)
    assert (proba >= 0).all()
    assert (proba <= 1).all()
    if loss in ("softmax", "hs"):
        assert_allclose(proba.sum(axis=1), 1, rtol=1e-5)
    assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(texts[:50]))


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("n_lines", [70, 2100])  # for many, rows of frequent words are summed once
@pytest.mark.parametrize("workers", [1, 3])
def test_predictions_are_those_of_fasttext(name, workers, n_lines):
    model = TextClassifier.from_data(fasttext_format.read(FASTTEXT / name))
    golden = GOLDEN[name]
    names = [label.decode() for label in model.data.labels]
    assert names == golden["labels"]
    predictor = model._fitted.predictor
    for line, k_or_all, threshold, expected in golden["predictions"]:
        k = len(names) if k_or_all == -1 else k_or_all
        text = line.encode() + b"\n"
        ids, probabilities, n_found = predictor.predict(
            [text] * n_lines, k, threshold, as_fasttext=True, workers=workers
        )
        assert set(n_found) == {len(expected)}
        for row in (0, n_lines - 1):
            found = probabilities[row, : n_found[row]]
            assert_allclose(found, [p for p, _ in expected], atol=1e-6)
            by_label = dict(zip([names[i] for i in ids[row]], found, strict=False))
            assert_allclose([by_label[label] for _, label in expected], found, atol=1e-6)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_text_vectors_are_fasttexts_sentence_vectors(name):
    model = TextClassifier.from_data(fasttext_format.read(FASTTEXT / name))
    for text, expected in GOLDEN[name]["sentence_vectors"].items():
        found = model._fitted.predictor.hidden([text.encode() + b"\n"])
        assert_allclose(found[0], expected, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name.endswith(".bin")])
def test_precision_is_fasttexts(name):
    model = TextClassifier.from_data(fasttext_format.read(FASTTEXT / name))
    k, threshold, n, precision, _ = GOLDEN[name]["test"][0]
    assert (k, threshold, n) == (1, 0.0, 90)
    assert_allclose(model.score(FASTTEXT / "lines.txt"), precision)


def test_features_of_lines_and_of_the_same_text_in_queries_agree():
    model = small(word_ngrams=3, min_n=1, max_n=4, bucket=300, min_count=9)
    path = FASTTEXT / "lines.txt"
    model.fit(path)
    lines = labelled.encode(path, None, "__label__", labelled.LabelKind())
    entries = labelled.count(lines, 9, 0).entries
    state = model._fitted
    assert any(entry == -1 for entry in entries)
    expected = lines.features(state.rules, entries)
    for text, features in zip(path.read_bytes().splitlines(keepends=True), expected, strict=True):
        assert state.predictor.line(text) == features


@pytest.mark.parametrize("loss", ["softmax", "hs", "ova"])
def test_an_only_label_is_every_prediction(loss):
    model = small(loss=loss).fit(["a b", "c d"], ["x", "x"])
    assert model.predict(["a d", "b"]).tolist() == ["x", "x"]


@pytest.mark.parametrize("loss", LOSSES)
def test_one_worker_and_seed_give_the_same_bits(loss, rng):
    texts, labels = planted(rng, 200)
    a, b = (small(loss=loss, word_ngrams=2, seed=3).fit(texts, labels) for _ in range(2))
    other = small(loss=loss, word_ngrams=2, seed=4).fit(texts, labels)
    assert_array_equal(a.data.input, b.data.input)
    assert_array_equal(a.data.output, b.data.output)
    assert a.loss_history_ == b.loss_history_
    assert (a.data.output != other.data.output).any()


def test_several_workers_learn_as_well(rng):
    texts, labels = planted(rng, 2000)
    assert small(workers=4).fit(texts, labels).score(texts, labels) > 0.97


def test_file_lines_and_rows_with_labels_give_the_same_model(tmp_path, rng):
    texts, labels = planted(rng, 100)
    lines = [f"{text} __label__{label}" for text, label in zip(texts, labels, strict=True)]
    path = tmp_path / "train.txt"
    path.write_text("\n".join(lines) + "\n")
    models = [
        small().fit(path),
        small().fit(str(path)),
        small().fit(lines),
        small().fit(iter(texts), [str(label) for label in labels]),
        small().fit([text.split() for text in texts], [str(label) for label in labels]),
    ]
    for model in models[1:]:
        assert model.data.words == models[0].data.words
        assert_array_equal(model.data.input, models[0].data.input)
        assert model.score(path) == models[0].score(path)


def test_vocabulary_is_pruned_and_sorted():
    rows = ["b a a", "a c", "a b </s>"]
    model = small(min_count=2).fit(rows, ["x", "y", "y"])
    assert model.data.words == [b"a", b"</s>", b"b"]
    assert model.data.word_counts.tolist() == [4, 4, 2]
    assert model.data.labels == [b"__label__y", b"__label__x"]
    assert model.data.n_tokens == 14
    rare = small(min_count_label=2).fit(rows, ["x", "y", "y"])
    assert rare.data.labels == [b"__label__y"]


def test_rows_with_several_labels(rng):
    texts = [f"w{i} w{j}" for i in range(12) for j in range(12)]
    labels = [sorted({f"L{i}", f"L{j}"}) for i in range(12) for j in range(12)]
    model = small(loss="ova", epochs=60, lr=0.5).fit(texts, labels)
    for text, expected in list(zip(texts, labels, strict=True))[::7]:
        found = model.top([text], k=5, threshold=0.5)[0]
        assert sorted(label for label, _ in found) == expected
    for loss in ("softmax", "hs", "ns"):
        model = small(loss=loss, epochs=30).fit(texts, labels)
        assert model.score(texts, labels) > 0.9


def test_weights_scale_what_is_learnt(rng):
    texts = ["a b"] * 30 + ["a b c"] * 30
    labels = [0] * 30 + [1] * 30
    even = small().fit(texts, labels).predict_proba(["a b"])[0, 0]
    heavy = small(class_weight={0: 4.0}).fit(texts, labels).predict_proba(["a b"])[0, 0]
    assert heavy > even
    weights = np.where(np.array(labels) == 0, 4.0, 1.0)
    rows = small().fit(texts, labels, sample_weight=weights)
    assert_allclose(rows.predict_proba(["a b"])[0, 0], heavy, rtol=1e-4)
    none = small().fit(texts, labels, sample_weight=np.zeros(60))
    assert not none.data.output.any()
    skewed = [0] * 50 + [1] * 10
    plain = small().fit(["a"] * 60, skewed).predict_proba(["a"])[0, 1]
    balanced = small(class_weight="balanced").fit(["a"] * 60, skewed).predict_proba(["a"])[0, 1]
    assert abs(balanced - 0.5) < abs(plain - 0.5)


@pytest.mark.parametrize("loss", LOSSES)
def test_training_goes_on_with_new_words_and_labels(loss, rng):
    texts, labels = planted(rng, 600)
    known = labels < 3
    first = [text for text, keep in zip(texts, known, strict=True) if keep]
    model = small(loss=loss, word_ngrams=2).fit(first, labels[known])
    before = model.data
    model.partial_fit(texts, labels)
    assert model.data.words[: len(before.words)] == before.words
    assert model.data.labels[:3] == before.labels
    assert model.classes_.tolist() == [0, 1, 2, 3, 4]
    assert len(model.data.input) == len(model.data.words) + 5000
    assert model.data.label_counts.sum() == known.sum() + len(labels)
    assert model.score(texts, labels) > 0.97


def test_going_on_without_steps_changes_no_row(rng):
    texts, labels = planted(rng, 200)
    for loss in LOSSES:
        model = small(loss=loss, max_n=3, min_n=2).fit(texts, labels)
        before = model.predict_proba(texts)
        model.set_params(lr=0.0).partial_fit(texts, labels)
        assert_allclose(model.predict_proba(texts), before, atol=1e-6)
        model.partial_fit(["quite new words"], [0])
        assert_allclose(model.predict_proba(texts), before, atol=1e-6)


def test_labels_that_come_later_can_be_named_first(rng):
    texts, labels = planted(rng, 300)
    model = small().partial_fit(texts[:50], labels[:50], classes=range(5))
    assert model.classes_.tolist() == [0, 1, 2, 3, 4]
    model.partial_fit(texts, labels)
    assert model.score(texts, labels) > 0.97


def test_pretrained_vectors_start_the_rows(tmp_path, rng):
    vectors = KeyedVectors(10)
    vectors.add_vectors(["of1", "at2", "elsewhere"], rng.normal(size=(3, 10)).astype(np.float32))
    path = tmp_path / "some.vec"
    vectors.save_word2vec_format(path)
    texts, labels = planted(rng, 50)
    for source in (vectors, path, str(path)):
        model = small(pretrained_vectors=source, lr=0.0).fit(texts, labels)
        ids = {word: i for i, word in enumerate(model.data.words)}
        assert b"elsewhere" in ids
        rows = [ids[key.encode()] for key in vectors.index_to_key]
        assert_allclose(model.data.input[rows], vectors.vectors, atol=1e-4)
    model = small(pretrained_vectors=FASTTEXT / "skipgram.bin", dim=5, lr=0.0).fit(["a"], ["x"])
    word = GOLDEN["skipgram.bin"]["words"][1]
    row = model.data.words.index(word.encode())
    expected = GOLDEN["skipgram.bin"]["word_vectors"][word]
    assert_allclose(model.data.input[row], expected, atol=1e-6)
    with pytest.raises(ValueError, match="10 numbers wide, dim is 7"):
        small(pretrained_vectors=vectors, dim=7).fit(texts, labels)
    with pytest.raises(TypeError, match="KeyedVectors"):
        small(pretrained_vectors=3).fit(texts, labels)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_saved_model_predicts_the_same(loss, tmp_path, rng):
    texts, labels = planted(rng, 200)
    model = small(loss=loss, word_ngrams=2, label_prefix="#").fit(texts, labels)
    path = tmp_path / "model"
    model.save(path)
    again = TextClassifier.load(path)
    assert again.get_params() == model.get_params()
    assert again.loss_history_ == model.loss_history_
    assert again.classes_.tolist() == [0, 1, 2, 3, 4]
    assert_array_equal(again.predict_proba(texts), model.predict_proba(texts))
    again.partial_fit(texts, labels)
    assert again.score(texts, labels) > 0.97
    fasttext_format.write(model.data, path)
    through = TextClassifier.from_data(fasttext_format.read(path), label_prefix="#")
    assert_array_equal(through.predict_proba(texts), model.predict_proba(texts))


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name.endswith(".ftz")])
def test_quantised_models_are_saved_and_not_trained_on(name, tmp_path):
    model = TextClassifier.from_data(fasttext_format.read(FASTTEXT / name))
    model.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    texts = ["a b", "", "жжéa unseen"]
    assert_array_equal(again.predict_proba(texts), model.predict_proba(texts))
    with pytest.raises(ValueError, match="quantised or pruned"):
        again.partial_fit(["a"], ["x"])


def test_a_pruned_model_is_trained_on_with_the_rows_it_has(rng):
    texts, labels = planted(rng, 400)
    names = [str(label) for label in labels]
    model = small(word_ngrams=2).fit(texts, names)
    pruned = TextClassifier.from_data(prune(model.data, 60), workers=1, lr=0.5, epochs=5)
    assert len(pruned.data.input) == 60
    before = pruned.data.input.copy()
    words = list(pruned.data.words)
    pruned.retrain([*texts, "words never seen"], [*names, "9"])
    assert pruned.data.words == words
    assert pruned.data.input.shape == before.shape
    assert (pruned.data.input != before).any()
    assert pruned.score(texts, names) > 0.97
    with pytest.raises(ValueError, match="quantised"):
        TextClassifier.from_data(fasttext_format.read(FASTTEXT / "plain.ftz")).retrain(["a"], ["x"])


def test_damaged_files_are_value_errors(tmp_path):
    model = small().fit(["a b", "c"], ["x", "y"])
    path = tmp_path / "model"
    model.save(path)
    content = path.read_bytes()
    for n in (0, 7, 100, len(content) - 5):
        path.write_bytes(content[:n])
        with pytest.raises(ValueError, match="model"):
            TextClassifier.load(path)
    KeyedVectors(2).save(path)
    with pytest.raises(ValueError, match="KeyedVectors"):
        TextClassifier.load(path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dim": 0}, "dim must be at least 1, got 0"),
        ({"lr": -1.0}, "lr must be at least"),
        ({"epochs": -1}, "epochs must be at least 0"),
        ({"loss": "hinge"}, "loss must be one of softmax, hs, ns, ova, got 'hinge'"),
        ({"bucket": 0, "word_ngrams": 2}, "bucket must be at least 1, got 0"),
        ({"label_prefix": ""}, "label_prefix"),
        ({"class_weight": "heavy"}, "class_weight must be"),
        ({"class_weight": {"z": 1.0}}, "class_weight names 'z'"),
        ({"min_count": 9}, "no word occurs min_count = 9"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        small(**settings).fit(["a b", "b c"], ["x", "y"])


def test_input_of_the_wrong_kind_is_refused(tmp_path):
    with pytest.raises(TypeError, match="sequence of texts"):
        small().fit(["a"], ["x"]).predict("a")
    with pytest.raises(ValueError, match="labels inside"):
        small().fit("a b", ["x"])
    with pytest.raises(ValueError, match="one length"):
        small().fit(["a", "b"], ["x"])
    with pytest.raises(TypeError, match="one kind"):
        small().fit(["a", "b"], ["x", 1])
    with pytest.raises(TypeError, match="a label must be"):
        small().fit(["a", "b"], [1.5, 2.5])
    with pytest.raises(TypeError, match="a token must be"):
        small().fit([["a", 3]], ["x"])
    with pytest.raises(TypeError, match="a row must be"):
        small().fit([None], ["x"])
    with pytest.raises(ValueError, match="there are no labels"):
        small().fit(["a b"])
    with pytest.raises(ValueError, match="two labels"):
        small(loss="ns").fit(["a b"], ["x"])
    with pytest.raises(ValueError, match="not fitted"):
        small().predict(["a"])
    with pytest.raises(ValueError, match="sample_weight must hold 1"):
        small().fit(["a"], ["x"], sample_weight=[1, 2])
    with pytest.raises(FileNotFoundError):
        small().fit(tmp_path / "none.txt")
    bare = tmp_path / "bare.txt"
    bare.write_text("a line without a label\n__label__y")
    with pytest.raises(ValueError, match="both a label and a word"):
        small().fit(bare)
    with pytest.raises(ValueError, match="supervised"):
        TextClassifier.from_data(fasttext_format.read(FASTTEXT / "cbow.bin"))


def test_training_that_diverges_says_so():
    texts = [f"w{i % 7} w{i % 5}" for i in range(500)]
    with pytest.raises(FloatingPointError, match="smaller lr"):
        small(lr=1e20, epochs=20).fit(texts, [i % 2 for i in range(500)])


def test_texts_without_features_get_the_most_frequent_label():
    model = small(min_count=3).fit(["a"] * 3 + ["b"] * 4, ["x"] * 3 + ["y"] * 4)
    data = model.data.replace(
        words=[b"a", b"b"], word_counts=np.array([3, 4]), input=model.data.input[:2]
    )
    assert sorted(model.data.words) == [b"</s>", b"a", b"b"]
    bare = TextClassifier.from_data(data)
    assert bare.predict(["", "unknown"]).tolist() == ["y", "y"]
    assert not bare.predict_proba([""]).any()
    assert bare.top([""]) == [[]]
    assert model.predict([]).shape == (0,)
    assert model.predict_proba([]).shape == (0, 2)


def test_threads_may_query_one_model_at_once(rng):
    texts, labels = planted(rng, 400)
    model = small().fit(texts, labels)
    expected = model.predict_proba(texts)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(model.predict_proba(texts))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in found:
        assert_array_equal(result, expected)


@threads.needs_count
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_ends_training_soon_and_leaves_the_model_there_was(workers):
    texts, labels = ["good fine day", "bad sad night"] * 500, ["yes", "no"] * 500
    model = TextClassifier(dim=100, epochs=1, word_ngrams=2, workers=workers).fit(texts, labels)
    before, n_threads = model.predict_proba(texts[:2]), threads.count()
    model.epochs = 1_000_000
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.5, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(texts, labels)
    seconds = time.monotonic() - sent[0]
    timer.join()
    assert seconds < 2  # 0.1 s on a machine of our own
    assert threads.none_left(n_threads)
    assert_array_equal(model.predict_proba(texts[:2]), before)
    model.epochs = 1
    assert model.fit(texts, labels).score(texts, labels) == 1


@pytest.mark.parametrize("loss", ["softmax", "hs", "ns", "ova"])
@pytest.mark.parametrize("workers", [1, 2])
def test_features_kept_from_epoch_to_epoch_change_nothing(loss, workers):
    """They are kept if they are few beside the rows: here because of words that never come."""
    rng = np.random.default_rng(3)
    texts = [" ".join(f"w{i}" for i in rng.integers(12, size=n)) for n in rng.integers(9, size=900)]
    labels = [f"l{i}" for i in rng.integers(4, size=len(texts))]
    outputs = []
    for n_words in (12, 20_000):
        vectors = KeyedVectors(10)
        vectors.add_vectors(
            [f"w{i}" for i in range(n_words)], np.random.default_rng(1).normal(size=(n_words, 10))
        )
        model = small(pretrained_vectors=vectors, loss=loss, epochs=4, workers=workers, lr=0.1)
        model.fit(texts, labels)
        assert len(model.data.input.values) > n_words
        outputs.append((model.loss_history_, model.predict_proba(texts)))
    exactly = {"rtol": 0} if workers == 1 else {"rtol": 0.1, "atol": 0.05}
    assert_allclose(outputs[0][0], outputs[1][0], **exactly)
    assert_allclose(outputs[0][1], outputs[1][1], **exactly)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_one_line_is_predicted_as_many_are(name):
    model = TextClassifier.from_data(fasttext_format.read(FASTTEXT / name))
    predictor = model._fitted.predictor
    lines = [line.encode() + b"\n" for line, *_ in GOLDEN[name]["predictions"]] + [b"", b"\n"]
    for k, threshold, as_fasttext in [(1, 0.0, False), (3, 0.2, True), (99, 0.0, True)]:
        many = predictor.predict(lines, k, threshold, as_fasttext)
        for line, ids, probabilities, n in zip(lines, *many, strict=True):
            one = predictor.predict_line(line, k, threshold, as_fasttext)
            assert one == (ids[:n].tolist(), probabilities[:n].tolist())
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        predictor.predict_line(b"a\n", 0)


def test_with_y_nothing_in_the_text_is_a_label():
    texts, labels = ["__label__x good day", "bad __label__y day", "x__label__y fine"], list("aba")
    model = small().fit(texts, labels)
    plain = small().fit(["good day", "bad day", "x__label__y fine"], labels)
    assert model.classes_.tolist() == ["a", "b"]
    assert [word.decode() for word in model.data.words] == [w.decode() for w in plain.data.words]
    assert_array_equal(model.predict_proba(texts), plain.predict_proba(texts))


@pytest.mark.parametrize("weights", [5, [1, 2], ("a", 1)])
def test_class_weight_of_a_wrong_type_is_refused(weights):
    with pytest.raises(TypeError, match="class_weight must be None, 'balanced' or a dict"):
        small(class_weight=weights).fit(["a", "b"], ["x", "y"])


def test_a_file_may_hold_an_empty_label(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("__label__ a b\n__label__x c d\n")
    model = TextClassifier(dim=2, epochs=1, workers=1).fit(path)
    assert model.score(path) in (0, 0.5, 1)


def test_score_names_the_line_whose_label_is_no_integer(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("__label__1 a b\n__label__x c d\n")
    model = TextClassifier(dim=2, epochs=1, workers=1).fit(["a b", "c d"], [1, 2])
    with pytest.raises(ValueError, match=r"lines\.txt, line 2: labels must be integers"):
        model.score(path)
