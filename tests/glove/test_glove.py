"""GloVe: its gradients, its epochs, its model class, and the C program's numbers."""

import engine
import glove_data
import numpy as np
import pytest

from pyw2v import CooccurrenceMatrix, GloVe, KeyedVectors, StopTraining
from pyw2v._core import glove as core
from pyw2v._core.matrix import SpreadRows
from pyw2v._core.runs import GloveRun
from pyw2v.glove.state import GloveParameters
from pyw2v.io import glove_format

RULES = {"x_max": 3.0, "exponent": 0.75}


@pytest.fixture(scope="module")
def counts():
    return CooccurrenceMatrix.from_corpus(glove_data.FOLDER / "corpus.txt", window=10, min_count=5)


def small_entries(n, n_words, seed):
    rng = np.random.default_rng(seed)
    words, contexts = rng.integers(0, n_words, (2, n)).astype(np.int32)
    return words, contexts, rng.exponential(3.0, n) + 0.1


def train_once(parameters, arrays, lr=0.05, bias_lr=1.0, clip=100.0):
    dtype = parameters.dtype
    records = core.make_records(*arrays, **RULES).astype(core.record_dtype(dtype))
    with SpreadRows() as layout:
        parameters.spread(layout)
        trainer = GloveRun(
            values=parameters.values,
            squares=parameters.squares,
            records=records,
            ends=np.array([len(records)], np.int64),
            lr=lr,
            bias_lr=bias_lr,
            grad_clip=clip,
            seed=1,
            workers=1,
        )
        return engine.run_epoch(trainer).loss / len(records)


