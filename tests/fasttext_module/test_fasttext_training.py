"""Training under fastText's names: arguments, inputs, laws, and models that fastText reads."""

import copy
import pickle
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import fasttext
from pyw2v.classifier.autotune import autotune
from pyw2v.fasttext import _autotune, _training
from pyw2v.fasttext._arguments import read_arguments

FOLDER = Path(__file__).parents[1] / "data" / "fasttext"
LINES = FOLDER / "lines.txt"
WORDS = FOLDER / "words.txt"
SMALL = {"dim": 6, "thread": 1, "bucket": 200}
CLASSIFIER = {**SMALL, "lr": 0.5, "epoch": 20}


def text_lines(path):
    return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("loss", ["softmax", "hs", "ova", "ns"])
def test_classifiers_learn_their_lines(loss):
    model = fasttext.train_supervised(input=str(LINES), loss=loss, wordNgrams=2, **CLASSIFIER)
    n, precision, _ = model.test(LINES)
    assert n == 90
    assert precision > 0.9
    assert not model.is_quantized()


def test_inputs_are_paths_lines_and_pairs():
    lines = text_lines(LINES)
    X = [" ".join(w for w in line.split() if not w.startswith("__label__")) for line in lines]
    y = [[w[9:] for w in line.split() if w.startswith("__label__")] for line in lines]
    models = [
        fasttext.train_supervised(source, **CLASSIFIER)
        for source in (LINES, lines, iter(lines), (X, y))
    ]
    for model in models[1:]:
        assert sorted(model.labels) == sorted(models[0].labels)
        assert model.test(LINES)[1] > 0.9
    assert_array_equal(models[1].get_input_matrix(), models[2].get_input_matrix())


def test_trained_models_carry_their_settings():
    model = fasttext.train_supervised(LINES, **CLASSIFIER, label_prefix="__label__", t=0.01)
    assert (model.lr, model.dim, model.epoch, model.label) == (0.5, 6, 20, "__label__")
    assert (model.minCount, model.bucket, model.loss, model.t) == (1, 0, "softmax", 0.01)
    assert not hasattr(fasttext.load_model(FOLDER / "softmax.bin"), "lr")


def test_names_of_losses_and_models_have_numbers_and_equal_their_texts():
    model = fasttext.train_supervised(LINES, loss="ova", **CLASSIFIER)
    names = fasttext.FastText.loss_name
    assert model.loss is names.ova
    assert (model.loss.name, model.loss.value, int(model.loss)) == ("ova", 4, 4)
    assert model.loss == "ova"
    assert repr(model.loss) == "<loss_name.ova: 4>"
    loaded = fasttext.load_model(FOLDER / "cbow.bin").f.getArgs()
    assert loaded.model is fasttext.FastText.model_name.cbow
    assert loaded.loss is names.hs
    assert pickle.loads(pickle.dumps(model)).loss is names.ova


def test_numbers_that_fasttext_takes_for_none_are_taken_for_none():
    options = {**CLASSIFIER, "minn": -1, "maxn": -1, "wordNgrams": 0, "minCount": -1, "seed": -1}
    model = fasttext.train_supervised(LINES, **options)
    assert model.test(LINES)[1] > 0.9
    assert (model.minn, model.maxn, model.wordNgrams) == (-1, -1, 0)
    words = fasttext.train_unsupervised(WORDS, minCount=0, minn=-1, maxn=-1, seed=-1, **SMALL)
    assert words.get_subwords("a")[0] in ([], ["a"])


def test_no_epochs_leave_pretrained_vectors_as_they_are(tmp_path):
    path = tmp_path / "some.vec"
    path.write_text("2 6\nnew 1 2 3 4 5 6\nß 6 5 4 3 2 1\n", encoding="utf-8")
    options = {"dim": 6, "thread": 1, "epoch": 0, "pretrainedVectors": path}
    for model in (
        fasttext.train_supervised(LINES, **options),
        fasttext.train_unsupervised(WORDS, minCount=1, maxn=0, **options),
    ):
        assert model["new"].tolist() == [1, 2, 3, 4, 5, 6]
        assert not model.get_output_matrix().any()
        model.save_model(tmp_path / "model.bin")
        assert fasttext.load_model(tmp_path / "model.bin")["ß"].tolist() == [6, 5, 4, 3, 2, 1]


