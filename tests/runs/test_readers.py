"""Threads that query vectors while others change them see the state before a change or after it.

In every state of the vectors here all rows are the same, at right angles to those of the states
around it, and of another length: a result that mixes two states, or has the norms of another, is
no cosine of 1.
"""

import copy
import pickle
import sys
import threading
import time
import weakref

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import pyw2v
from pyw2v import KeyedVectors

DIM = 8
KEYS = [f"w{i}" for i in range(40)]
N_READERS = 8
SECONDS = 0.25


@pytest.fixture(autouse=True)
def frequent_switches():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def row(state):
    return np.eye(DIM, dtype=np.float32)[state % DIM] * (1 + state % 5)


def rows(state, n):
    return np.tile(row(state), (n, 1))


def new_vectors():
    kv = KeyedVectors(DIM)
    kv.add_vectors(KEYS, rows(0, len(KEYS)), {"count": np.arange(len(KEYS))})
    return kv


def run_beside(write, reads, seconds=SECONDS):
    """Call write(1), write(2), ... in one thread, and each of `reads` in another, for a while."""
    over = threading.Event()
    errors = []

    def repeat(work):
        try:
            while not over.is_set():
                work()
        except BaseException as error:
            errors.append(error)
            over.set()

    states = iter(range(1, 10**9))
    tasks = [lambda: write(next(states)), *reads]
    threads = [threading.Thread(target=repeat, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    over.wait(seconds)
    over.set()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def check_neighbours(result, n=10):
    assert len(result) == n
    assert_allclose([cosine for _, cosine in result], 1, atol=1e-5)


def check_all_equal(values):
    assert_allclose(values, np.full(len(values), values[0]), atol=1e-5)


def check_one_direction(vectors):
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert_array_equal(units, np.broadcast_to(units[0], units.shape))


def check_axis(vector):
    assert np.count_nonzero(vector) == 1
    assert_allclose(np.abs(vector).max(), 1, atol=1e-5)


QUERIES = {
    "most_similar": lambda kv: check_neighbours(kv.most_similar("w3")),
    "most_similar of two": lambda kv: check_neighbours(kv.most_similar(iter(["w3", "w4"]))),
    "all similarities": lambda kv: assert_allclose(kv.most_similar("w3", topn=None), 1, atol=1e-5),
    "most_similar_batch": lambda kv: [
        check_neighbours(result) for result in kv.most_similar_batch(KEYS)
    ],
    "most_similar_cosmul": lambda kv: check_all_equal(
        [product for _, product in kv.most_similar_cosmul("w3")]
    ),
    "similar_by_vector": lambda kv: check_all_equal(
        [cosine for _, cosine in kv.similar_by_vector(row(0), topn=20)]
    ),
    "similarity": lambda kv: assert_allclose(kv.similarity("w3", "w4"), 1, atol=1e-5),
    "distance": lambda kv: assert_allclose(kv.distance("w3", "w4"), 0, atol=1e-5),
    "distances": lambda kv: assert_allclose(kv.distances("w3"), 0, atol=1e-5),
    "distances to some": lambda kv: assert_allclose(
        kv.distances("w3", iter(["w4", "w5"])), 0, atol=1e-5
    ),
    "n_similarity": lambda kv: assert_allclose(kv.n_similarity(KEYS[:5], KEYS[5:9]), 1, atol=1e-5),
    "get_mean_vector": lambda kv: check_axis(kv.get_mean_vector(KEYS)),
    "get_vector": lambda kv: check_axis(kv.get_vector("w3", norm=True)),
    "vectors by a list": lambda kv: check_one_direction(kv[KEYS]),
    "vectors by an iterator": lambda kv: check_one_direction(kv[iter(KEYS)]),
    "doesnt_match": lambda kv: kv.doesnt_match(KEYS[:4]),
    "rank_by_centrality": lambda kv: assert_allclose(
        [cosine for cosine, _ in kv.rank_by_centrality(KEYS[:9])], 1, atol=1e-5
    ),
    "rank": lambda kv: kv.rank("w3", "w4") == 1 or pytest.fail("rank"),
    "closer_than": lambda kv: assert_array_equal(kv.closer_than("w3", "w4"), []),
    "most_similar_to_given": lambda kv: kv.most_similar_to_given("w3", KEYS[4:7]),
    "relative_cosine_similarity": lambda kv: assert_allclose(
        kv.relative_cosine_similarity("w3", "w4", 5), 0.2, atol=1e-5
    ),
    "get_normed_vectors": lambda kv: check_one_direction(kv.get_normed_vectors()),
    "vectors_for_all": lambda kv: check_one_direction(kv.vectors_for_all(KEYS[:7]).vectors),
    "np.asarray": lambda kv: check_one_direction(np.array(kv)),
    "in": lambda kv: ("w3" in kv and "w0 w1" not in kv) or pytest.fail("in"),
    "get_vecattr": lambda kv: kv.get_vecattr("w3", "count"),
    "position": lambda kv: kv.has_index_for(3) or pytest.fail("position"),
}


def in_groups(kv):
    """The queries of all readers, each with its share of QUERIES."""
    every = list(QUERIES.values())

    def ask(mine):
        return lambda: [query(kv) for query in mine]

    return [ask(every[i::N_READERS]) for i in range(N_READERS)]


def check_norms(kv):
    assert_allclose(kv._lengths().norms, np.linalg.norm(kv.vectors, axis=1), rtol=1e-6)


def replace_all(kv, state):
    kv.add_vectors(kv.index_to_key[:], rows(state, len(kv)), replace=True)


def grow(kv, state):
    if len(kv) < 3000:
        n = len(kv)
        kv.add_vectors([f"w{n + i}" for i in range(7)], rows(0, 7), {"count": range(7)})
    else:
        replace_all(kv, 0)


def fill_slots(kv, state):
    """Rows of slots without keys are zero, so that only those of keys are of the state."""
    kv[f"w{state % len(KEYS)}"] = row(0) * (1 + state % 7)


def normalize(kv, state):
    if state % 2:
        kv.unit_normalize_all()
    else:
        replace_all(kv, state)


def refill(kv, state):
    replace_all(kv, state)
    kv.fill_norms(force=True)


def sort(kv, state):
    kv.expandos["count"] = kv.expandos["count"][::-1].copy()
    kv.sort_by_descending_frequency()


def resize(kv, state):
    """Every change of another kind."""
    kv.set_vecattr("w1", f"a{state % 3}", state)
    kv.resize_vectors()


@pytest.mark.parametrize("write", [replace_all, grow, fill_slots, normalize, refill, sort, resize])
def test_a_query_sees_the_state_before_a_change_or_after_it(write):
    kv = new_vectors()
    run_beside(lambda state: write(kv, state), in_groups(kv))
    check_norms(kv)
    for query in QUERIES.values():
        query(kv)


def test_sorting_gives_no_key_the_vector_of_another():
    kv = KeyedVectors(4)
    vectors = np.random.default_rng(1).normal(size=(len(KEYS), 4))
    kv.add_vectors(KEYS, vectors, {"count": np.arange(len(KEYS))})
    expected = {key: kv[key].copy() for key in KEYS}

    def ask():
        for key in KEYS:
            assert_array_equal(kv[key], expected[key])
            assert kv.get_vecattr(key, "count") in (int(key[1:]), len(KEYS) - 1 - int(key[1:]))
        results = kv.most_similar_batch(list(expected.values()), topn=1)
        assert [result[0][0] for result in results] == KEYS

    def write(state):
        with kv._guard:
            kv.expandos["count"] = kv.expandos["count"][::-1].copy()
            kv.sort_by_descending_frequency()

    run_beside(write, [ask] * N_READERS)


def test_keys_appear_with_their_vectors():
    kv = KeyedVectors(DIM)
    seen = []

    def write(state):
        if state < 2000:
            kv.add_vectors([f"k{2 * state}", f"k{2 * state + 1}"], rows(state, 2))

    def ask():
        n = len(kv)
        assert n % 2 == 0
        if n:
            key = kv.index_to_key[n - 1]
            assert key in kv
            assert_array_equal(kv[key], row(int(key[1:]) // 2))
        seen.append(n)

    run_beside(write, [ask] * N_READERS)
    assert max(seen) > 0


def test_writers_wait_for_each_other():
    kv = KeyedVectors(DIM)

    def write(first):
        for i in range(60):
            kv.add_vectors([f"{first} {i}"], rows(i, 1))

    threads = [threading.Thread(target=write, args=(i,)) for i in range(N_READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kv) == len(kv.vectors) == len(kv.key_to_index) == 60 * N_READERS
    for key, index in kv.key_to_index.items():
        assert kv.index_to_key[index] == key
        assert_array_equal(kv[key], row(int(key.split()[1])))


class Interrupted(KeyedVectors):
    """Vectors that another thread changes in the middle of the next query."""

    pending = None

    def get_index(self, key, default=None):
        index = super().get_index(key, default)
        if self.pending is not None:
            write, self.pending = self.pending, None
            thread = threading.Thread(target=write)
            thread.start()
            thread.join(10)
            assert not thread.is_alive()
        return index


@pytest.mark.parametrize("name", [name for name in QUERIES if name not in ("np.asarray", "in")])
def test_a_query_that_a_change_interrupts_sees_the_state_after_it(name):
    kv = Interrupted(DIM)
    kv.add_vectors(KEYS, rows(0, len(KEYS)), {"count": np.arange(len(KEYS))})
    for state in range(1, 4):
        kv.pending = lambda state=state: replace_all(kv, state)
        QUERIES[name](kv)
        check_norms(kv)


def test_norms_that_a_reader_is_computing_do_not_outlive_a_change(monkeypatch):
    kv = new_vectors()
    real = pyw2v._shared.lengths.row_norms
    writers = []

    def slow(vectors):
        norms = real(vectors)
        if not writers:
            writers.append(threading.Thread(target=replace_all, args=(kv, 1)))
            writers[0].start()
            time.sleep(0.05)
        return norms

    monkeypatch.setattr(pyw2v._shared.lengths, "row_norms", slow)
    check_neighbours(kv.most_similar("w3"))
    writers[0].join()
    check_norms(kv)
    assert_allclose(kv.most_similar("w3")[0][1], 1, atol=1e-6)


def test_norms_follow_another_matrix():
    kv = new_vectors()
    kv.most_similar("w1")
    kv.vectors = kv.vectors * 3
    check_neighbours(kv.most_similar("w1"))
    kv.vectors = np.concatenate([kv.vectors, kv.vectors])[: len(KEYS)]
    assert_allclose(kv.get_vector("w1", norm=True), row(0))
    kv.norms = np.ones(3)
    check_neighbours(kv.most_similar("w1"))
    kv.norms = 2 * np.linalg.norm(kv.vectors, axis=1)
    assert_allclose(kv.get_vector("w1", norm=True), row(0) / 2)  # norms that a user sets are kept


def test_the_matrix_is_freed_when_nobody_has_it():
    kv = new_vectors()
    kv.most_similar("w1")
    matrix = weakref.ref(kv.vectors)
    kv.vectors = np.ones((len(KEYS), DIM), np.float32)
    assert matrix() is None


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_copies_and_pickles_have_guards_of_their_own(protocol):
    kv = new_vectors()
    kv.most_similar("w1")
    small = kv.quantize("int8", sample=0)
    for made in (
        pickle.loads(pickle.dumps(kv, protocol)),
        copy.copy(kv),
        copy.deepcopy(kv),
        pickle.loads(pickle.dumps(small, protocol)),
        copy.copy(small),
    ):
        assert made._guard is not kv._guard
        check_neighbours(made.most_similar("w3"))
        assert "_guard" not in vars(made)


def fasttext():
    texts = [[f"{a}{b}" for b in "xyz"] for a in "abcdefgh"] * 6
    return pyw2v.FastText(texts, vector_size=8, min_count=1, bucket=300, epochs=1, workers=1)


def test_vectors_of_words_and_ngrams_change_at_once():
    model = fasttext()
    kv = model.wv
    parts = kv.vectors_vocab.copy(), kv.vectors_ngrams.copy()
    states = [kv["unseen"].copy(), kv["ax"].copy()], [-kv["unseen"], -kv["ax"]]

    def write(state):
        sign = (-1) ** state
        with kv._guard:
            kv.vectors_vocab[:], kv.vectors_ngrams[:] = parts[0] * sign, parts[1] * sign
            kv.adjust_vectors()

    def ask():
        both = kv[["unseen", "ax"]]
        assert any(np.allclose(both, state, atol=1e-6) for state in states)
        cosine = kv.similarity("unseen", "ax")
        assert_allclose(cosine, before, atol=1e-5)
        assert len(kv.most_similar("unseen", topn=3)) == 3
        assert len(kv.buckets_word) == len(kv)

    before = kv.similarity("unseen", "ax")
    run_beside(write, [ask] * 4)


def test_one_matrix_of_all_ngrams_is_made_however_many_threads_read_it():
    for _ in range(5):
        kv = fasttext().wv
        found = []
        barrier = threading.Barrier(N_READERS)

        def ask(kv=kv, found=found, barrier=barrier):
            barrier.wait()
            found.append(kv.vectors_ngrams)

        threads = [threading.Thread(target=ask) for _ in range(N_READERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(matrix is found[0] for matrix in found)


@pytest.mark.parametrize("kind", [pyw2v.Word2Vec, pyw2v.FastText])
def test_words_and_rows_grow_at_once_and_queries_go_on_during_training(kind):
    rng = np.random.default_rng(1)
    words = [f"w{i}" for i in range(200)]
    texts = [[words[i] for i in rng.integers(0, 200, 10)] for _ in range(300)]
    options = {"bucket": 500} if kind is pyw2v.FastText else {}
    model = kind(texts, vector_size=20, min_count=1, epochs=1, workers=2, **options)
    kv = model.wv

    def write(state):
        if state < 30:
            more = [[f"n{state} {i}" for i in range(9)]] * 3
            model.build_vocab(more, update=True)
        model.train(texts[:100], total_examples=100, epochs=2)

    def ask():
        key = kv.index_to_key[-1]
        result = kv.most_similar(key, topn=5)
        assert len(result) == 5
        assert np.isfinite([cosine for _, cosine in result]).all()
        assert max(cosine for _, cosine in result) < 1.5
        assert kv[key].shape == (20,)
        n = len(kv)
        assert len(kv.most_similar("w1", topn=None)) >= n

    run_beside(write, [ask] * 4, seconds=0.6)
    check_norms(kv)