# -- the step ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("dim", [1, 7, 8, 9, 15, 16, 31, 32, 33, 100])
def test_steps_match_the_formula(isa, dtype, dim):
    parameters = GloveParameters(6, dim, dtype)
    parameters.randomize(dim)
    values, squares = (np.array(a, np.float64) for a in (parameters.values, parameters.squares))
    arrays = small_entries(50, 6, dim)
    for options in ({}, {"lr": 0.3, "bias_lr": 0.2, "clip": 0.01}):
        cost = train_once(parameters, arrays, **options)
        rules = {"lr": 0.05, "bias_lr": 1.0, "clip": 100.0} | options | RULES
        entries = list(zip(*arrays, strict=True))
        expected = glove_data.train_plainly(values, squares, entries, **rules)
        tolerance = 1e-4 if dtype == "float32" else 1e-12
        assert cost == pytest.approx(expected, rel=tolerance)
        np.testing.assert_allclose(parameters.values, values, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(parameters.squares, squares, rtol=tolerance, atol=tolerance)


def test_padding_stays_as_it_was(isa):
    parameters = GloveParameters(6, 9, "float32")
    parameters.randomize(1)
    with SpreadRows() as layout:
        parameters.spread(layout)
        train_once(parameters, small_entries(50, 6, 1))
        for matrix, padding in ((parameters.values, 0), (parameters.squares, 1)):
            whole = np.lib.stride_tricks.as_strided(matrix, (12, 16))
            assert np.all(whole[:, 10:] == padding)
            assert not np.any(whole[:, :10] == padding)


def test_the_first_step_goes_down_the_gradient_of_the_cost():
    """With squares of 1, a step is rate times gradient: finite differences of the cost agree."""
    parameters = GloveParameters(2, 5, "float64")
    parameters.randomize(3)
    before = np.array(parameters.values)
    count = 2.0

    def cost(values):
        w, c = values[0], values[3]
        diff = w[:-1] @ c[:-1] + w[-1] + c[-1] - np.log(count)
        return 0.5 * (count / RULES["x_max"]) ** RULES["exponent"] * diff**2

    gradient = np.zeros_like(before)
    for place in np.ndindex(before.shape):
        step = np.zeros_like(before)
        step[place] = 1e-6
        gradient[place] = (cost(before + step) - cost(before - step)) / 2e-6
    entry = (np.array([0], np.int32), np.array([1], np.int32), np.array([count]))
    lr = 1e-3
    train_once(parameters, entry, lr=lr, bias_lr=lr)
    np.testing.assert_allclose((before - parameters.values) / lr, gradient, atol=1e-7)
    np.testing.assert_allclose(parameters.squares - 1, (lr * gradient) ** 2, atol=1e-12)


# -- the C program -------------------------------------------------------------------------------


def test_float64_gives_the_costs_and_parameters_of_the_c_program():
    vocabulary = glove_data.vocabulary()
    golden = glove_data.records("cooccurrence.shuf.bin")
    model = GloVe(vector_size=12, epochs=3, x_max=10, workers=1, dtype="float64")
    model.set_vocabulary(list(vocabulary))
    model.load_parameters(glove_data.FOLDER / "vectors.000.bin")
    entries = (golden["word"] - 1, golden["context"] - 1, golden["count"])
    model.train(entries, shuffle=False)
    assert model.loss_history == pytest.approx(glove_data.COSTS, abs=1e-6)
    expected = glove_format.load_parameters(glove_data.FOLDER / "vectors.bin", len(vocabulary))
    np.testing.assert_allclose(model.parameters.values, expected, atol=1e-12)


def test_text_is_that_of_the_c_program_with_its_row_count_put_right(tmp_path):
    vocabulary = glove_data.vocabulary()
    model = GloVe(vector_size=12, dtype="float64")
    model.set_vocabulary(list(vocabulary))
    model.load_parameters(glove_data.FOLDER / "vectors.bin")
    model.save_glove_format(tmp_path / "vectors.txt", header=True)
    ours = (tmp_path / "vectors.txt").read_text().splitlines()
    golden = (glove_data.FOLDER / "vectors.txt").read_text().splitlines()
    assert golden[0] == "294 12"
    assert ours[0] == "295 12"
    assert ours[1:] == golden[1:]
    read = KeyedVectors.load_word2vec_format(tmp_path / "vectors.txt")
    assert read.index_to_key == [*vocabulary, "<unk>"]


def test_float32_in_tiles_costs_about_what_float64_at_random_does(counts):
    options = {"vector_size": 12, "x_max": 10, "epochs": 15, "workers": 1}
    tiles = GloVe.from_cooccurrence(counts, **options)
    exact = GloVe.from_cooccurrence(counts, dtype="float64", **options)
    assert tiles.loss_history[-1] == pytest.approx(exact.loss_history[-1], rel=0.05)
    assert tiles.loss_history[-1] < 0.9 * tiles.loss_history[0]


# -- tiles ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("tile_rows", [1, 3, 64, 1000])
def test_tiles_hold_each_entry_once_and_in_its_place(counts, tile_rows):
    records = np.empty(len(counts), core.record_dtype(np.float32))
    ends, n_bands = core.make_tiles(
        counts.row_ends,
        counts.columns,
        counts.values,
        records,
        x_max=10.0,
        exponent=0.75,
        dim=12,
        seed=1,
        workers=2,
        tile_rows=tile_rows,
    )
    assert n_bands == -(-len(counts.words) // tile_rows)
    assert len(ends) == n_bands**2
    tile = np.searchsorted(ends, np.arange(len(records)), side="right")
    assert np.array_equal(
        tile, records["word"] // tile_rows * n_bands + records["context"] // tile_rows
    )
    order = np.lexsort((records["context"], records["word"]))
    assert np.array_equal(records["word"][order], counts.rows())
    assert np.array_equal(records["context"][order], counts.columns)
    np.testing.assert_allclose(records["log_count"][order], np.log(counts.values), atol=1e-6)
    weights = np.minimum(1, (counts.values / 10) ** 0.75)
    np.testing.assert_allclose(records["weight"][order], weights, rtol=1e-5)


def test_an_epoch_trains_each_record_once():
    """At a rate of next to nothing the cost is that of the first parameters, record by record."""
    matrix = CooccurrenceMatrix.from_arrays(*small_entries(3000, 90, 5))
    tiny = {"learning_rate": 1e-12, "bias_learning_rate": 1e-12, "vector_size": 3, "epochs": 2}
    model = GloVe.from_cooccurrence(matrix, workers=2, **tiny)
    exact = GloVe.from_cooccurrence(matrix, workers=2, dtype="float64", **tiny)
    assert model.loss_history == pytest.approx(exact.loss_history, rel=1e-5)
    assert model.loss_history[0] == pytest.approx(model.loss_history[1], rel=1e-6)


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_counts_that_have_no_logarithm_are_refused(value):
    with pytest.raises(ValueError, match="counts must be positive and finite"):
        GloVe.from_cooccurrence(([0, 1], [1, 0], [1.0, value]), epochs=1)


def test_records_beyond_the_budget_go_to_a_file_and_train_alike(counts):
    options = {"vector_size": 5, "epochs": 2, "workers": 1}
    small = GloVe.from_cooccurrence(counts, memory=1000, **options)
    large = GloVe.from_cooccurrence(counts, **options)
    assert np.array_equal(small.parameters.values, large.parameters.values)


# -- the model -----------------------------------------------------------------------------------


def test_one_worker_repeats_bit_for_bit_and_seeds_differ(counts):
    first, again, other = (
        GloVe.from_cooccurrence(counts, vector_size=10, epochs=2, workers=1, seed=seed)
        for seed in (1, 1, 2)
    )
    assert np.array_equal(first.parameters.values, again.parameters.values)
    assert np.array_equal(first.parameters.squares, again.parameters.squares)
    assert not np.allclose(first.parameters.values, other.parameters.values)


def test_fit_reads_sentences_and_files_alike():
    path = glove_data.FOLDER / "corpus.txt"
    sentences = [line.split() for line in path.read_text().splitlines()]
    options = {"vector_size": 4, "epochs": 1, "workers": 1}
    by_file = GloVe(corpus_file=path, **options)
    by_list = GloVe(iter(sentences), **options)
    assert by_file.words == by_list.words
    assert np.array_equal(by_file.parameters.values, by_list.parameters.values)
    assert by_file.wv.get_vecattr("the", "count") == 912


def test_vectors_are_words_contexts_or_their_sum(counts):
    model = GloVe.from_cooccurrence(counts, vector_size=6, epochs=1, vectors="word")
    n = len(counts.words)
    words, contexts = model.parameters.values[:n, :-1], model.parameters.values[n:, :-1]
    assert np.array_equal(model.wv.vectors, words)
    assert np.array_equal(model.keyed_vectors("context").vectors, contexts)
    np.testing.assert_allclose(model.keyed_vectors("sum").vectors, words + contexts)
    assert np.array_equal(model.biases, model.parameters.values[:, -1].reshape(2, n))
    assert model.wv.index_to_key == counts.words
    model.wv.vectors[:] = 0  # a copy
    assert np.any(words)


def test_training_goes_on_after_save_and_load(counts, tmp_path):
    options = {"vector_size": 6, "workers": 1}
    whole = GloVe.from_cooccurrence(counts, epochs=4, **options)
    half = GloVe.from_cooccurrence(counts, epochs=2, **options)
    half.save(tmp_path / "model")
    loaded = GloVe.load(tmp_path / "model")
    assert loaded.settings() == half.settings()
    assert loaded.words == half.words
    assert loaded.epochs_trained == 2
    assert loaded.word_counts.tolist() == half.word_counts.tolist()
    loaded.train(counts, epochs=2)
    half.train(epochs=2)
    for model in (loaded, half):
        assert model.loss_history == whole.loss_history
        assert np.array_equal(model.parameters.values, whole.parameters.values)
        assert np.array_equal(model.parameters.squares, whole.parameters.squares)


def test_train_counts_a_new_corpus_with_the_words_there_are(counts):
    model = GloVe.from_cooccurrence(counts, vector_size=6, epochs=1)
    before = model.parameters.values.copy()
    model.train(sentences=[["the", "unheard-of", "of", "and"]], epochs=1)
    changed = np.flatnonzero((model.parameters.values != before).any(axis=1)) % len(model.words)
    assert {model.words[i] for i in changed} == {"the", "of", "and"}


def test_a_loaded_model_needs_counts_to_train(counts, tmp_path):
    GloVe.from_cooccurrence(counts, vector_size=6, epochs=1).save(tmp_path / "model")
    with pytest.raises(ValueError, match="no counts to train on"):
        GloVe.load(tmp_path / "model").train()


def test_a_damaged_or_other_file_is_refused(counts, tmp_path):
    GloVe.from_cooccurrence(counts, vector_size=6, epochs=1).wv.save(tmp_path / "vectors")
    with pytest.raises(ValueError, match=r"holds KeyedVectors, not a GloVe"):
        GloVe.load(tmp_path / "vectors")


@pytest.mark.parametrize("kind", ["sum", "word", "context"])
def test_init_vectors_are_where_training_starts(counts, kind):
    given = KeyedVectors(6)
    given.add_vectors(["the", "of", "zebra"], np.arange(18.0).reshape(3, 6) + 1)
    model = GloVe(vector_size=6, vectors=kind, init_vectors=given)
    model.set_vocabulary(counts.words)
    np.testing.assert_allclose(model.wv["of"], given["of"])
    assert np.abs(model.wv["and"]).max() < 0.2
    with pytest.raises(ValueError, match="6 numbers each, but vector_size is 7"):
        GloVe(vector_size=7, init_vectors=given).set_vocabulary(counts.words)


def test_callbacks_see_each_epoch_and_may_stop(counts):
    class Watch:
        seen = ()

        def on_epoch_end(self, model):
            self.seen = (*self.seen, model.loss_history[-1])
            if len(self.seen) == 3:
                raise StopTraining

    watch = Watch()
    model = GloVe.from_cooccurrence(counts, vector_size=6, epochs=9, callbacks=[watch])
    assert tuple(model.loss_history) == watch.seen
    assert len(watch.seen) == 3


def test_progress_shows_the_cost(counts, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tqdm", None)
    GloVe.from_cooccurrence(counts, vector_size=6, epochs=2, progress=True)
    shown = capsys.readouterr().err
    assert "epoch 2/2, cost 0.0" in shown
    assert "records" in shown


def test_gradient_squares_go_to_raw_files_and_back(counts, tmp_path):
    model = GloVe.from_cooccurrence(counts, vector_size=6, epochs=2, dtype="float64")
    model.save_parameters(tmp_path / "w.bin", tmp_path / "g.bin")
    other = GloVe(vector_size=6, dtype="float64")
    other.set_vocabulary(counts.words)
    other.load_parameters(tmp_path / "w.bin", tmp_path / "g.bin")
    assert np.array_equal(other.parameters.values, model.parameters.values)
    assert np.array_equal(other.parameters.squares, model.parameters.squares)
    wrong = GloVe(vector_size=5)
    wrong.set_vocabulary(counts.words)
    with pytest.raises(ValueError, match="vectors of 6 numbers, but vector_size is 5"):
        wrong.load_parameters(tmp_path / "w.bin")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"vector_size": 0}, "vector_size must be"),
        ({"window": 0}, "window must be"),
        ({"x_max": 0}, "x_max must be greater than 0"),
        ({"epochs": 0}, "epochs must be"),
        ({"dtype": "float16"}, "dtype must be float32 or float64, got 'float16'"),
        ({"vectors": "both"}, "vectors must be one of sum, word, context, got 'both'"),
        ({"memory": -1}, "memory must be at least 0"),
        ({"max_vocab": 0}, "max_final_vocab must be at least 1"),
    ],
)
def test_settings_out_of_range_are_named(setting, message):
    with pytest.raises(ValueError, match=message):
        GloVe(**setting)


