"""What a file that a reader refuses may be instead, and who reads it: a hint for its error."""

import codecs
import os
import re

from pyw2v.io.streams import DAMAGED, StrPath, open_binary

N_BYTES = 4096  # from a file's start, enough to tell
_MANY = -1  # numbers in a row that is longer than that
_UNREADABLE: tuple[type[Exception], ...] = (OSError, *DAMAGED)

_FASTTEXT = (793712314).to_bytes(4, "little")
_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_HEADER = re.compile(rb"\d+ +(\d+)[ \t]*\r?\n")
_NUMBER = re.compile(rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")

NATIVE = "pyw2v's own format: the load method of the class that saved it"
FASTTEXT = (
    "a fastText model: load_facebook_vectors or load_facebook_model of pyw2v.fasttext_model, "
    "or pyw2v.fasttext.load_model"
)
PICKLE = "a pickle, as gensim's save writes: the load method of the class that saved it"
TEXT = "vectors in word2vec's text format: KeyedVectors.load_word2vec_format(path)"
BINARY = "vectors in word2vec's binary format: KeyedVectors.load_word2vec_format(path, binary=True)"
GLOVE = "GloVe's text format: KeyedVectors.load_word2vec_format(path, no_header=True)"


def kind(start: bytes) -> str | None:
    """What a file that starts with these bytes looks like, and what reads it."""
    is_cut = len(start) == N_BYTES
    if start[8:9] == b"{" and not any(start[5:8]):  # safetensors, whose header is below 2**40 bytes
        return NATIVE
    if start.startswith(_FASTTEXT):
        return FASTTEXT
    if _PICKLE.match(start):
        return PICKLE
    start = start.removeprefix(codecs.BOM_UTF8)
    header = _HEADER.match(start)
    if header:
        n_numbers = _numbers(start[header.end() :], is_cut)
        return TEXT if n_numbers in (int(header[1]), _MANY) else BINARY
    return GLOVE if _numbers(start, is_cut) else None


def _numbers(text: bytes, is_cut: bool) -> int:
    """How many numbers follow a word in the first line; 0 if that is no row of text."""
    line, end, _ = text.partition(b"\n")
    fields = line.split()
    if is_cut and not end:  # the last number may be cut, too
        many = len(fields) > N_BYTES // 100 and all(map(_NUMBER.fullmatch, fields[1:-1]))
        return _MANY if many else 0
    return len(fields) - 1 if fields and all(map(_NUMBER.fullmatch, fields[1:])) else 0


def kind_of(path: StrPath) -> str | None:
    """The same of a file, which may be compressed; None also of pipes, which are read only once."""
    if not os.path.isfile(path):
        return None
    try:
        with open_binary(path) as file:
            return kind(file.read(N_BYTES))
    except _UNREADABLE:
        return None


def hint(found: str | None, *own: str) -> str:
    """The end of an error about a file of this kind; nothing if that is the reader's own."""
    return "" if found is None or found in own else f"; it looks like {found}"
