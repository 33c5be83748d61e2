"""The native file: round trips, agreement with the safetensors package, and strictness."""

import os
import subprocess
import sys
import textwrap
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.testing import assert_array_equal

from pyw2v.io import native

STORABLE = [
    np.dtype(name)
    for name in ("f8", "i8", "u8", "f4", "i4", "u4", "f2", "i2", "u2", "i1", "u1", "?")
]


def safetensors(*module):
    """The package or a module of it; a free-threaded CPython has no wheel of it."""
    return pytest.importorskip(".".join(("safetensors", *module)))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model"


def save_example(path):
    tensors = {"vectors": np.arange(12, dtype=np.float32).reshape(3, 4), "on": np.array([True])}
    native.save(path, tensors, {"keys": ["the", "öl", ""]}, {"window": 5})
    return tensors


# Round trips


@given(
    st.dictionaries(
        st.text(max_size=5).map("t".__add__),
        st.sampled_from(STORABLE).flatmap(
            lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=0, min_side=0, max_side=4))
        ),
        max_size=5,
    ),
    st.booleans(),
)
@settings(max_examples=50, deadline=None)
def test_arrays_of_every_type_and_shape_come_back(tmp_path_factory, tensors, mmap):
    path = tmp_path_factory.mktemp("native") / "file"
    native.save(path, tensors, {}, {})
    file = native.load(path, mmap=mmap)
    assert file.tensors.keys() == tensors.keys()
    for name, array in tensors.items():
        assert file.tensors[name].dtype == array.dtype
        assert_array_equal(file.tensors[name], array)


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.lists(st.text() | st.integers(-(2**70), 2**70)),
        max_size=3,
    )
)
@settings(max_examples=50, deadline=None)
def test_words_come_back(tmp_path_factory, words):
    path = tmp_path_factory.mktemp("words") / "file"
    native.save(path, {}, words, {})
    file = native.load(path)
    assert file.words == words
    assert [[type(word) for word in file.words[key]] for key in words] == [
        [type(word) for word in words[key]] for key in words
    ]
    assert file.tensors == {}


def test_integers_are_stored_as_integers(path):
    native.save(path, {}, {"keys": np.arange(3)}, {})
    assert safetensors("numpy").load_file(path)["words/keys/ids"].tolist() == [0, 1, 2]
    assert native.load(path).words == {"keys": [0, 1, 2]}


def test_surrogates_of_undecodable_words_are_kept(path):
    words = [b"\xff".decode("utf8", "surrogateescape")]
    native.save(path, {}, {"keys": words}, {})
    assert native.load(path).words["keys"] == words


def test_settings_come_back(path):
    native.save(path, {}, {}, {"a": [1, None, {"b": "ü"}], "c": np.float32(0.5), "d": np.int64(3)})
    assert native.load(path).settings == {"a": [1, None, {"b": "ü"}], "c": 0.5, "d": 3}


@pytest.mark.parametrize("word", [1.5, None, True, b"bytes", ("a",)])
def test_keys_must_be_strings_or_integers(path, word):
    with pytest.raises(TypeError, match="words must be str or int"):
        native.save(path, {}, {"keys": ["a", word]}, {})


def test_what_cannot_be_stored_is_refused(path):
    with pytest.raises(TypeError, match="'o' has dtype object"):
        native.save(path, {"o": np.array([None])}, {}, {})
    with pytest.raises(TypeError, match="settings must be JSON"):
        native.save(path, {}, {}, {"a": object()})
    for name in ("__metadata__", "words/x/ids"):
        with pytest.raises(ValueError, match="reserved"):
            native.save(path, {name: np.ones(3)}, {}, {})
    assert os.listdir(path.parent) == []


def test_strided_and_foreign_ordered_arrays_are_written(path):
    wide = np.random.default_rng(0).normal(size=(40, 16)).astype(np.float32)
    tensors = {
        "rows": wide[:, :10],
        "step": wide[::3, ::2],
        "back": wide[::-1],
        "fortran": np.asfortranarray(wide),
        "big": wide.astype(">f4"),
        "cube": wide.reshape(4, 10, 16).transpose(2, 0, 1),
    }
    native.save(path, tensors, {}, {})
    file = native.load(path)
    for name, array in tensors.items():
        assert_array_equal(file.tensors[name], array)


def test_strided_arrays_are_not_copied_whole(path):
    wide = np.ones((400_000, 32), np.float32)
    tracemalloc.start()
    try:
        native.save(path, {"vectors": wide[:, :25]}, {}, {})
        assert tracemalloc.get_traced_memory()[1] < 40_000_000 / 3
    finally:
        tracemalloc.stop()


# Memory mapping


def test_mapped_arrays_are_read_only_views(path):
    tensors = save_example(path)
    vectors = native.load(path, mmap=True).tensors["vectors"]
    assert not vectors.flags.writeable
    assert not vectors.flags.owndata
    assert vectors.flags.aligned
    assert_array_equal(vectors, tensors["vectors"])


def test_copies_are_writable(path):
    save_example(path)
    vectors = native.load(path).tensors["vectors"]
    vectors[:] = 7
    assert native.load(path).tensors["vectors"][0, 1] == 1


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps"), reason="needs /proc")
def test_processes_share_the_mapping(path):
    native.save(path, {"vectors": np.ones((1000, 1000), np.float32)}, {}, {})
    code = textwrap.dedent(
        """
        import re, sys
        from pyw2v.io import native
        file = native.load(sys.argv[1], mmap=True)
        assert file.tensors["vectors"].sum() == 1e6
        maps = open("/proc/self/smaps").read()
        block = maps[maps.index(sys.argv[1]):].partition("VmFlags")[0]
        print(re.search(r"Anonymous: +(\\d+) kB", block)[1])
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) == 0


def test_file_can_be_saved_over_while_it_is_mapped(path):
    tensors = save_example(path)
    old = native.load(path, mmap=True)
    native.save(path, {"vectors": old.tensors["vectors"], "new": np.ones(3)}, old.words, {})
    assert_array_equal(old.tensors["vectors"], tensors["vectors"])
    file = native.load(path)
    assert_array_equal(file.tensors["vectors"], tensors["vectors"])
    assert file.words == old.words


# The safetensors package


def test_safetensors_reads_our_file(path):
    tensors = save_example(path)
    theirs = safetensors("numpy").load_file(path)
    for name, array in tensors.items():
        assert_array_equal(theirs[name], array)
    assert bytes(theirs["words/keys/utf8"]).decode() == "theöl"
    assert theirs["words/keys/ends"].tolist() == [3, 6, 6]
    with safetensors().safe_open(path, "numpy") as file:
        metadata = file.metadata()
        assert len(metadata.pop("checksum")) == 64
        assert metadata == {"pyw2v": "1", "settings": '{"window": 5}'}


@pytest.mark.parametrize("mmap", [False, True])
def test_we_read_a_file_of_safetensors(path, mmap):
    rng = np.random.default_rng(0)
    theirs = {
        dtype.name: rng.integers(0, 2, size=(3, 1 + i)).astype(dtype)
        for i, dtype in enumerate(STORABLE)
    }
    safetensors("numpy").save_file(theirs, path, {"author": "someone"})
    file = native.load(path, mmap=mmap)
    assert file.tensors.keys() == theirs.keys()
    assert (file.words, file.settings) == ({}, {})
    for name, array in theirs.items():
        assert_array_equal(file.tensors[name], array)