def test_what_cannot_be_trained_says_why(counts):
    with pytest.raises(ValueError, match="nothing to train on: no two of 0 words"):
        GloVe([["a", "b"]])
    with pytest.raises(ValueError, match="not trained yet"):
        GloVe().wv  # noqa: B018 (looking raises)
    with pytest.raises(TypeError, match="got list"):
        GloVe.from_cooccurrence([1, 2])
    model = GloVe.from_cooccurrence(counts, vector_size=6, epochs=1)
    with pytest.raises(ValueError, match="of the 294 words of this model, got 2"):
        model.train(CooccurrenceMatrix.from_arrays([0], [1], [1.0]))
    with pytest.raises(FloatingPointError, match="smaller learning_rate"):
        GloVe.from_cooccurrence(counts, learning_rate=1e30, grad_clip=1e38, bias_learning_rate=1e30)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_costs_that_are_finite_but_absurd_are_divergence(counts, dtype):
    told = r"diverged in epoch 1: the mean cost is \S*e\+\d+, and \S+ where all parameters are zero"
    with pytest.raises(FloatingPointError, match=told + ".* smaller learning_rate"):
        GloVe.from_cooccurrence(counts, vector_size=6, epochs=1, learning_rate=30.0, dtype=dtype)


def test_large_counts_and_large_vectors_to_start_from_are_no_divergence(counts):
    n = len(counts.words)
    huge = CooccurrenceMatrix.from_arrays(counts.rows(), counts.columns, counts.values * 1e30)
    GloVe.from_cooccurrence(huge, vector_size=6, epochs=1, workers=1)
    start = KeyedVectors(6)
    start.add_vectors(counts.words, np.random.default_rng(1).normal(0, 4, (n, 6)))
    GloVe.from_cooccurrence(counts, vector_size=6, epochs=1, workers=1, init_vectors=start)