def test_arguments_have_the_names_order_and_defaults_of_fasttext():
    args, given = read_arguments(("file", 0.2, 7), {"min_count": 3}, supervised=True)
    assert (args.input, args.lr, args.dim, args.minCount) == ("file", 0.2, 7, 3)
    assert given == {"input", "lr", "dim", "minCount"}
    assert (args.minn, args.maxn, args.loss, args.bucket, args.thread >= 1) == (
        *(0, 0, "softmax", 0),
        True,
    )
    args, _ = read_arguments(("file", "cbow", 0.2), {}, supervised=False)
    assert (args.model, args.lr, args.minCount, args.bucket) == ("cbow", 0.2, 5, 2_000_000)
    for call, message in (
        ({"inputs": 1}, "unexpected keyword argument 'inputs'"),
        ({"min_count": 1, "minCount": 1}, "multiple values for argument 'minCount'"),
        ({}, "missing argument 'input'"),
    ):
        with pytest.raises(TypeError, match=message):
            fasttext.train_supervised(**call)
    with pytest.raises(TypeError, match="autotuneMetric"):
        fasttext.train_unsupervised("file", autotuneMetric="f1")
    with pytest.raises(ValueError, match="Unrecognized model name"):
        fasttext.train_unsupervised("file", "glove")
    with pytest.raises(ValueError, match="Unrecognized loss name"):
        fasttext.train_supervised("file", loss="one-vs-all")


def test_errors_are_those_of_fasttext(tmp_path):
    for train in (fasttext.train_supervised, fasttext.train_unsupervised):
        with pytest.raises(ValueError, match="cannot be opened for training!"):
            train(tmp_path / "none.txt")
        with pytest.raises(ValueError, match="Cannot use stdin for training!"):
            train("-")
        with pytest.raises(ValueError, match=r"none\.vec cannot be opened for loading!"):
            train(LINES, pretrainedVectors="none.vec", bucket=10)
        with pytest.raises(TypeError, match="label must be a str"):
            train(LINES, label=None)
        with pytest.raises(TypeError, match="epoch must be an integer"):
            train(LINES, epoch=2.5)
    with pytest.raises(ValueError, match="Validation file cannot be opened!"):
        fasttext.train_supervised(LINES, autotuneValidationFile="none.txt")
    with pytest.raises(ValueError, match="Empty vocabulary"):
        fasttext.train_unsupervised(WORDS, minCount=10**6, bucket=10)
    with pytest.raises(ValueError, match="dim must be"):
        fasttext.train_unsupervised(WORDS, dim=0)


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
@pytest.mark.parametrize("loss", ["ns", "hs", "softmax", "ova"])
@pytest.mark.parametrize("maxn", [0, 4])
def test_word_vectors_are_trained(model, loss, maxn):
    lines = ["a b a b", "c d c d"] * 200
    trained = fasttext.train_unsupervised(
        lines, model, loss=loss, maxn=maxn, minn=2, epoch=20, t=1, ws=2, **SMALL
    )
    assert sorted(trained.words) == ["</s>", "a", "b", "c", "d"]
    assert trained.words[0] == "</s>" or trained.f.data.word_counts[0] == 400
    assert trained.f.data.n_tokens == 2000
    rows, outputs = trained.get_input_matrix(), trained.get_output_matrix()
    assert rows.shape == (5 + (200 if maxn else 0), 6)
    id_of = trained.get_word_id
    hidden = trained["a"]
    if loss != "hs" and model == "skipgram":  # b stands beside a, d never does
        assert outputs[id_of("b")] @ hidden > outputs[id_of("d")] @ hidden + 1
    assert np.isfinite(rows).all()
    assert np.abs(outputs).max() > 0.1


def test_the_end_of_a_line_is_a_word_without_ngrams():
    model = fasttext.train_unsupervised(WORDS, minCount=1, **SMALL)
    assert model.words[0] == "</s>"
    assert model.get_subwords("</s>")[0] == ["</s>"]
    data, n_words = model.f.data, len(model.words)
    rows = {row for word in model.words for row in model.get_subwords(word)[1][1:].tolist()}
    assert rows == {n_words + bucket for bucket in data.input.buckets.tolist()}


