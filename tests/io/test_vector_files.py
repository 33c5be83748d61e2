"""KeyedVectors to and from files; the formats themselves have tests of their own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v.vectors import KeyedVectors, load_word2vec_format


def filled(n=5, dim=3, dtype=np.float32):
    kv = KeyedVectors(dim, dtype=dtype)
    vectors = np.random.default_rng(0).normal(size=(n, dim))
    kv.add_vectors([f"w{i}" for i in range(n)], vectors)
    return kv


class TestNativeFile:
    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
    @pytest.mark.parametrize("mmap", [None, True, "r"])
    def test_everything_comes_back(self, tmp_path, dtype, mmap):
        kv = filled(dtype=dtype)
        kv.add_vectors([17], np.ones((1, 3)))
        kv.set_vecattr("w1", "count", 3)
        kv.set_vecattr("w2", "tag", "text")
        kv.vectors_lockf = np.arange(6, dtype=np.float32)
        kv.save(tmp_path / "kv", separately=[])
        twin = KeyedVectors.load(tmp_path / "kv", mmap=mmap)
        assert twin.index_to_key == kv.index_to_key
        assert twin.key_to_index == kv.key_to_index
        assert twin.vectors.dtype == dtype
        assert_array_equal(twin.vectors, kv.vectors)
        assert_array_equal(twin.vectors_lockf, kv.vectors_lockf)
        assert twin.expandos["count"].tolist() == kv.expandos["count"].tolist()
        assert twin.expandos["tag"].tolist() == kv.expandos["tag"].tolist()
        assert twin.most_similar("w1") == kv.most_similar("w1")

    def test_a_mapped_matrix_is_copied_before_it_changes(self, tmp_path):
        kv = filled()
        kv.save(tmp_path / "kv")
        twin = KeyedVectors.load(tmp_path / "kv", mmap=True)
        assert not twin.vectors.flags.writeable
        twin["w1"] = [1, 2, 3]
        twin.unit_normalize_all()
        assert_array_equal(KeyedVectors.load(tmp_path / "kv").vectors, kv.vectors)

    def test_free_slots_are_not_stored(self, tmp_path):
        kv = KeyedVectors(1, count=3)
        kv.add_vector("a", [1])
        kv.set_vecattr("a", "count", 2)
        kv.save(tmp_path / "kv")
        twin = KeyedVectors.load(tmp_path / "kv")
        assert twin.index_to_key == ["a"]
        assert_array_equal(twin.vectors, [[1]])
        assert twin.expandos["count"].tolist() == [2]

    def test_attributes_of_other_objects_are_refused_by_name(self, tmp_path):
        kv = filled()
        kv.set_vecattr("w1", "thing", {})
        with pytest.raises(TypeError, match="'thing'"):
            kv.save(tmp_path / "kv")
        assert not (tmp_path / "kv").exists()

    def test_huffman_paths_are_left_out(self, tmp_path):
        kv = filled()
        kv.set_vecattr("w1", "code", np.array([0, 1], np.uint8))
        kv.save(tmp_path / "kv")
        assert "code" not in KeyedVectors.load(tmp_path / "kv").expandos

    def test_another_safetensors_file_is_refused(self, tmp_path):
        save_file = pytest.importorskip("safetensors.numpy").save_file

        save_file({"vectors": np.zeros((2, 2), np.float32)}, tmp_path / "other")
        with pytest.raises(ValueError, match="holds no model or vectors"):
            KeyedVectors.load(tmp_path / "other")


class TestWord2vecFormat:
    @pytest.mark.parametrize("binary", [False, True])
    def test_round_trip_in_order_of_counts(self, tmp_path, binary):
        kv = filled(3)
        for key, count in [("w0", 1), ("w1", 5), ("w2", 5)]:
            kv.set_vecattr(key, "count", count)
        kv.save_word2vec_format(tmp_path / "v", fvocab=tmp_path / "counts", binary=binary)
        assert (tmp_path / "counts").read_text() == "w1 5\nw2 5\nw0 1\n"
        twin = KeyedVectors.load_word2vec_format(
            tmp_path / "v", fvocab=tmp_path / "counts", binary=binary
        )
        assert twin.index_to_key == ["w1", "w2", "w0"]
        assert_array_equal(twin.vectors, kv.vectors[[1, 2, 0]])
        assert twin.expandos["count"].tolist() == [5, 5, 1]
        assert load_word2vec_format(tmp_path / "v", binary=None, limit=1).index_to_key == ["w1"]

    def test_counts_fall_when_there_is_no_vocabulary_file(self, tmp_path):
        filled(3).save_word2vec_format(tmp_path / "v")
        twin = KeyedVectors.load_word2vec_format(tmp_path / "v")
        assert twin.expandos["count"].tolist() == [3, 2, 1]

    def test_a_vocabulary_file_needs_counts(self, tmp_path):
        with pytest.raises(ValueError, match="'count'"):
            filled().save_word2vec_format(tmp_path / "v", fvocab=tmp_path / "counts")

    def test_prefix_header_and_appending(self, tmp_path):
        kv = KeyedVectors(1)
        kv.add_vectors(["a"], [[0.5]])
        kv.save_word2vec_format(tmp_path / "v", prefix="*", total_vec=2)
        kv.save_word2vec_format(tmp_path / "v", append=True, write_header=False)
        assert (tmp_path / "v").read_text() == "2 1\n*a 0.5\na 0.5\n"

    @pytest.mark.parametrize("binary", [False, True])
    def test_intersect_takes_shared_words_and_locks_them(self, tmp_path, binary):
        other = KeyedVectors(3)
        other.add_vectors(["w1", "unknown", "w3"], np.arange(9).reshape(3, 3))
        other.save_word2vec_format(tmp_path / "v", binary=binary)
        kv = filled()
        kv.fill_norms()
        old = kv.vectors.copy()
        kv.intersect_word2vec_format(tmp_path / "v", lockf=0.25, binary=binary)
        assert_array_equal(kv.vectors[[1, 3]], [[0, 1, 2], [6, 7, 8]])
        assert_array_equal(kv.vectors[[0, 2, 4]], old[[0, 2, 4]])
        assert kv.vectors_lockf.tolist() == [1, 0.25, 1, 0.25, 1]
        assert "unknown" not in kv
        assert_allclose(kv.get_vector("w1", norm=True), np.array([0, 1, 2]) / 5**0.5, rtol=1e-6)

    def test_intersect_needs_vectors_of_the_same_size(self, tmp_path):
        filled(dim=4).save_word2vec_format(tmp_path / "v")
        with pytest.raises(ValueError, match="size 4, which do not fit vector_size 3"):
            filled().intersect_word2vec_format(tmp_path / "v")
