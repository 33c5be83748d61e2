"""KeyedVectors: storage, access, change, attributes and norms."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v.vectors import KeyedVectors, prep_vectors, pseudorandom_weak_vector


def filled(n=5, dim=3, dtype=np.float32):
    kv = KeyedVectors(dim, dtype=dtype)
    vectors = np.random.default_rng(0).normal(size=(n, dim))
    kv.add_vectors([f"w{i}" for i in range(n)], vectors)
    return kv


def lengths(kv):
    return np.linalg.norm(kv.vectors.astype(np.float64), axis=1)


class TestAccess:
    def test_a_key_gives_its_row_as_a_read_only_view(self):
        kv = filled()
        assert_array_equal(kv["w1"], kv.vectors[1])
        assert np.shares_memory(kv["w1"], kv.vectors)
        with pytest.raises(ValueError, match="read-only"):
            kv["w1"][0] = 1

    def test_a_list_of_keys_gives_a_matrix(self):
        kv = filled()
        assert_array_equal(kv[["w3", "w0"]], kv.vectors[[3, 0]])
        assert kv[[]].shape == (0, 3)

    def test_an_int_is_a_key_first_and_a_position_second(self):
        kv = filled()
        assert_array_equal(kv[2], kv["w2"])
        assert_array_equal(kv[np.int64(2)], kv["w2"])
        kv.add_vectors([2], np.ones((1, 3)))
        assert kv.get_index(2) == 5
        assert_array_equal(kv[2], np.ones(3))

    @pytest.mark.parametrize("key", ["nope", -1, 5, 10**9])
    def test_an_unknown_key_is_a_key_error_that_names_it(self, key):
        kv = filled()
        assert key not in kv
        assert not kv.has_index_for(key)
        for lookup in (kv.get_vector, kv.get_index, kv.__getitem__):
            with pytest.raises(KeyError, match=f"Key '{key}' not present"):
                lookup(key)
        assert kv.get_index(key, 7) == 7

    def test_a_subclass_may_make_vectors_for_keys_it_lacks(self):
        class Made(KeyedVectors):
            def __contains__(self, key):
                return True

            def get_vector(self, key, norm=False):
                if not self.has_index_for(key):
                    return np.full(self.vector_size, 0.5, np.float32)
                return super().get_vector(key, norm)

        kv = Made(3)
        kv.add_vectors(["a", "b"], np.eye(3)[:2])
        assert_array_equal(kv[["a", "x"]], [[1, 0, 0], [0.5, 0.5, 0.5]])
        assert [key for key, _ in kv.most_similar("x")] == ["a", "b"]
        assert kv.vectors_for_all(["x", "a"]).index_to_key == ["x", "a"]
        assert kv.vectors_for_all(["x", "a"], allow_inference=False).index_to_key == ["a"]

    def test_word_vec_is_the_old_name_of_get_vector(self):
        kv = filled()
        with pytest.warns(DeprecationWarning, match="get_vector"):
            assert_array_equal(kv.word_vec("w1"), kv["w1"])
        with pytest.warns(DeprecationWarning, match="get_vector"):
            assert_array_equal(kv.word_vec("w1", use_norm=True), kv.get_vector("w1", norm=True))

    def test_other_missing_attributes_are_reported_as_usual(self):
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            _ = filled().nothing

    def test_text_form_has_size_and_number_of_keys(self):
        assert str(filled()) == repr(filled()) == "KeyedVectors<vector_size=3, 5 keys>"

    def test_equality_is_identity(self):
        kv = filled()
        assert kv == kv  # noqa: PLR0124 (the claim)
        assert kv != filled()

    @pytest.mark.parametrize(
        ("size", "error"), [(-1, ValueError), (2.5, TypeError), ("3", TypeError)]
    )
    def test_vector_size_is_checked(self, size, error):
        with pytest.raises(error, match="vector_size must be"):
            KeyedVectors(size)


class TestMeanVector:
    def test_matches_gensim(self):
        kv = KeyedVectors(4)
        kv.add_vectors(["king", "pear"], [[0, 0.3, -0.3, -0.9], [-1.8, -0.2, -1.3, 0.3]])
        mean = kv.get_mean_vector(["king", "pear"], weights=[1, -2])
        assert_allclose(mean, [0.53347, 0.15978, 0.28478, -0.39042], atol=1e-5)
        ones = np.ones(4, np.float32)
        mean = kv.get_mean_vector(["king", "pear", ones], pre_normalize=False, post_normalize=True)
        assert_allclose(mean, [-0.51966, 0.71453, -0.38974, 0.25983], atol=1e-5)

    def test_unknown_keys_are_skipped_or_refused(self):
        kv = filled()
        assert_array_equal(kv.get_mean_vector(["w1", "?"]), kv.get_mean_vector(["w1"]))
        assert_array_equal(kv.get_mean_vector(["?"]), np.zeros(3))
        with pytest.raises(KeyError, match="Key '\\?' not present"):
            kv.get_mean_vector(["w1", "?"], ignore_missing=False)

    def test_needs_keys_and_as_many_weights(self):
        with pytest.raises(ValueError, match="no input"):
            filled().get_mean_vector([])
        with pytest.raises(ValueError, match="2 keys and weights of shape"):
            filled().get_mean_vector(["w1", "w2"], weights=[1])


class TestChange:
    def test_add_vectors_keeps_known_keys_unless_told_to_replace(self):
        kv = filled()
        old = kv["w1"].copy()
        kv.add_vectors(["w1", "new"], np.ones((2, 3)))
        assert_array_equal(kv["w1"], old)
        kv.add_vectors(["w1", "new"], [[2, 2, 2], [3, 3, 3]], replace=True)
        assert_array_equal(kv[["w1", "new"]], [[2, 2, 2], [3, 3, 3]])
        assert len(kv) == len(kv.vectors) == 6

    @pytest.mark.parametrize(("replace", "expected"), [(False, 1), (True, 2)])
    def test_of_a_key_given_twice_the_first_stays_or_the_last_wins(self, replace, expected):
        kv = KeyedVectors(2)
        kv.add_vectors(["a", "a"], [[1, 1], [2, 2]], replace=replace)
        assert kv.index_to_key == ["a"]
        assert_array_equal(kv.vectors, [[expected, expected]])

    def test_setting_an_item_adds_or_replaces(self):
        kv = filled()
        kv["w1"] = [1, 2, 3]
        kv["new"] = np.array([4, 5, 6])
        kv[["w2", "also"]] = [[7, 8, 9], [0, 0, 1]]
        assert_array_equal(
            kv[["w1", "new", "w2", "also"]], [[1, 2, 3], [4, 5, 6], [7, 8, 9], [0, 0, 1]]
        )

    @pytest.mark.parametrize(
        "change",
        [
            lambda kv: kv.add_vectors(["x"], np.full((1, 3), 9.0)),
            lambda kv: kv.add_vectors(["w1"], np.full((1, 3), 9.0), replace=True),
            lambda kv: kv.__setitem__("w1", np.full(3, 9.0)),
            lambda kv: kv.add_vector("w1", np.full(3, 9.0)),
            lambda kv: (kv.set_vecattr("w3", "count", 2), kv.sort_by_descending_frequency()),
            lambda kv: (kv.index_to_key.append("x"), kv.resize_vectors()),
            lambda kv: kv.unit_normalize_all(),
        ],
    )
    def test_norms_are_right_after_every_change(self, change):
        kv = filled()
        kv.fill_norms()
        change(kv)
        kv.fill_norms()
        assert_allclose(kv.norms, lengths(kv), rtol=1e-6)
        assert kv.most_similar(kv.vectors[1], topn=1)[0][0] == kv.index_to_key[1]

    def test_add_vector_fills_free_slots_and_then_appends_with_a_warning(self):
        kv = KeyedVectors(2, count=2)
        kv.fill_norms()
        assert kv.add_vector("a", [1, 1]) == 0
        assert kv.add_vector("b", [2, 2]) == 1
        with pytest.warns(UserWarning, match="copies the whole matrix"):
            assert kv.add_vector("c", [3, 3]) == 2
        assert kv.add_vector("a", [4, 4]) == 0
        assert kv.index_to_key == ["a", "b", "c"]
        assert_array_equal(kv.vectors, [[4, 4], [2, 2], [3, 3]])
        assert_allclose(kv.get_vector("b", norm=True), [0.5**0.5] * 2)

    def test_add_vectors_fills_free_slots_first(self):
        kv = KeyedVectors(1, count=2)
        kv.add_vectors(["a", "b", "c"], [[1], [2], [3]], extras={"count": [5, 6, 7]})
        assert kv.index_to_key == ["a", "b", "c"]
        assert_array_equal(kv.vectors, [[1], [2], [3]])
        assert_array_equal(kv.expandos["count"], [5, 6, 7])

    def test_free_slots_are_never_results(self):
        kv = KeyedVectors(2, count=4)
        kv.add_vectors(["a", "b"], [[1, 0], [-1, 0]])
        assert kv.most_similar("a") == [("b", -1.0)]

    def test_extras_set_attributes_of_new_and_replaced_keys(self):
        kv = filled(2)
        kv.add_vectors(["w0", "x"], np.ones((2, 3)), extras={"count": np.array([5, 6])})
        assert kv.expandos["count"].tolist() == [0, 0, 6]
        kv.add_vectors(["w0"], np.ones((1, 3)), extras={"count": np.array([5])}, replace=True)
        assert kv.get_vecattr("w0", "count") == 5
        with pytest.raises(ValueError, match="one value a key, got 2 values for 1 keys"):
            kv.add_vectors(["y"], np.ones((1, 3)), extras={"count": [1, 2]})

    @pytest.mark.parametrize("weights", [np.ones((2, 3)), np.ones((1, 4)), np.ones(3)])
    def test_wrong_shapes_are_refused_and_change_nothing(self, weights):
        kv = filled()
        with pytest.raises(ValueError, match=r"shape \(1, 3\)"):
            kv.add_vectors(["x"], weights)
        assert "x" not in kv
        assert len(kv) == len(kv.vectors) == 5

    def test_adding_nothing_is_fine(self):
        kv = filled()
        kv.add_vectors([], [])
        assert len(kv) == 5

    def test_resize_vectors_draws_as_gensim(self):
        kv = KeyedVectors(3)
        kv.index_to_key = ["a", "b"]
        kv.resize_vectors(seed=5)
        expected = [[0.11386001, 0.20333524, -0.31823123], [0.20529385, -0.02076542, 0.01021703]]
        assert_allclose(kv.vectors, expected, rtol=1e-6)

    def test_resize_vectors_keeps_old_rows_and_the_type(self):
        kv = filled(dtype=np.float16)
        old = kv.vectors.copy()
        kv.index_to_key.append("x")
        kv.resize_vectors()
        assert kv.vectors.dtype == np.float16
        assert_array_equal(kv.vectors[:5], old)
        assert np.all(np.abs(kv.vectors[5]) <= 1 / 3)

    def test_sort_by_descending_frequency_puts_the_last_of_equal_counts_first(self):
        kv = filled(4)
        old = {key: kv[key].copy() for key in kv.index_to_key}
        for key, count in zip(kv.index_to_key, [1, 3, 1, 3], strict=True):
            kv.set_vecattr(key, "count", count)
        kv.vectors_lockf = np.arange(4, dtype=np.float32)
        kv.sort_by_descending_frequency()
        assert kv.index_to_key == ["w3", "w1", "w2", "w0"]
        assert kv.expandos["count"].tolist() == [3, 3, 1, 1]
        assert kv.vectors_lockf.tolist() == [3, 1, 2, 0]
        for key, vector in old.items():
            assert_array_equal(kv[key], vector)

    def test_sorting_needs_counts(self):
        with pytest.raises(KeyError, match="'count'"):
            filled().sort_by_descending_frequency()
        KeyedVectors(3).sort_by_descending_frequency()


class TestAttributes:
    def test_types_are_fixed_by_the_first_value(self):
        kv = filled()
        kv.set_vecattr("w1", "count", 7)
        kv.set_vecattr("w2", "tag", "text")
        assert kv.expandos["count"].dtype == np.int64
        assert kv.expandos["tag"].dtype == object
        assert kv.get_vecattr("w1", "count") == 7
        assert kv.get_vecattr("w0", "count") == 0
        assert kv.get_vecattr("w2", "tag") == "text"
        with pytest.raises(TypeError, match="'count' holds int64"):
            kv.set_vecattr("w1", "count", 1.5)

    def test_unknown_keys_and_attributes_are_key_errors(self):
        kv = filled()
        kv.set_vecattr("w1", "count", 1)
        with pytest.raises(KeyError):
            kv.get_vecattr("?", "count")
        with pytest.raises(KeyError):
            kv.get_vecattr("w1", "?")
        with pytest.raises(KeyError):
            kv.set_vecattr("?", "other", 1)
        assert "other" not in kv.expandos

    def test_attributes_grow_with_the_keys(self):
        kv = filled()
        kv.set_vecattr("w4", "count", 3)
        kv.add_vectors(["x"], np.ones((1, 3)))
        assert kv.expandos["count"].tolist() == [0, 0, 0, 0, 3, 0]
        kv.set_vecattr("x", "count", 4)
        assert kv.get_vecattr("x", "count") == 4


class TestNorms:
    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
    def test_normed_vectors_have_unit_length(self, dtype):
        kv = filled(dtype=dtype)
        normed = kv.get_normed_vectors()
        assert normed.dtype == dtype
        assert_allclose(np.linalg.norm(normed.astype(float), axis=1), 1, rtol=2e-3)
        assert_allclose(kv.get_vector("w1", norm=True), normed[1], rtol=1e-3)

    def test_zero_vectors_stay_zero_without_a_warning(self):
        kv = KeyedVectors(2)
        kv.add_vectors(["zero", "one"], [[0, 0], [0, 2]])
        assert_array_equal(kv.get_normed_vectors(), [[0, 0], [0, 1]])
        assert_array_equal(kv.get_vector("zero", norm=True), [0, 0])
        assert kv.similarity("zero", "one") == 0
        assert kv.most_similar("one") == [("zero", 0.0)]
        assert kv.distances("one").tolist() == [1, 0]
        kv.unit_normalize_all()
        assert_array_equal(kv.vectors, [[0, 0], [0, 1]])

    def test_fill_norms_computes_anew_only_when_forced(self):
        kv = filled()
        kv.fill_norms()
        kv.vectors *= 2
        kv.fill_norms()
        assert_allclose(kv.norms * 2, lengths(kv), rtol=1e-6)
        kv.fill_norms(force=True)
        assert_allclose(kv.norms, lengths(kv), rtol=1e-6)

    def test_init_sims_is_the_old_name(self):
        kv = filled()
        with pytest.warns(DeprecationWarning, match="fill_norms"):
            kv.init_sims()
        assert_allclose(kv.norms, lengths(kv), rtol=1e-6)
        with pytest.warns(DeprecationWarning, match="unit_normalize_all"):
            kv.init_sims(replace=True)
        assert_allclose(lengths(kv), 1, rtol=1e-6)


class TestCopies:
    @pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, "pickle"])
    def test_copies_hold_the_same(self, duplicate):
        kv = filled()
        kv.set_vecattr("w1", "tag", "x")
        wide = np.zeros((5, 16), np.float32)
        wide[:, :3] = kv.vectors
        kv.vectors = wide[:, :3]  # as a model that has been trained
        twin = pickle.loads(pickle.dumps(kv)) if duplicate == "pickle" else duplicate(kv)
        assert twin.index_to_key == kv.index_to_key
        assert_array_equal(twin.vectors, kv.vectors)
        assert twin.get_vecattr("w1", "tag") == "x"
        assert twin.most_similar("w1") == kv.most_similar("w1")

    def test_vectors_for_all_takes_each_known_key_once_in_order(self):
        kv = filled()
        for i, key in enumerate(kv.index_to_key):
            kv.set_vecattr(key, "count", i)
        part = kv.vectors_for_all(["w3", "?", "w1", "w3"], copy_vecattrs=True)
        assert part.index_to_key == ["w3", "w1"]
        assert_array_equal(part.vectors, kv.vectors[[3, 1]])
        assert part.expandos["count"].tolist() == [3, 1]
        assert not np.shares_memory(part.vectors, kv.vectors)
        assert kv.vectors_for_all([]).vectors.shape == (0, 3)


def test_prep_vectors_keeps_prior_values_in_a_corner():
    prior = np.ones((2, 3), np.float32)
    assert prep_vectors((2, 3), prior) is prior
    grown = prep_vectors((4, 3), prior)
    assert_array_equal(grown[:2], prior)
    assert np.abs(grown[2:]).max() <= 1 / 3
    assert_array_equal(prep_vectors((1, 3), prior), prior[:1])


def test_weak_vectors_are_small_and_repeatable():
    one = pseudorandom_weak_vector(10, "seed", hashfxn=len)
    assert_array_equal(one, pseudorandom_weak_vector(10, "seed", hashfxn=len))
    assert one.dtype == np.float32
    assert np.abs(one).max() <= 0.05
