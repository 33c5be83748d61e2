"""Labels as an indicator matrix: what TextClassifier makes of scikit-learn's multi-label y."""

import copy
import importlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import TextClassifier, fasttext
from pyw2v.classifier import autotune

N_LABELS = 4


def tagged(n=300, seed=0, least=1):
    """Texts of common words and, for each of their labels, words that tell it."""
    rng = np.random.default_rng(seed)
    marks = (rng.random((n, N_LABELS)) < 0.35).astype(int)
    if least:
        marks[np.arange(n), rng.integers(N_LABELS, size=n)] = 1
    texts = [
        " ".join(
            [
                *(f"w{i}" for i in rng.integers(20, size=3)),
                *(f"of{k} at{k}" for k in np.flatnonzero(row)),
            ]
        )
        for row in marks
    ]
    return texts, marks


TEXTS, MARKS = tagged()
MORE_TEXTS, MORE_MARKS = tagged(100, seed=1)


def small(**settings):
    return TextClassifier(**{"dim": 10, "lr": 0.5, "epochs": 40, "workers": 1} | settings)


def test_a_matrix_is_learnt_and_predicted():
    model = small().fit(TEXTS, MARKS)
    assert model.loss is None
    assert model.data.args.loss == "ova"
    assert_array_equal(model.classes_, np.arange(N_LABELS))
    found = model.predict(MORE_TEXTS)
    assert found.shape == MORE_MARKS.shape
    assert found.dtype == np.int64
    assert (found == MORE_MARKS).all(axis=1).mean() > 0.95
    assert_array_equal(found, model.predict_proba(MORE_TEXTS) > 0.5)
    assert model.score(MORE_TEXTS, MORE_MARKS) == (found == MORE_MARKS).all(axis=1).mean()
    weights = np.arange(100.0)
    assert_allclose(
        model.score(MORE_TEXTS, MORE_MARKS, weights),
        np.average((found == MORE_MARKS).all(axis=1), weights=weights),
    )


def forms():
    yield "bool", lambda y: y.astype(bool)
    yield "float", lambda y: y.astype(float)
    yield "int8", lambda y: y.astype("i1")
    yield "objects", lambda y: y.astype(object)
    yield "matrix", np.asmatrix
    for module, name in [
        ("pandas", "DataFrame"),
        ("polars", "DataFrame"),
        ("torch", "tensor"),
        ("scipy.sparse", "csr_matrix"),
        ("scipy.sparse", "csc_array"),
        ("scipy.sparse", "coo_matrix"),
        ("scipy.sparse", "lil_matrix"),
    ]:
        yield (
            f"{module}.{name}",
            lambda y, module=module, name=name: getattr(pytest.importorskip(module), name)(y),
        )


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("form", [f for _, f in forms()], ids=[name for name, _ in forms()])
def test_every_form_of_matrix_gives_the_same_model(form):
    expected = small(epochs=2).fit(TEXTS, MARKS).predict_proba(TEXTS)
    model = small(epochs=2).fit(TEXTS, form(MARKS))
    assert_array_equal(model.predict_proba(TEXTS), expected)
    assert model.score(TEXTS, form(MARKS)) == model.score(TEXTS, MARKS)


def test_a_data_frame_of_several_types_is_a_matrix():
    frame = pytest.importorskip("pandas").DataFrame(
        {"a": MARKS[:, 0].astype(bool), "b": MARKS[:, 1], "c": MARKS[:, 2].astype(float)}
    )
    model = small(epochs=1).fit(TEXTS, frame)
    assert_array_equal(model.classes_, [0, 1, 2])


def test_explicit_zeros_and_parts_of_a_sparse_matrix_are_what_they_sum_to():
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_matrix((np.array([1, 0, 1]), np.array([0, 1, 2]), np.array([0, 2, 3])))
    assert_array_equal(small(epochs=1).fit(["a b", "c d"], matrix).classes_, [0, 1, 2])
    twice = sparse.coo_matrix(([1, 1], ([0, 0], [1, 1])), shape=(2, 3))
    with pytest.raises(ValueError, match=r"0 and 1 only.*got 2 in row 0, column 1"):
        small().fit(["a", "b"], twice)
    assert twice.nnz == 2  # the caller's matrix stays as it was


