"""Matrices that users see are C-contiguous: whoever takes their memory as it lies gets the rows."""

import copy
import hashlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

from pyw2v import FastText, GloVe, KeyedVectors, TextClassifier, Word2Vec, fasttext
from pyw2v.progress import Progress

DIM = 20  # no multiple of 16, so that rows as the kernels have them are further apart
OBJECTIVES = [
    {"negative": 5},
    {"negative": 0, "hs": 1},
    {"negative": 3, "hs": 1, "sg": 1},
    {"objective": "nce", "output_bias": True},
    {"objective": "softmax"},
    {"objective": "class_softmax"},
    {"objective": "dsoftmax"},
    {"engine": "word2vec.c", "workers": 1},
]


@pytest.fixture(scope="module")
def sentences():
    rng = np.random.default_rng(1)
    return [[f"w{i}" for i in rng.zipf(1.4, 12) % 60] for _ in range(200)]


def matrices(model):
    """All float matrices that a user can reach by a name, with that name."""
    found = {}
    wv = model.wv
    for holder, names in (
        (model, ("syn1", "syn1neg", "syn1class")),
        (wv, ("vectors", "vectors_vocab", "vectors_ngrams")),
    ):
        for name in names:
            array = getattr(holder, name, None)
            if array is not None:
                found[name] = array
    return found


def assert_contiguous(model):
    found = matrices(model)
    assert "vectors" in found
    for name, array in found.items():
        assert array.flags.c_contiguous, name
        assert np.shares_memory(array.ravel(), array), name
        hashlib.md5(array)
        memoryview(array).cast("B")
        # Row i lies at the memory's beginning plus i times its length, as C code takes it.
        flat = np.ctypeslib.as_array((array.ctypes.data_as(_FLOATS)), (array.size,))
        assert np.array_equal(flat.reshape(array.shape), array), name


_FLOATS = np.ctypeslib.ctypes.POINTER(np.ctypeslib.ctypes.c_float)


class Probe:
    def __init__(self):
        self.n_calls = 0

    def check(self, model):
        self.n_calls += 1
        assert_contiguous(model)

    on_train_begin = on_epoch_begin = on_epoch_end = on_train_end = check


@pytest.mark.parametrize(
    ("kind", "settings"),
    [(Word2Vec, settings) for settings in OBJECTIVES]
    # The exact engine trains words only.
    + [(FastText, settings | {"bucket": 500}) for settings in OBJECTIVES[:-1]],
    ids=str,
)
def test_a_models_matrices_are_contiguous_in_every_state(kind, settings, sentences, tmp_path):
    model = kind(vector_size=DIM, min_count=1, **settings)
    model.build_vocab(sentences)
    assert_contiguous(model)
    probe = Probe()
    sizes = {"total_examples": len(sentences), "epochs": 2}
    model.train(sentences, **sizes, callbacks=[probe])
    assert probe.n_calls == 6
    assert_contiguous(model)
    trained = {name: array.copy() for name, array in matrices(model).items()}
    model.save(str(tmp_path / "model"))
    for mmap in (None, "r"):
        loaded = kind.load(str(tmp_path / "model"), mmap=mmap)
        assert_contiguous(loaded)
        for name, array in matrices(loaded).items():
            assert np.array_equal(array, trained[name])
        loaded.train(sentences, **sizes)
        assert_contiguous(loaded)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert_contiguous(other)
    if "engine" in settings or settings.get("objective") == "dsoftmax":
        return
    model.build_vocab([*sentences, ["new", "words"] * 5], update=True)
    assert_contiguous(model)
    model.train(sentences, **sizes)
    assert_contiguous(model)


def test_changes_through_the_flat_memory_are_not_lost(sentences):
    model = Word2Vec(sentences, vector_size=DIM, min_count=1)
    model.wv.vectors.ravel()[DIM + 1] = 7
    assert model.wv.vectors[1, 1] == 7


def test_an_array_taken_before_training_is_the_trained_one_after_it(sentences):
    model = Word2Vec(vector_size=DIM, min_count=1)
    model.build_vocab(sentences)
    vectors, row = model.wv.vectors, model.wv.vectors[3]
    model.train(sentences, total_examples=len(sentences), epochs=1)
    assert model.wv.vectors is vectors
    assert np.array_equal(row, model.wv.get_vector(model.wv.index_to_key[3]))


def test_words_without_n_grams_are_trained_whatever_stands_for_these(sentences):
    model = FastText(vector_size=DIM, min_count=1, bucket=0)
    model.build_vocab(sentences)
    model.wv.vectors_ngrams = None
    model.train(sentences, total_examples=len(sentences), epochs=1)
    assert model.wv.vectors.flags.c_contiguous