def test_seeds_repeat_a_training():
    first, second = (
        fasttext.train_unsupervised(WORDS, minCount=1, seed=5, **SMALL) for _ in range(2)
    )
    other = fasttext.train_unsupervised(WORDS, minCount=1, seed=6, **SMALL)
    assert_array_equal(first.get_input_matrix(), second.get_input_matrix())
    assert np.any(first.get_input_matrix() != other.get_input_matrix())


def test_pretrained_vectors_are_the_first_values(tmp_path):
    path = tmp_path / "some.vec"
    path.write_text("2 6\nnew 1 2 3 4 5 6\nß 6 5 4 3 2 1\n", encoding="utf-8")
    model = fasttext.train_unsupervised(
        WORDS, minCount=1, maxn=0, lr=1e-9, pretrainedVectors=str(path), **SMALL
    )
    assert_allclose(model["new"], [1, 2, 3, 4, 5, 6], rtol=1e-4)
    assert_allclose(model["ß"], [6, 5, 4, 3, 2, 1], rtol=1e-4)


def test_long_lines_are_cut_as_fasttext_cuts_them():
    ends = _training._short_lines(np.array([10, 10 + 1025, 10 + 1025 + 2051]))
    assert ends.tolist() == [10, 1035, 2060, 3085, 3086]


def test_words_are_dropped_by_their_share_of_all_tokens():
    data = fasttext.load_model(FOLDER / "skipgram.bin").f.data
    share = data.word_counts / data.n_tokens
    expected = np.minimum(np.sqrt(1e-4 / share) + 1e-4 / share, 1)
    assert_allclose(_training._keep(data) / (2**32 - 1), expected, rtol=1e-6)


@pytest.mark.parametrize(("epoch", "lines_read"), [(4, 40), (3, 30), (1, 10)])
def test_rare_words_make_further_passes_as_in_fasttext(epoch, lines_read, monkeypatch):
    # Of five tokens a line, its end among them, one is too rare: five passes are four epochs.
    runs, run_epoch = [], _training.run_epoch

    def recorded(trainer, epoch, poll):
        result = run_epoch(trainer, epoch, poll)
        runs.append((epoch, trainer.n_done))
        return result

    monkeypatch.setattr(_training, "run_epoch", recorded)
    lines = [f"word word word rare{i}" for i in range(8)]
    model = fasttext.train_unsupervised(lines, epoch=epoch, minCount=2, thread=1, dim=4)
    assert sorted(model.get_words()) == ["</s>", "word"]
    assert [epoch for epoch, _ in runs] == list(range(len(runs)))
    assert sum(words for _, words in runs) == 4 * lines_read


def test_nothing_is_printed_outside_a_terminal_without_verbose(capfd):
    fasttext.train_unsupervised(WORDS, minCount=1, **SMALL)
    fasttext.train_supervised(LINES, **CLASSIFIER)
    assert capfd.readouterr() == ("", "")


PROGRESS = (
    r"Progress: 100\.0% words/sec/thread: +\d+ lr:  0\.000000 avg\.loss: {9} "
    r"ETA:   0h 0m 0s"
).replace("{9}", r"[ \d]\d\.\d{6}")


@pytest.mark.parametrize("verbose", [1, 2])
def test_verbose_shows_the_log_of_fasttext(verbose, capfd):
    fasttext.train_unsupervised(WORDS, minCount=1, verbose=verbose, **SMALL)
    fasttext.train_supervised(LINES, verbose=verbose, **CLASSIFIER)
    out, log = capfd.readouterr()
    assert out == ""
    head = "\rRead 0M words\nNumber of words:  {}\nNumber of labels: {}\n"
    assert log.startswith(head.format(13, 0))
    assert head.format(41, 5) in log
    last = [line.split("\r")[-1] for line in log.split("\n") if "Progress" in line]
    assert len(last) == 2
    for line in last:
        assert re.fullmatch(PROGRESS, line)
    assert (log.count("Progress") > 2) == (verbose > 1)