def test_no_library_is_imported_for_arrays():
    program = (
        "import sys, numpy as np; from pyw2v import TextClassifier as T;"
        "T(epochs=1).fit(['a b', 'c d'], np.eye(2)).predict(['a']);"
        "print(sorted({'scipy', 'pandas', 'sklearn'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (np.full((3, 2), 2), "0 and 1 only.*got 2 in row 0, column 0.*list of lists"),
        ([[0, 1], [1, 0.5], [1, 0]], "got 0.5 in row 1, column 1"),
        ([[0, 1], [1, 0], [1, np.nan]], "got nan in row 2, column 1"),
        ([[0, 1], [1, 0], [-1, 0]], "got -1 in row 2, column 0"),
        (np.zeros((3, 2)), "there are no labels"),
        (np.ones((2, 2)), "one length"),
        (np.ones((4, 2)), "one length"),
    ],
)
def test_a_wrong_matrix_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        small().fit(["a", "b", "c"], np.array(wrong))


@pytest.mark.parametrize("loss", ["softmax", "hs"])
def test_losses_of_one_label_take_rows_of_one(loss):
    with pytest.raises(ValueError, match=f"several labels in .* rows, and loss='{loss}'"):
        small(loss=loss).fit(TEXTS, MARKS)
    with pytest.raises(ValueError, match="no label in 1 of 2 rows"):
        small(loss=loss).fit(["a", "b"], np.array([[1, 0], [0, 0]]))
    labels = MARKS.argmax(axis=1)
    texts = [f"{text} is{label}" for text, label in zip(TEXTS, labels, strict=True)]
    one = np.eye(N_LABELS, dtype=int)[labels]
    model = small(loss=loss).fit(texts, one)
    assert_array_equal(model.predict(texts).sum(axis=1), 1)
    assert model.score(texts, one) > 0.9
    assert_array_equal(model.predict([""]).sum(axis=1), 1)


def test_negative_sampling_needs_a_label_in_each_row():
    assert small(loss="ns").fit(TEXTS, MARKS).predict(TEXTS).shape == MARKS.shape
    with pytest.raises(ValueError, match=r"no label in 1 of 2 rows.*loss='ova'"):
        small(loss="ns").fit(["a", "b"], np.array([[1, 0], [0, 0]]))


def test_texts_without_any_label_teach_that_there_is_none():
    texts = ["yes a", "yes b", "no a", "no b"] * 30
    marks = np.array([[1, 1], [1, 1], [0, 0], [0, 0]] * 30)
    model = small().fit(texts, marks)
    assert_array_equal(model.predict(["yes a", "no a"]), [[1, 1], [0, 0]])
    lists = [[0, 1], [0, 1], [], []] * 30  # in which such texts are passed over
    without = small(loss="ova").fit(texts, lists)
    assert without.predict_proba(["no a"]).min() > 0.5
    weighted = small(class_weight={0: 2.0, 1: 2.0}).fit(texts, marks)
    assert_array_equal(weighted.predict(["no a"]), [[0, 0]])


def test_columns_without_a_text_are_classes_that_are_never_predicted():
    wide = np.hstack([np.zeros((300, 1), int), MARKS, np.zeros((300, 1), int)])
    model = small(min_count_label=5).fit(TEXTS, wide)
    assert_array_equal(model.classes_, np.arange(6))
    assert not model.predict(TEXTS)[:, [0, 5]].any()


def test_one_column_is_one_label_for_each_text():
    labels = MARKS[:, 0] * 7
    expected = small().fit(TEXTS, labels)
    for column in (labels[:, np.newaxis], pytest.importorskip("pandas").DataFrame({"y": labels})):
        model = small().fit(TEXTS, column)
        assert_array_equal(model.classes_, [0, 7])
        assert_array_equal(model.predict(TEXTS), expected.predict(TEXTS))
        assert model.score(TEXTS, column) == expected.score(TEXTS, labels)


def test_lists_and_matrices_of_strings_stay_labels():
    model = small().fit(["a b", "c d"], [[0, 1], [1, 0]])
    assert_array_equal(model.classes_, [0, 1])
    assert model.predict(["a"]).shape == (1,)
    for strings in (
        np.array([["x", "y"], ["y", "z"]]),
        pytest.importorskip("pandas").DataFrame({"one": ["x", "y"], "two": ["y", "z"]}),
    ):
        assert small().fit(["a b", "c d"], strings).classes_.tolist() == ["x", "y", "z"]


