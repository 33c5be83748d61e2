"""Values that pickles of models have come back from every protocol, without pickle."""

import pickle
from collections import OrderedDict, defaultdict

import numpy as np
import pytest

from pyw2v.io import pickle_stream
from pyw2v.io.pickle_values import Converter


def read(stream):
    converter = Converter(len(stream), None)
    return converter.value_of(pickle_stream.read(stream, converter.check_name))


PLAIN = [
    *(None, True, 0, 255, -1, 2**31, -(2**31), 2**100, 1e300, "", "naïve", "\ud800", b"", b"a\xff"),
    *([], (), {}, set(), {1, 2}, frozenset({"a"}), [1, (2.5, None, ["x"])], {"a": {2: b"b"}}),
    *(1 + 2j, [b"long" * 9999], ["w" * 300], {("a", b"b"): 1}),
    *(OrderedDict(a=1, b=[2]), defaultdict(int, {"b": 2}), list(range(3000))),
    *(np.float32(2.5), np.int64(-3), np.str_("x"), np.dtype("f4"), np.float32, int, str),
]
ARRAYS = [
    *(np.zeros(0), np.zeros((0, 4), np.float32), np.array(5), np.arange(5000.0)),
    *(np.array(["a", "ß", ""]), np.array([b"ab", b"c"]), np.array([True, False])),
    *(np.asfortranarray(np.ones((2, 3))), np.arange(12.0).reshape(3, 4)[:, ::2]),
    *(np.arange(6, dtype=">i4"), np.ones((2, 2), np.float16)),
]


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("value", PLAIN, ids=lambda value: f"{value!r:.20}")
def test_plain_values_come_back(value, protocol):
    found = read(pickle.dumps(value, protocol))
    assert found == value
    assert isinstance(value, type(found))  # an OrderedDict comes back as a dict


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{array.shape}")
def test_arrays_come_back_as_their_own(array, protocol):
    found = read(pickle.dumps([array, array], protocol))
    assert found[0] is found[1]
    np.testing.assert_array_equal(found[0], array)
    assert found[0].dtype == array.dtype.newbyteorder("=")
    assert found[0].flags.writeable
    assert found[0].flags.aligned


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_arrays_of_objects_come_back(protocol):
    array = np.empty(3, object)
    array[:] = [np.arange(2), None, "x"]
    first, *others = read(pickle.dumps(array, protocol))
    assert first.tolist() == [0, 1]
    assert others == [None, "x"]


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_bytearrays_come_back_as_bytes(protocol):
    assert read(pickle.dumps([bytearray(), bytearray(b"ab")], protocol)) == [b"", b"ab"]


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_what_is_shared_is_made_once(protocol):
    part = ["a", [1]]
    found = read(pickle.dumps({"a": part, "b": (part, part)}, protocol))
    assert found["a"] is found["b"][0] is found["b"][1]


def test_python_2_counts_its_memo_from_one():
    assert read(b"\x80\x02]q\x01(U\x01\xe9q\x02I4294967296\nL5L\nI01\nh\x02e.") == [
        *("\xe9", 2**32, 5, True, "\xe9")
    ]