def test_callbacks_do_not_change_what_is_learnt(sentences):
    options = {"vector_size": DIM, "min_count": 1, "workers": 1, "epochs": 3}
    plain = Word2Vec(sentences, **options)
    watched = Word2Vec(sentences, **options, callbacks=[Probe()])
    assert np.array_equal(plain.wv.vectors, watched.wv.vectors)
    assert np.array_equal(plain.syn1neg, watched.syn1neg)


def test_vectors_files_and_added_rows_are_contiguous(sentences, tmp_path):
    model = FastText(sentences, vector_size=DIM, min_count=1, bucket=500)
    model.wv.save(str(tmp_path / "wv"))
    model.wv.save_word2vec_format(str(tmp_path / "text"))
    loaded = [
        KeyedVectors.load_word2vec_format(str(tmp_path / "text")),
        type(model.wv).load(str(tmp_path / "wv")),
        type(model.wv).load(str(tmp_path / "wv"), mmap="r"),
    ]
    for kv in loaded:
        kv.add_vectors(["one", "two"], np.ones((2, DIM)))
        assert kv.vectors.flags.c_contiguous


def test_gloves_matrices_are_contiguous(sentences):
    seen = []

    class Watch:
        def on_epoch_end(self, model):
            parameters = model.parameters
            arrays = (parameters.values, parameters.squares, model.wv.vectors, model.biases)
            seen.append(all(array.flags.c_contiguous for array in arrays))

    model = GloVe(sentences, vector_size=DIM, min_count=1, epochs=2, callbacks=[Watch()])
    assert seen == [True, True]
    parameters = model.parameters
    for array in (parameters.values, parameters.squares, model.biases):
        assert array.flags.c_contiguous
    for kind in ("sum", "word", "context"):
        assert parameters.vectors(kind).flags.c_contiguous
        assert model.keyed_vectors(kind).vectors.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        model.biases[0, 0] = 1


def test_a_classifiers_matrices_are_contiguous(sentences, tmp_path):
    texts = [" ".join(words) for words in sentences]
    labels = [words[0] for words in sentences]
    model = TextClassifier(dim=DIM, epochs=2, bucket=100, word_ngrams=2, min_count=1)
    model.fit(texts, labels)
    model.partial_fit(texts, labels)
    model.save(tmp_path / "model")
    for fitted in (model, TextClassifier.load(tmp_path / "model")):
        assert np.asarray(fitted.data.input).flags.c_contiguous
        assert fitted.data.output.flags.c_contiguous
    path = tmp_path / "text"
    path.write_text("".join(f"__label__{y} {x}\n" for x, y in zip(texts, labels, strict=True)))
    for trained in (
        fasttext.train_supervised(str(path), dim=DIM, epoch=1),
        fasttext.train_unsupervised(str(path), dim=DIM, epoch=1, minCount=1, bucket=100),
    ):
        assert trained.get_input_matrix().flags.c_contiguous
        assert trained.get_output_matrix().flags.c_contiguous


def test_a_classifier_predicts_as_before_while_it_trains_on(sentences):
    """partial_fit works on matrices of its own: others may query meanwhile, and it may fail."""
    texts = [" ".join(words) for words in sentences]
    labels = [int(words[0] == "w1") for words in sentences]
    model = TextClassifier(dim=DIM, epochs=2, bucket=100, word_ngrams=2, min_count=1)
    model.fit(texts, labels)
    before = model.predict_proba(texts)
    found = []

    class Ask(Progress):
        def update(self, done, note=""):
            found.append(np.array_equal(model.predict_proba(texts), before))

    model.progress = Ask()
    model.partial_fit(texts * 50, labels * 50)
    assert found
    assert all(found)


INTERRUPTED = """
import signal
import threading

import numpy as np

from pyw2v import Word2Vec

rng = np.random.default_rng(1)
sentences = [[f"w{i}" for i in rng.zipf(1.4, 50) % 5000] for _ in range(2_000)]
model = Word2Vec(vector_size=20, min_count=1, workers=2, alpha=1e-9, min_alpha=1e-9)
model.build_vocab(sentences)
first = model.wv.vectors.copy()
n_stopped = bad = 0
for delay in np.linspace(0.001, 0.05, 15):
    timer = threading.Timer(delay, signal.raise_signal, (signal.SIGINT,))
    try:
        timer.start()
        model.train(sentences, total_examples=2_000, epochs=1)
        timer.join()
    except KeyboardInterrupt:
        n_stopped += 1
    vectors = model.wv.vectors
    # At this rate nothing changes, but in another layout every row but the first is shifted.
    bad += not (vectors.flags.c_contiguous and np.allclose(vectors, first, atol=1e-5))
print(n_stopped, bad)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="raise_signal ends the process there")
def test_ctrl_c_at_any_moment_leaves_the_rows_in_place():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.split() == ["15", "0"], done.stderr
