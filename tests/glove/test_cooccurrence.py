"""Counting words that stand near each other, and the matrix that comes out."""

import errno
import os
import resource
import signal
import subprocess
import sys
import textwrap

import glove_data
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyw2v import CooccurrenceMatrix
from pyw2v._core import cooccurrence as core
from pyw2v.progress import Progress

SENTENCES = [["a", "b", "a", "c"], ["c"], [], ["b", "b", "d", "a"]]

corpora = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=40), min_size=1, max_size=30)


def as_dict(matrix):
    return {(word, context): value for word, context, value in matrix}


@settings(max_examples=60, deadline=None)
@given(
    corpora,
    st.integers(1, 30),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, 0]),
    st.integers(1, 3),
)
def test_counts_equal_a_plain_count(sentences, window, symmetric, weighting, memory, workers):
    found = CooccurrenceMatrix.from_corpus(
        sentences,
        window=window,
        symmetric=symmetric,
        distance_weighting=weighting,
        memory=memory,
        workers=workers,
    )
    exact = glove_data.count_plainly(sentences, window, symmetric, weighting)
    assert as_dict(found).keys() == exact.keys()
    for pair, value in as_dict(found).items():
        # Correctly rounded, up to a window of 22; beyond, as sums of doubles are.
        assert value == pytest.approx(float(exact[pair]), rel=0 if window <= 22 else 1e-14)


def test_a_tiny_budget_makes_many_runs_with_the_same_result(tmp_path):
    rng = np.random.default_rng(3)
    tokens = rng.integers(0, 20, 5000).astype(np.int32)
    ends = np.append(np.sort(rng.integers(0, 5000, 100)), 5000).astype(np.int64)
    options = {"window": 7, "symmetric": True, "distance_weighting": True, "folder": tmp_path}
    whole = core.count(tokens, ends, 20, workers=2, max_memory=1 << 30, **options)
    pieces = core.count(tokens, ends, 20, workers=2, max_memory=0, **options)
    assert whole[3] == 1
    assert pieces[3] == -(-5000 // 64)
    assert not any(part.spilled for part in whole[:3])
    assert all(part.spilled for part in pieces[:3])
    for one, other in zip(whole[:3], pieces[:3], strict=True):
        assert bytes(one) == bytes(other)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("n_words", [63, 64, 65, 511, 512, 513, 4096, 9001])
def test_rows_of_any_width_sparse_and_dense_equal_a_plain_count(n_words, tmp_path):
    """Few words are frequent, as in text: columns in use lie close together and far apart."""
    rng = np.random.default_rng(n_words)
    tokens = (n_words * rng.random(6000) ** 4).astype(np.int32)
    tokens[:n_words] = rng.permutation(n_words)[:6000]
    ends = np.append(np.sort(rng.integers(0, 6000, 50)), 6000).astype(np.int64)
    row_ends, columns, values, _ = core.count(
        tokens,
        ends,
        n_words,
        window=4,
        symmetric=True,
        distance_weighting=True,
        workers=1,
        max_memory=1 << 30,
        folder=tmp_path,
    )
    found = CooccurrenceMatrix(
        np.frombuffer(row_ends, np.int64),
        np.frombuffer(columns, np.int32),
        np.frombuffer(values, np.float64),
    )
    sentences = [some.tolist() for some in np.split(tokens, ends[:-1])]
    exact = glove_data.count_plainly(sentences, 4, True, True)
    assert list(zip(found.rows().tolist(), found.columns.tolist(), strict=True)) == sorted(exact)
    assert as_dict(found) == {pair: float(value) for pair, value in exact.items()}


def test_counts_and_vocabulary_are_those_of_the_c_program():
    found = CooccurrenceMatrix.from_corpus(glove_data.FOLDER / "corpus.txt", window=10, min_count=5)
    vocabulary = glove_data.vocabulary()
    assert found.words == list(vocabulary)
    assert found.word_counts.tolist() == list(vocabulary.values())
    golden = glove_data.records("cooccurrence.bin")
    assert np.array_equal(found.rows() + 1, golden["word"])
    assert np.array_equal(found.columns + 1, golden["context"])
    np.testing.assert_allclose(found.values[1:], golden["count"][1:], rtol=1e-12)
    assert golden["count"][0] == pytest.approx(2 * found.values[0])  # its known fault


def test_dropped_words_close_up_and_a_given_vocabulary_keeps_its_order():
    found = CooccurrenceMatrix.from_corpus([["a", "x", "b"]], words=["b", "a"], window=1)
    assert found.words == ["b", "a"]
    assert found["a", "b"] == found["b", "a"] == 1.0
    assert found.word_counts.tolist() == [1, 1]


def test_at_most_max_vocab_words_are_kept_equals_by_their_bytes():
    found = CooccurrenceMatrix.from_corpus([["b", "a", "c", "c", "é"]], max_vocab=3)
    assert found.words == ["c", "é", "a"]  # signed bytes, as the C program compares


@pytest.mark.parametrize("window", [0, 65536, 1.5])
def test_a_window_out_of_range_is_named(window):
    with pytest.raises((ValueError, TypeError), match="window must be"):
        CooccurrenceMatrix.from_corpus(SENTENCES, window=window)


def test_ids_beyond_the_vocabulary_are_refused():
    with pytest.raises(ValueError, match="not a word id"):
        core.count(
            np.array([0, 5], np.int32),
            np.array([2], np.int64),
            5,
            window=1,
            symmetric=True,
            distance_weighting=True,
            workers=1,
            max_memory=0,
            folder="/tmp",
        )


def test_a_folder_that_is_not_there_is_named(tmp_path):
    folder = tmp_path / "none"
    with pytest.raises(FileNotFoundError) as error:
        CooccurrenceMatrix.from_corpus([["a", "b"] * 100], memory=0, folder=folder)
    assert str(folder) in str(error.value)


def test_an_unwritable_folder_is_named(tmp_path):
    folder = tmp_path / "file"
    folder.write_text("")  # for root, too, no folder to write to
    with pytest.raises(NotADirectoryError) as error:
        CooccurrenceMatrix.from_corpus([["a", "b"] * 100], memory=0, folder=folder)
    assert error.value.errno == errno.ENOTDIR
    assert str(folder) in str(error.value)


def run_python(code, *args, **options):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, args)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )


def test_a_full_disk_is_a_clear_error_and_leaves_nothing_behind(tmp_path):
    """A limit on file sizes stands in for a full disk: both make write() fail half way."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = run_python(
        """
        import sys
        from pyw2v import CooccurrenceMatrix
        words = [f"w{i % 997}" for i in range(20_000)]
        try:
            CooccurrenceMatrix.from_corpus([words], memory=400_000, folder=sys.argv[1])
        except OSError as error:
            print(type(error).__name__, error.errno, error.filename)
        """,
        tmp_path,
        preexec_fn=limit,
    )
    assert done.stdout.split() == ["OSError", str(errno.EFBIG), str(tmp_path)], done.stderr
    assert not os.listdir(tmp_path)


def test_ctrl_c_stops_the_threads_and_leaves_nothing_behind(tmp_path):
    done = run_python(
        """
        import signal, sys, threading, os
        import numpy as np
        from pyw2v._core import cooccurrence as core
        tokens = np.random.default_rng(1).integers(0, 50_000, 3_000_000).astype(np.int32)
        ends = np.array([len(tokens)], np.int64)
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            core.count(tokens, ends, 50_000, window=50, symmetric=True, distance_weighting=True,
                       workers=2, max_memory=0, folder=sys.argv[1])
        except KeyboardInterrupt:
            print("stopped")
        """,
        tmp_path,
    )
    assert done.stdout.split() == ["stopped"], done.stderr
    assert not os.listdir(tmp_path)


def test_progress_ends_with_all_tokens_counted():
    class Record(Progress):
        def begin(self, stage, total, unit):
            self.stages = [*getattr(self, "stages", []), (stage, total, unit)]

        def update(self, done, note=""):
            self.done = done

    progress = Record()
    CooccurrenceMatrix.from_corpus(SENTENCES, progress=progress)
    assert progress.stages[-1] == ("count", 9, "words")
    assert progress.done == 9


# -- the matrix ----------------------------------------------------------------------------------


def test_entries_rows_and_sums_agree():
    found = CooccurrenceMatrix.from_corpus(SENTENCES, window=2)
    dense = np.zeros(found.shape)
    for word, context, value in found:
        dense[found.words.index(word), found.words.index(context)] = value
    assert len(found) == np.count_nonzero(dense)
    assert found["a", "b"] == dense[found.words.index("a"), found.words.index("b")] > 0
    assert found["d", "c"] == 0.0
    assert found.row("a") == {c: found["a", c] for c in found.words if found["a", c]}
    np.testing.assert_allclose(found.row_sums(), dense.sum(axis=1))
    np.testing.assert_allclose(found.column_sums(), dense.sum(axis=0))
    with pytest.raises(KeyError, match="'zebra' is not among the 4 words"):
        found["zebra", "a"]


def test_pmi_matches_the_formula_and_ppmi_drops_what_is_not_positive():
    found = CooccurrenceMatrix.from_corpus(SENTENCES, window=2, symmetric=False)
    total = found.values.sum()
    rows, columns = found.row_sums(), found.column_sums()
    expected = np.log(found.values * total / (rows[found.rows()] * columns[found.columns]))
    np.testing.assert_allclose(found.pmi().values, expected)
    positive = {pair: v for pair, v in as_dict(found.pmi()).items() if v > 0}
    assert as_dict(found.ppmi()) == pytest.approx(positive)
    shifted = {p: v - np.log(1.5) for p, v in as_dict(found.pmi()).items() if v > np.log(1.5)}
    assert as_dict(found.shifted_ppmi(1.5)) == pytest.approx(shifted)
    smoothed = found.pmi(smoothing=0.75).values
    weights = columns**0.75
    share = weights[found.columns] / weights.sum()
    np.testing.assert_allclose(smoothed, np.log(found.values / rows[found.rows()] / share))


def test_arrays_in_any_order_are_sorted_and_added_up():
    found = CooccurrenceMatrix.from_arrays([1, 0, 1], [0, 1, 0], [2.0, 3.0, 4.0], ["x", "y"])
    assert as_dict(found) == {("x", "y"): 3.0, ("y", "x"): 6.0}
    empty = CooccurrenceMatrix.from_arrays([], [], [])
    assert len(empty) == 0
    assert empty.shape == (0, 0)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (([0], [0, 1], [1.0]), "columns must be as many"),
        (([-1], [0], [1.0]), "rows must be whole numbers from 0"),
        (([0.5], [0], [1.0]), "rows must be whole numbers from 0"),
        (([7], [0], [1.0]), "must be below 2 words, got 7"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arrays, message):
    with pytest.raises(ValueError, match=message):
        CooccurrenceMatrix.from_arrays(*arrays, ["x", "y"])


def test_there_and_back_by_scipy():
    sparse = pytest.importorskip("scipy.sparse")
    found = CooccurrenceMatrix.from_corpus(SENTENCES, window=3)
    scipy_matrix = found.to_scipy()
    assert sparse.issparse(scipy_matrix)
    assert scipy_matrix.shape == (4, 4)
    back = CooccurrenceMatrix.from_scipy(scipy_matrix.tocoo(), found.words)
    assert as_dict(back) == as_dict(found)


def test_there_and_back_by_the_files_of_the_c_program(tmp_path):
    found = CooccurrenceMatrix.from_corpus(SENTENCES, window=3)
    found.save_glove_format(tmp_path / "c.bin", tmp_path / "vocab.txt")
    back = CooccurrenceMatrix.load_glove_format(tmp_path / "c.bin", tmp_path / "vocab.txt")
    assert as_dict(back) == as_dict(found)
    assert back.words == found.words
    assert back.word_counts.tolist() == found.word_counts.tolist()