def test_training_goes_on_with_matrices_of_the_same_columns():
    model = small(epochs=5).fit(TEXTS[:20], MARKS[:20])
    first = model.score(MORE_TEXTS, MORE_MARKS)
    for _ in range(5):
        model.partial_fit(TEXTS, MARKS)
    assert model.score(MORE_TEXTS, MORE_MARKS) > max(first, 0.9)
    model.retrain(TEXTS, MARKS)
    message = "fitted with an indicator matrix"
    for call in (model.partial_fit, model.retrain, model.score):
        with pytest.raises(ValueError, match=f"{message} of 4 columns, got one of 3"):
            call(TEXTS, MARKS[:, :3])
        with pytest.raises(ValueError, match=f"{message}: y must be one of 4 columns, got list"):
            call(TEXTS, MARKS.tolist())
    by_label = small(epochs=1).fit(TEXTS, MARKS.argmax(axis=1))
    for call in (by_label.partial_fit, by_label.retrain, by_label.score):
        with pytest.raises(ValueError, match="fitted with labels"):
            call(TEXTS, MARKS)


def test_a_first_part_may_name_the_columns():
    model = small(epochs=1).partial_fit(TEXTS, MARKS, classes=range(N_LABELS))
    assert model.predict(TEXTS).shape == MARKS.shape
    with pytest.raises(ValueError, match="are its columns, 0 to 3, got"):
        small().partial_fit(TEXTS, MARKS, classes=["a", "b", "c", "d"])


def test_files_pickles_and_quantised_models_keep_the_matrix(tmp_path):
    model = small(dim=4, epochs=10, word_ngrams=2, bucket=1000).fit(TEXTS, MARKS)
    model.save(tmp_path / "model")
    expected = model.predict(TEXTS)
    for other in (
        TextClassifier.load(tmp_path / "model"),
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
    ):
        assert_array_equal(other.predict(TEXTS), expected)
        assert other.score(TEXTS, MARKS) == model.score(TEXTS, MARKS)
    assert model.quantize(cutoff=300, retrain=True, X=TEXTS, y=MARKS).predict(TEXTS).shape == (
        300,
        N_LABELS,
    )


def test_autotune_takes_matrices():
    best = autotune.autotune(
        *(TEXTS, MARKS, MORE_TEXTS, MORE_MARKS), seconds=None, trials=3, dim=8, workers=1, k=2
    )
    assert best.model.data.args.loss == "ova"
    assert {trial.settings["loss"] for trial in best.trials} == {"ova"}
    assert best.model.predict(MORE_TEXTS).shape == MORE_MARKS.shape
    assert best.score > 0.8


def test_fasttexts_names_take_a_matrix():
    model = fasttext.train_supervised((TEXTS, MARKS), loss="ova", dim=8, lr=0.5, epoch=40, thread=1)
    assert sorted(model.labels) == [f"__label__{k}" for k in range(N_LABELS)]
    labels, _ = model.predict("of1 at1 of3 at3", k=-1, threshold=0.5)
    assert sorted(labels) == ["__label__1", "__label__3"]


def test_scikit_learns_tools_go_through_a_matrix():
    base, metrics, selection, preprocessing = (
        pytest.importorskip(f"sklearn.{name}")
        for name in ("base", "metrics", "model_selection", "preprocessing")
    )
    names = np.array(["art", "bio", "law", "war"])
    sets = [set(names[row.astype(bool)]) for row in MARKS]
    binarizer = preprocessing.MultiLabelBinarizer()
    marks = binarizer.fit_transform(sets)
    model = base.clone(small()).fit(TEXTS, marks)
    found = binarizer.inverse_transform(model.predict(TEXTS))
    assert np.mean([set(row) == known for row, known in zip(found, sets, strict=True)]) > 0.95
    sparse = preprocessing.MultiLabelBinarizer(sparse_output=True).fit_transform(sets)
    assert_array_equal(small().fit(TEXTS, sparse).predict(TEXTS), model.predict(TEXTS))
    truth = model.score(MORE_TEXTS, MORE_MARKS)
    assert truth == metrics.accuracy_score(MORE_MARKS, model.predict(MORE_TEXTS))
    for scoring in (None, "f1_micro", "f1_samples", "roc_auc"):
        scores = selection.cross_val_score(small(), TEXTS, marks, cv=3, scoring=scoring)
        assert scores.min() > 0.8
    one_vs_rest = importlib.import_module("sklearn.multiclass").OneVsRestClassifier(small())
    assert (one_vs_rest.fit(TEXTS, marks).predict(TEXTS) == MARKS).mean() > 0.95