def test_trained_models_survive_a_file_a_pickle_and_a_copy(tmp_path):
    model = fasttext.train_supervised(LINES, wordNgrams=2, **CLASSIFIER)
    model.save_model(tmp_path / "model.bin")
    for other in (
        fasttext.load_model(tmp_path / "model.bin"),
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
    ):
        for line in text_lines(LINES)[:5]:
            labels, scores = other.predict(line, k=-1)
            assert labels == model.predict(line, k=-1)[0]
            assert_array_equal(scores, model.predict(line, k=-1)[1])


WIDE = {**CLASSIFIER, "wordNgrams": 2, "bucket": 500}


@pytest.mark.parametrize("qnorm", [False, True])
def test_quantised_models_are_small_and_nearly_as_good(qnorm, tmp_path):
    model = fasttext.train_supervised(LINES, **WIDE)
    before = model.test(LINES)[1]
    model.quantize(qnorm=qnorm)
    assert model.is_quantized()
    assert model.test(LINES)[1] > before - 0.1
    model.save_model(tmp_path / "model.ftz")
    again = fasttext.load_model(tmp_path / "model.ftz")
    assert again.predict("a b", k=-1)[0] == model.predict("a b", k=-1)[0]


def test_pruned_models_can_be_trained_again():
    scores = []
    for retrain in (False, True):
        model = fasttext.train_supervised(LINES, **WIDE)
        output = model.get_output_matrix()
        model.quantize(LINES, cutoff=260, retrain=retrain, qnorm=True)
        assert model.f.data.input.shape[0] == 260
        assert np.any(model.f.data.output != output) == retrain
        scores.append(model.test(LINES)[1])
    assert scores[1] >= scores[0] - 0.05


def test_what_cannot_be_quantised_is_an_error():
    with pytest.raises(ValueError, match="For now we only support quantization of supervised"):
        fasttext.load_model(FOLDER / "skipgram.bin").quantize()
    with pytest.raises(ValueError, match="256"):
        fasttext.load_model(FOLDER / "softmax.bin").quantize()
    with pytest.raises(ValueError, match="Need input file path if retraining"):
        fasttext.load_model(FOLDER / "softmax.bin").quantize(retrain=True)


@pytest.mark.parametrize("verbose", [0, 1, 2])
def test_verbose_shows_the_trials_of_autotune(verbose, capfd, monkeypatch):
    monkeypatch.setattr(_autotune, "autotune", partial(autotune, trials=3))
    fasttext.train_supervised(
        LINES, autotuneValidationFile=LINES, autotuneDuration=60, dim=5, epoch=1, verbose=verbose
    )
    log = capfd.readouterr().err
    lines = log.replace("\n", "\r").split("\r")
    shown = [line for line in lines if line]
    line = r"Progress: +\d+\.\d% Trials: +\d+ Best score: +\d\.\d{6} ETA:   0h 0m[ \d]\ds"
    assert all(re.fullmatch(line, one) for one in shown)
    assert len(shown) == [0, 1, 4][verbose]
    if verbose:
        assert "Trials:    3 " in shown[-1]


def test_training_a_tuned_model_again_shows_the_log_of_training(capfd):
    options = {"autotuneValidationFile": LINES, "autotuneDuration": 1, "minn": 2, "maxn": 5}
    model = fasttext.train_supervised(str(LINES), thread=1, dim=6, bucket=5000, **options)
    model.quantize(input=str(LINES), cutoff=400, retrain=True, epoch=1, verbose=1)
    assert "words/sec/thread" in capfd.readouterr().err


def test_a_word_without_ngrams_is_no_error_in_a_pruned_model():
    model = fasttext.train_supervised(LINES, minn=4, maxn=6, bucket=5000, epoch=1, dim=6, thread=1)
    model.quantize(cutoff=300)
    texts, rows = model.get_subwords("q")  # its letters and brackets are three
    assert texts == []
    assert rows.tolist() == []
    assert not model.get_word_vector("q").any()


@pytest.mark.parametrize("metric", ["f1", "f1:__label__1", "precisionAtRecall:50"])
def test_autotune_finds_settings_and_keeps_those_given(metric):
    model = fasttext.train_supervised(
        iter(text_lines(LINES)), thread=1, dim=7, seed=1,
        autotuneValidationFile=LINES, autotuneDuration=1,
        autotuneMetric=metric,
    )  # fmt: skip
    assert model.get_dimension() == model.dim == 7
    assert model.test(LINES)[1] > 0.5


