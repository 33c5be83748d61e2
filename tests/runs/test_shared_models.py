"""Classifiers, models of pyw2v.fasttext and phrases that threads query while others change them."""

import pickle
import threading

import numpy as np
import pytest
from test_readers import run_beside

import pyw2v
from pyw2v import fasttext

N_THREADS = 8


def labelled(first, n_labels):
    """Texts whose words tell their labels, which are new for each `first`."""
    return (
        [f"w{first}x{i} v{first}x{i}" for i in range(n_labels)] * 3,
        [f"l{first}x{i}" for i in range(n_labels)] * 3,
    )


def new_classifier():
    settings = {"dim": 8, "lr": 2.0, "epochs": 20, "bucket": 0, "workers": 1, "min_count": 1}
    return pyw2v.TextClassifier(**settings).fit(*labelled(900, 4))


def test_a_classifier_predicts_labels_of_one_model():
    """Labels are sorted anew by every partial_fit, so that columns of two models do not fit."""
    n_states, texts = 12, labelled(900, 4)[0][:4]
    model, twin = new_classifier(), new_classifier()
    states = [(twin.predict(texts).tolist(), twin.top(texts, k=3))]
    for state in range(1, n_states):
        twin.partial_fit(*labelled(900 - state, 2))
        states.append((twin.predict(texts).tolist(), twin.top(texts, k=3)))

    def write(state):
        if state < n_states:
            model.partial_fit(*labelled(900 - state, 2))

    def ask():
        assert model.predict(texts).tolist() in [labels for labels, _ in states]
        assert model.top(texts, k=3) in [labels for _, labels in states]
        assert model.predict_proba(texts).sum() == pytest.approx(4, abs=1e-3)

    run_beside(write, [ask] * 4)


class Interrupting(list):
    """Texts; while they are read, the model is trained on."""

    def __init__(self, texts, write):
        super().__init__(texts)
        self.write = write

    def __iter__(self):
        self.write()
        return super().__iter__()


@pytest.mark.parametrize("ask", ["predict", "top", "predict_proba"])
def test_a_prediction_that_training_interrupts_is_of_one_model(ask):
    model = new_classifier()
    texts = labelled(900, 4)[0][:4]
    expected = getattr(model, ask)(texts)
    found = getattr(model, ask)(
        Interrupting(texts, lambda: model.partial_fit(*labelled(100, 3))),
        **({"k": 5} if ask == "top" else {}),
    )
    if ask == "top":
        assert [result[0][0] for result in found] == [result[0][0] for result in expected]
    else:
        assert np.array_equal(found, expected)
    assert len(model.classes_) == 7


def test_what_a_model_of_fasttext_makes_on_demand_does_not_outlive_its_matrices(
    tmp_path, monkeypatch
):
    model = supervised(tmp_path)
    data, args = model.f.data, model.f.getArgs()
    other = data.replace(words=data.words[::-1])
    kind = fasttext._model.Dictionary
    pending = [other]

    def interrupted(*content):
        made = kind(*content)
        if pending:
            model.f.use(pending.pop(), args)
        return made

    model.f.use(data, args)
    monkeypatch.setattr(fasttext._model, "Dictionary", interrupted)
    assert model.get_word_id("w3") == data.words.index(b"w3")
    assert model.get_word_id("w3") == other.words.index(b"w3")


def supervised(tmp_path):
    path = tmp_path / "labelled.txt"
    lines = [f"__label__l{i} w{i} v{i} u{i}\n" for i in range(300)] * 2
    path.write_text("".join(lines))
    return fasttext.train_supervised(
        str(path), dim=8, lr=1.0, epoch=20, thread=1, minCount=1, verbose=0
    )


def test_a_model_of_fasttext_is_one_model_while_it_is_replaced(tmp_path):
    model = supervised(tmp_path)
    data = model.f.data
    few = data.replace(
        labels=data.labels[::-1],
        output=data.output[::-1].copy(),
        words=data.words[::-1],
        input=np.concatenate([data.input[: len(data.words)][::-1], data.input[len(data.words) :]]),
    )
    args = model.f.getArgs()
    expected = {line: model.predict(line)[0] for line in ("w3 v3 u3", "w7 v7", "u9 w9")}
    vectors = {word: model.get_word_vector(word).copy() for word in ("w3", "u9")}

    def write(state):
        model.f.use((data, few)[state % 2], args)

    def ask():
        for line, result in expected.items():
            assert model.predict(line)[0] == result
        assert model.predict(list(expected))[0] == [list(result) for result in expected.values()]
        for word, vector in vectors.items():
            np.testing.assert_array_equal(model.get_word_vector(word), vector)
            assert word in model
            assert len(model.get_nearest_neighbors(word, 3)) == 3
        words, counts = model.get_words(include_freq=True)
        assert len(words) == len(counts)

    run_beside(write, [ask] * 4)


def test_a_model_of_fasttext_predicts_while_it_is_quantised(tmp_path):
    model = supervised(tmp_path)
    started = threading.Event()

    def write(state):
        if state == 1:
            model.quantize(dsub=2)
            started.set()

    def ask():
        assert len(model.predict("w3 v3", k=2)[0]) == 2
        assert model.get_word_vector("w3").shape == (8,)
        assert model.get_sentence_vector("w3 v3").shape == (8,)

    run_beside(write, [ask] * 4, seconds=0.5)
    started.wait(10)
    assert model.is_quantized()
    pickle.loads(pickle.dumps(model.f)).predict("w3", 1, 0.0, "strict")


def counted(n):
    return [["new", "york"], ["los", "angeles"], ["x", "y"]] * n


def test_phrases_are_joined_by_the_counts_before_more_are_counted_or_after():
    phrases = pyw2v.Phrases(counted(50), min_count=1, threshold=0.1)

    def write(state):
        if state < 2000:
            phrases.add_vocab([*counted(2), [f"n{state}", f"m{state}"]])

    def ask():
        assert phrases[["in", "new", "york"]] == ["in", "new_york"]
        assert next(iter(phrases[counted(2)])) == ["new_york"]
        assert "new_york" in phrases.export_phrases()
        assert phrases.score_candidate("new", "york", [])[0] == "new_york"

    run_beside(write, [ask] * 4)
    assert phrases.corpus_word_count == sum(
        count for entry, count in phrases.vocab.items() if "_" not in entry
    )


def test_threads_that_count_at_once_count_everything():
    phrases = pyw2v.Phrases(counted(1), min_count=1)
    threads = [
        threading.Thread(target=lambda: [phrases.add_vocab(counted(3)) for _ in range(40)])
        for _ in range(N_THREADS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert phrases.vocab["new"] == phrases.vocab["new_york"] == 1 + N_THREADS * 40 * 3
    assert phrases.corpus_word_count == 6 * (1 + N_THREADS * 40 * 3)


def test_frozen_phrases_are_made_ready_by_many_threads_at_once():
    frozen = pyw2v.Phrases(counted(5), min_count=1, threshold=0.1).freeze()
    for _ in range(20):
        again = pickle.loads(pickle.dumps(frozen))
        barrier = threading.Barrier(N_THREADS)
        found = []

        def ask(again=again, barrier=barrier, found=found):
            barrier.wait()
            found.append(again[["in", "new", "york"]])

        threads = [threading.Thread(target=ask) for _ in range(N_THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [["in", "new_york"]] * N_THREADS
