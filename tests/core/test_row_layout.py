"""The two layouts of a matrix: packed for users, spread for the kernels, in the same memory."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pyw2v._core.matrix import SpreadRows, can_spread, is_spread, spread_copy, zeros

DIMS = [1, 7, 15, 16, 17, 31, 32, 33, 100, 300]


def filled(n_rows, dim):
    rows = zeros(n_rows, dim)
    rows[:] = np.arange(n_rows * dim, dtype=np.float32).reshape(n_rows, dim)
    return rows


def padding_of(rows):
    """What stands between spread rows, and behind the last."""
    stride = rows.strides[0] // 4
    return np.lib.stride_tricks.as_strided(rows, (len(rows), stride))[:, rows.shape[1] :]


@pytest.mark.parametrize("n_rows", [0, 1, 2, 97])
@pytest.mark.parametrize("dim", DIMS)
def test_spreading_and_packing_moves_rows_and_changes_none(n_rows, dim):
    array = filled(n_rows, dim)
    before = array.copy()
    holder = SimpleNamespace(matrix=array)
    with SpreadRows() as layout:
        layout.spread([array], [holder], padding=3)
        assert is_spread(holder.matrix)
        assert_array_equal(holder.matrix, before)
        assert np.all(padding_of(holder.matrix) == 3)
        holder.matrix *= 2
    assert holder.matrix is array
    assert array.flags.c_contiguous
    assert_array_equal(array, 2 * before)


def test_every_attribute_that_names_a_matrix_follows_it():
    array, other = filled(5, 10), filled(5, 10)
    first, second = SimpleNamespace(a=array, b=other, n=3), SimpleNamespace(c=array)
    with SpreadRows() as layout:
        layout.spread([array], [first, second])
        assert first.a is second.c
        assert is_spread(first.a)
        assert first.b is other
        second.c = other  # what is put there meanwhile stays
    assert first.a is array
    assert second.c is other
    assert first.n == 3


def test_two_may_spread_a_matrix_at_once_and_the_last_one_packs_it():
    array = filled(6, 10)
    before = array.copy()
    holder = SimpleNamespace(matrix=array)
    first, second = SpreadRows(), SpreadRows()
    first.spread([holder.matrix], [holder])
    second.spread([holder.matrix], [holder])
    first.pack()
    assert is_spread(holder.matrix)
    assert_array_equal(holder.matrix, before)
    second.pack()
    assert holder.matrix.flags.c_contiguous
    assert_array_equal(holder.matrix, before)
    assert_array_equal(array, before)


def test_packing_twice_does_nothing_more():
    array = filled(4, 10)
    layout = SpreadRows()
    layout.spread([array], [])
    assert layout
    layout.pack()
    layout.pack()
    assert not layout
    assert array[3, 9] == 39


def test_only_whole_matrices_can_be_spread():
    array = filled(8, 10)
    assert can_spread(array)
    for part in (array[1:], array[:, :9], array.copy(), array[::2], np.zeros((8, 10), "f4")):
        assert not can_spread(part)
        with pytest.raises(ValueError, match="only the whole of a matrix"):
            SpreadRows().spread([part], [])
    array.setflags(write=False)
    assert not can_spread(array)


def test_what_was_spread_before_an_error_is_packed():
    array = filled(8, 10)
    before = array.copy()
    with pytest.raises(ValueError, match="only the whole"), SpreadRows() as layout:
        layout.spread([array, np.zeros((3, 3), np.float32)], [])
    assert_array_equal(array, before)


@pytest.mark.parametrize("dim", DIMS)
def test_a_spread_copy_has_zero_padding_and_leaves_the_original(dim):
    array = filled(9, dim).astype(np.float64)[::2]
    rows = spread_copy(array)
    assert is_spread(rows)
    assert_array_equal(rows, array)
    assert not padding_of(rows).any()
    rows[:] = 0
    assert array.any()


def test_memory_behind_packed_rows_is_given_back():
    n_rows = 200_000  # of 64 bytes when spread, of 4 when packed
    array = zeros(n_rows, 1)
    with SpreadRows() as layout:
        layout.spread([array], [])
        spread_bytes = resident()
    assert spread_bytes - resident() > 0.8 * n_rows * 60


def resident():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096
    except FileNotFoundError:
        pytest.skip("needs /proc/self/statm to see how much memory is in use")


def test_many_threads_spread_and_pack_one_matrix():
    array = filled(1000, 10)
    before = array.copy()

    def work():
        for _ in range(50):
            with SpreadRows() as layout:
                holder = SimpleNamespace(matrix=array)
                try:
                    layout.spread([array], [holder])
                except ValueError:  # another has it spread: this is not its present layout
                    continue
                assert_array_equal(holder.matrix, before)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_array_equal(array, before)