def test_autotune_that_ends_with_the_first_settings_finds_a_model_without_buckets(monkeypatch):
    monkeypatch.setattr(_autotune, "autotune", partial(autotune, trials=1))
    options = {"autotuneValidationFile": str(LINES), "autotuneDuration": 60}
    model = fasttext.train_supervised(LINES, thread=1, dim=7, **options)
    assert model.wordNgrams == 1
    assert model.bucket == 0
    assert model.get_input_matrix().shape == (len(model.words), 7)
    assert 0 <= model.test(LINES)[1] <= 1


def test_autotune_to_a_size_gives_a_file_of_that_size(tmp_path):
    model = fasttext.train_supervised(
        LINES, thread=1, dim=4, wordNgrams=2, bucket=600, epoch=5, lr=0.5, minn=0, maxn=0,
        autotuneValidationFile=str(LINES), autotuneDuration=2, autotuneModelSize="12k",
    )  # fmt: skip
    assert model.is_quantized()
    model.save_model(tmp_path / "model.ftz")
    assert (tmp_path / "model.ftz").stat().st_size <= 12_000


def test_autotune_says_what_is_wrong():
    options = {"autotuneValidationFile": str(LINES), "thread": 1, "autotuneDuration": 60}
    with pytest.raises(RuntimeError, match="metric must be"):
        fasttext.train_supervised(LINES, autotuneMetric="f2", **options)
    with pytest.raises(RuntimeError, match="not in the model"):
        fasttext.train_supervised(LINES, autotuneMetric="f1:none", dim=2, **options)
    with pytest.raises(ValueError, match="autotuneModelSize must be bytes such as"):
        fasttext.train_supervised(LINES, autotuneModelSize="big", **options)
    with pytest.raises(RuntimeError, match="autotuneDuration is 0"):
        fasttext.train_supervised(LINES, dim=2, **{**options, "autotuneDuration": 0})


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
def test_vectors_are_means_of_the_rows_of_subwords(tmp_path, model):
    """Of a model in memory, whose matrix has few of its buckets, and of one mapped from a file."""
    text = ["the cat sat on the mat", "a dog and a cat", "größe über alles"] * 20
    trained = fasttext.train_unsupervised(text, model=model, dim=7, minCount=1, bucket=5000, seed=1)
    trained.save_model(tmp_path / "m.bin")
    loaded = fasttext.load_model(tmp_path / "m.bin")
    words = ["cat", "größe", "catalogue", "</s>", "x", "", "q" * 300]
    for words_of in (trained, loaded):
        vectors = []
        for word in words:
            rows = words_of.get_subwords(word)[1]
            mean = np.zeros(7, np.float32)
            if len(rows):
                mean = np.mean([words_of.get_input_vector(row) for row in rows], axis=0)
            assert_allclose(words_of.get_word_vector(word), mean, rtol=1e-5, atol=1e-7)
            vectors.append(mean)
        vectors = [v / np.linalg.norm(v) for v in vectors[:5] if v.any()]
        sentence = words_of.get_sentence_vector(" ".join(words[:5]))
        assert_allclose(sentence, np.mean(vectors, axis=0), rtol=1e-5, atol=1e-6)
    assert_array_equal(trained.get_word_vector("catalogue"), loaded.get_word_vector("catalogue"))
    assert not trained.get_sentence_vector("").any()


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
def test_one_against_all_words_trains_at_its_defaults(model):
    """The errors of 600 words, all of one sign at first, threw the vectors off to infinity."""
    rng = np.random.default_rng(3)
    topics = np.arange(600).reshape(20, 30)
    lines = [" ".join(f"w{i}" for i in rng.choice(topics[t % 20], 15)) for t in range(2000)]
    trained = fasttext.train_unsupervised(lines, model=model, loss="ova", dim=20, epoch=10)
    rows = np.array([trained.get_word_vector(f"w{i}") for i in range(600)])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = rows @ rows.T
    same = np.arange(600) // 30 == np.arange(600)[:, np.newaxis] // 30
    assert cosines[same].mean() > cosines[~same].mean() + 0.3
