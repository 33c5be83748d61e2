"""An assembler of pickles: values, names, calls and states to opcodes, sound or not.

`vectors`, `model`, `subwords` and `phrases` are sound pickles of gensim's objects, whose attributes
can be replaced; `...` leaves one out.
"""

import struct

import numpy as np

KEYED_VECTORS = ("gensim.models.keyedvectors", "KeyedVectors")
WORD2VEC = ("gensim.models.word2vec", "Word2Vec")
FASTTEXT_VECTORS = ("gensim.models.fasttext", "FastTextKeyedVectors")
PHRASES = ("gensim.models.phrases", "Phrases")


class Raw(bytes):
    """Opcodes that leave one value."""


def code(value):
    """The opcodes of a value; tuples, lists and dicts may have Raw parts."""
    if isinstance(value, Raw):
        return value
    if value is None:
        return b"N"
    if isinstance(value, bool):
        return b"\x88" if value else b"\x89"
    if isinstance(value, int):
        raw = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        return b"\x8a" + bytes([len(raw)]) + raw
    if isinstance(value, float):
        return b"G" + struct.pack(">d", value)
    if isinstance(value, str):
        raw = value.encode("utf-8", "surrogatepass")
        return b"X" + struct.pack("<I", len(raw)) + raw
    if isinstance(value, bytes):
        return b"B" + struct.pack("<I", len(value)) + value
    if isinstance(value, tuple):
        return b"(" + b"".join(map(code, value)) + b"t"
    if isinstance(value, list):
        return b"](" + b"".join(map(code, value)) + b"e"
    if isinstance(value, dict):
        return b"}(" + b"".join(code(k) + code(v) for k, v in value.items()) + b"u"
    if isinstance(value, np.ndarray):
        return array(value.shape, value.dtype.str[1:], value.tobytes())
    raise TypeError(type(value))


def name(module, what):
    return Raw(b"c" + module.encode() + b"\n" + what.encode() + b"\n")


def stack_name(module, what):
    return Raw(code(module) + code(what) + b"\x93")


def call(module, what, *args):
    return Raw(name(module, what) + code(args) + b"R")


def new(module, what, *args):
    return Raw(name(module, what) + code(args) + b"\x81")


def build(target, state):
    return Raw(target + code(state) + b"b")


def items(target, pairs):
    return Raw(target + b"(" + b"".join(code(x) for pair in pairs for x in pair) + b"u")


def stream(value, protocol=4):
    return b"\x80" + bytes([protocol]) + code(value) + b"."


def dtype(what="f4", order="<", rest=(None, None, None, -1, -1, 0), args=(False, True)):
    return build(call("numpy", "dtype", what, *args), (3, order, *rest))


def array(shape, what, data, *, kind=None, fortran=False, state=None, args=None):
    args = (name("numpy", "ndarray"), (0,), b"b") if args is None else args
    made = call("numpy._core.multiarray", "_reconstruct", *args)
    return build(made, (1, shape, kind or dtype(what), fortran, data) if state is None else state)


def vectors(**attributes):
    """A KeyedVectors of two words, with some attributes replaced; `...` leaves one out."""
    whole = {
        "vectors": np.ones((2, 3), np.float32),
        "vector_size": 3,
        "index_to_key": ["a", "b"],
        "key_to_index": {"a": 0, "b": 1},
        "expandos": {"count": np.array([5, 4])},
    } | attributes
    return build(new(*KEYED_VECTORS), {k: v for k, v in whole.items() if v is not ...})


def model(wv=None, **attributes):
    whole = {
        "wv": vectors() if wv is None else wv,
        "vector_size": 3,
        "syn1neg": np.ones((2, 3), np.float32),
        "negative": 5,
        "corpus_count": 9,
    } | attributes
    return build(new(*WORD2VEC), {k: v for k, v in whole.items() if v is not ...})


def subwords(**attributes):
    whole = {
        "vectors_vocab": np.ones((2, 3), np.float32),
        "vectors_ngrams": np.ones((7, 3), np.float32),
        "vector_size": 3,
        "index_to_key": ["aa", "bb"],
        "expandos": {},
        "compatible_hash": True,
        **{"min_n": 3, "max_n": 4, "bucket": 7},
    } | attributes
    return build(new(*FASTTEXT_VECTORS), {k: v for k, v in whole.items() if v is not ...})


def phrases(**attributes):
    whole = {
        **{"vocab": {"a": 5, "a_b": 3}, "min_count": 1, "threshold": 1.0, "delimiter": "_"},
        **{"scoring": name("gensim.models.phrases", "original_scorer")},
        "connector_words": Raw(b"(\x91"),
    } | attributes
    return build(new(*PHRASES), {k: v for k, v in whole.items() if v is not ...})
