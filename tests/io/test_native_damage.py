"""Cut, changed and lying native files: a ValueError with file and byte, or a valid load."""

import json
import re
import tracemalloc

import numpy as np
import pytest

from pyw2v.io import native
from pyw2v.io.errors import TruncatedFileError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model"


def write(path, entries, data=b"", header=None):
    """A safetensors file with the given header, right or wrong."""
    text = json.dumps(entries).encode() if header is None else header
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def entry(begin, end, shape=None, dtype="U8"):
    return {"dtype": dtype, "shape": [end - begin] if shape is None else shape,
            "data_offsets": [begin, end]}  # fmt: skip


def save_example(path):
    tensors = {"vectors": np.arange(12, dtype=np.float32).reshape(3, 4), "on": np.array([True])}
    native.save(path, tensors, {"keys": ["the", "öl", ""]}, {"window": 5})
    return tensors


@pytest.mark.parametrize(
    ("entries", "what"),
    [
        ({"a": entry(0, 8), "b": entry(4, 8)}, "byte .*'b' overlaps the one before it"),
        ({"a": entry(0, 8), "b": entry(0, 8)}, "byte .*overlaps"),
        ({"a": entry(0, 4), "b": entry(5, 8)}, "byte .*'b' leaves a gap before it"),
        ({"a": entry(1, 8)}, "byte .*'a' leaves a gap"),
        ({"a": entry(0, 7)}, "byte .*bytes after the last array"),
        ({"a": entry(0, 9)}, "byte .*'a' should end at byte"),
        ({"a": entry(0, 2**62)}, "byte .*'a' should end at byte"),
        ({"a": entry(8, 0, [8])}, "byte 8: array 'a' has the impossible data_offsets"),
        ({"a": entry(-8, 0, [8])}, "byte 8: .*data_offsets"),
        ({"a": entry(0, 8, [9])}, "byte 8: .*does not take the 8 bytes"),
        ({"a": entry(0, 8, [2**62, 2**62], "F32")}, "byte 8: .*does not take"),
        ({"a": entry(0, 8, [-8])}, "byte 8: .*impossible shape"),
        ({"a": entry(0, 8, [8.0])}, "byte 8: .*impossible shape"),
        ({"a": entry(0, 8, [True] * 3 + [8])}, "byte 8: .*impossible shape"),
        ({"a": entry(0, 8, "8")}, "byte 8: .*impossible shape"),
        ({"a": entry(0, 8, [1] * 40 + [8])}, "byte 8: .*impossible shape"),
        ({"a": entry(0, 0, [0, 2**64]), "b": entry(0, 8)}, "byte 8: .*impossible shape"),
        ({"a": entry(0, 0, [0, 2**62, 2**62]), "b": entry(0, 8)}, "byte 8: .*impossible shape"),
        ({"a": entry(0, 8, [4], "BF16")}, "byte 8: .*unknown dtype 'BF16'"),
        ({"a": entry(0, 8, [4], ["F32"])}, "byte 8: .*unknown dtype"),
        ({"a": {"dtype": "U8", "shape": [8]}}, "byte 8: .*needs dtype, shape and data_offsets"),
        ({"a": 5}, "byte 8: .*needs dtype"),
        ({"a": entry(0, 8, [8], "BOOL")}, "byte .*truth values above 1"),
        ({"__metadata__": {"a": 1}, "a": entry(0, 8)}, "byte 8: __metadata__ must map"),
        ({"__metadata__": 3, "a": entry(0, 8)}, "byte 8: __metadata__ must map"),
        ({"__metadata__": {"pyw2v": "2"}, "a": entry(0, 8)}, "byte 8: .*version '2'"),
        ({"__metadata__": {"pyw2v": "1", "settings": "{"}, "a": entry(0, 8)}, "byte 8: .*settings"),
        ({"__metadata__": {"pyw2v": "1", "settings": "3"}, "a": entry(0, 8)}, "byte 8: .*settings"),
    ],
)
@pytest.mark.parametrize("mmap", [False, True])
def test_lying_header_is_refused(path, entries, what, mmap):
    write(path, entries, b"\x02" * 8)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}, {what}"):
            native.load(path, mmap=mmap)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"[]",
        b" {}",
        b"{",
        b'{"a":}',
        b'{"\xff":1}',
        b"{" * 100_000,
        b'{"a":' + b"[" * 100_000,
        b'{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},'
        b'"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}',
        b'{"a":{"dtype":"U8","shape":[' + b"9" * 10_000 + b'],"data_offsets":[0,0]}}',
    ],
)
def test_header_that_is_not_the_right_json_is_refused(path, header):
    write(path, None, header=header)
    with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}, byte 8: "):
        native.load(path)


@pytest.mark.parametrize("n_bytes", [3, 99_999_999, 10**8 + 1, 2**63, 2**64 - 1])
def test_header_length_is_checked(path, n_bytes):
    path.write_bytes(n_bytes.to_bytes(8, "little") + b"{}")
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}, byte \d+: .*header"):
            native.load(path)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "parts",
    [
        {"ids": np.ones(3)},
        {"ids": np.ones((3, 1), np.int64)},
        {"utf8": np.ones(3, np.uint8)},
        {"other": np.ones(3, np.uint8)},
        {"utf8": np.ones(3, np.uint8), "ends": np.array([1, 2])},
        {"utf8": np.ones(3, np.uint8), "ends": np.array([1, 4])},
        {"utf8": np.ones(3, np.uint8), "ends": np.array([2, 1, 3])},
        {"utf8": np.ones(3, np.uint8), "ends": np.array([-1, 3])},
        {"utf8": np.ones(3, np.uint8), "ends": np.array([-(2**63), 2**63 - 1, 3])},
        {"utf8": np.ones(3, np.uint8), "ends": np.array([1, -(2**63), -(2**31), 2, 3])},
        {"utf8": np.ones(3, np.uint8), "ends": np.array([], np.int64)},
        {"utf8": np.full(3, 255, np.uint8), "ends": np.array([3])},
        {"utf8": np.full(3, 65, np.uint8), "ends": np.array([3]), "is_int": np.array([True])},
        {"utf8": np.full(3, 65, np.uint8), "ends": np.array([3]), "is_int": np.ones(2, np.bool_)},
    ],
)
def test_words_that_do_not_fit_are_refused(path, parts):
    tensors = {f"words/keys/{part}": array for part, array in parts.items()}
    pytest.importorskip("safetensors.numpy").save_file(tensors, path, {"pyw2v": "1"})
    with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}, byte \d+: "):
        native.load(path)


@pytest.mark.parametrize("mmap", [False, True])
def test_every_cut_is_refused(path, mmap):
    save_example(path)
    data = path.read_bytes()
    for size in range(len(data)):
        path.write_bytes(data[:size])
        with pytest.raises(TruncatedFileError, match=rf"^{re.escape(str(path))}, byte {size}: "):
            native.load(path, mmap=mmap)


@pytest.mark.parametrize("value", [0x00, 0x22, 0x30, 0x5B, 0x7D, 0xFF])
def test_every_changed_byte_is_refused_or_read(path, value):
    save_example(path)
    data = path.read_bytes()
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] = value
        path.write_bytes(changed)
        try:
            file = native.load(path)
        except ValueError as error:
            message = str(error)
        else:
            assert sum(array.nbytes for array in file.tensors.values()) <= len(data)
            continue
        assert str(path) in message


def test_missing_file_is_named(path):
    with pytest.raises(FileNotFoundError) as error:
        native.load(path)
    assert error.value.filename == str(path)
