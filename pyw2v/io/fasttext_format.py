"""fastText's model files, `.bin` and `.ftz`: any version in, version 12 out.

Layout, little-endian and without padding: a magic number and the version; the settings; the
dictionary, words before labels; which n-gram buckets were kept, if some were dropped; the input
and the output matrix, each dense or quantised. A fault in the content is a ValueError that names
the file and the byte; a file that ends too early, a TruncatedFileError.
"""

import os
import struct
from collections.abc import Callable
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from pyw2v._core import fasttext_format as _core
from pyw2v.io import foreign
from pyw2v.io.atomic import atomic_write
from pyw2v.io.errors import TruncatedFileError
from pyw2v.io.fasttext_data import FastTextArgs, FastTextData, Matrix
from pyw2v.io.mapped import MappedFile, changes_of, check_unchanged, copy_into, read_into
from pyw2v.io.streams import StrPath
from pyw2v.quantize import N_CENTROIDS, QuantizedMatrix

MAGIC = 793712314
_VERSION = 12
LOSSES = ("hs", "ns", "softmax", "ova")  # codes 1, 2, ...
MODELS = ("cbow", "skipgram", "supervised")
_INT32_MAX = 2**31 - 1
_BLOCK_NUMBERS = 1 << 20
# Files up to this size are read, in some hundredths of a second; larger ones are mapped, since of a
# model of gigabytes a program may use a few rows, and others may use the same. See io/mapped.py.
MAPPED_BYTES = 64 << 20

# Gives the array of some type and length at a byte of the file.
_Slice = Callable[[Any, int, int], npt.NDArray[Any]]


def read(path: StrPath, *, aligned: bool = True, name: str | None = None) -> FastTextData:
    """Read a model file; matrices of a large one are read-only views on the mapped file.

    The dictionary before a matrix may have any length, so that its numbers may start at a byte that
    is no multiple of 4. Such a matrix is copied, unless ``aligned=False``: NumPy works with it as
    it is, more slowly, but compiled code must not. Errors call the file ``name``, its path if None.
    """
    name = os.fsdecode(path) if name is None else name
    with open(path, "rb") as file:
        before = os.fstat(file.fileno())
        if before.st_size == 0:
            raise TruncatedFileError(f"{name}, byte 0: the file is empty")
        try:
            layout = _core.parse(file.fileno(), name)
        except EOFError as error:
            raise TruncatedFileError(str(error)) from None
        except ValueError as error:
            raise ValueError(
                f"{error}{foreign.hint(foreign.kind_of(path), foreign.FASTTEXT)}"
            ) from None
        if before.st_size > MAPPED_BYTES:
            return _data(layout, _mapped_parts(MappedFile(file, name, before)), aligned)
        data = _data(layout, _read_parts(file, name), aligned)
        changes = changes_of(before, file)
        if changes is not None:
            raise ValueError(f"{name} changed while it was read: {changes}")
        return data


def _mapped_parts(mapping: MappedFile) -> _Slice:
    def part(dtype: Any, n: int, offset: int) -> npt.NDArray[Any]:
        return np.frombuffer(mapping, dtype, n, offset) if n else np.empty(0, dtype)

    return part


def _read_parts(file: IO[bytes], name: str) -> _Slice:
    def part(dtype: Any, n: int, offset: int) -> npt.NDArray[Any]:
        array = np.empty(n, dtype)
        read_into(array, file, offset, name)
        array.flags.writeable = False  # as those of a mapping
        return array

    return part


def _data(layout: dict[str, Any], part: _Slice, aligned: bool) -> FastTextData:
    args = _args(layout["settings"])
    words, word_counts = layout["words"]
    labels, label_counts = layout["labels"]
    return FastTextData(
        args=args,
        words=words,
        word_counts=word_counts,
        labels=labels,
        label_counts=label_counts,
        n_tokens=layout["n_tokens"],
        pruned=_pruned(layout["pruned"], part),
        input=_matrix(layout["input"], args.dim, part, aligned),
        output=_matrix(layout["output"], args.dim, part, aligned),
    )


def aligned(matrix: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the matrix, or a copy of one whose numbers lie at odd bytes of a mapped file."""
    if matrix.flags.aligned:
        return matrix
    copy = np.empty(matrix.shape, matrix.dtype)
    copy_into(copy, matrix)
    return copy


def _args(settings: dict[str, Any]) -> FastTextArgs:
    return FastTextArgs(
        **{
            **settings,
            "loss": LOSSES[settings["loss"] - 1],
            "model": MODELS[settings["model"] - 1],
        }
    )


def _pruned(place: tuple[int, int] | None, part: _Slice) -> npt.NDArray[np.int32] | None:
    if place is None:
        return None
    n_pairs, offset = place
    return part("<i4", 2 * n_pairs, offset).reshape(n_pairs, 2).astype(np.int32)


def _matrix(place: dict[str, Any], dim: int, part: _Slice, must_align: bool) -> Matrix:
    rows = place["rows"]
    if not place["quantized"]:
        matrix = part("<f4", rows * dim, place["data"]).reshape(rows, dim)
        return aligned(matrix) if must_align else matrix
    n_parts = place["n_subvectors"]
    norms: tuple[Any, Any] = (None, None)
    if "norm_codes" in place:
        norms = (
            part(np.uint8, rows, place["norm_codes"]),
            part("<f4", N_CENTROIDS, place["norm_centroids"]).astype(np.float32),
        )
    return QuantizedMatrix(
        part(np.uint8, rows * n_parts, place["data"]).reshape(rows, n_parts),
        part("<f4", N_CENTROIDS * dim, place["centroids"]).astype(np.float32),
        dim,
        place["dsub"],
        *norms,
    )


def write(data: FastTextData, path: StrPath) -> None:
    """Write a model file that fastText itself reads; an error leaves the old file as it was.

    ``path`` may be the very file that the matrices are mapped from.
    """
    check_unchanged(data.input, data.output)
    _check_shapes(data)
    head = _head_bytes(data)
    with atomic_write(path) as file:
        file.write(head)
        quantized = isinstance(data.input, QuantizedMatrix)
        file.write(bytes([quantized]))
        _write_matrix(file, data.input)
        file.write(bytes([isinstance(data.output, QuantizedMatrix)]))
        _write_matrix(file, data.output)


def _check_shapes(data: FastTextData) -> None:
    """A file of matrices that do not fit its dictionary could not be read again."""
    args = data.args
    n_buckets = args.bucket if data.pruned is None else len(data.pruned)
    n_outputs = len(data.labels) if args.model == "supervised" else len(data.words)
    for name, matrix, rows in (
        ("input", data.input, len(data.words) + n_buckets),
        ("output", data.output, n_outputs),
    ):
        if tuple(matrix.shape) != (rows, args.dim):
            raise ValueError(
                f"the {name} matrix must have shape {(rows, args.dim)}, got {tuple(matrix.shape)}"
            )
    if isinstance(data.input, QuantizedMatrix):
        return
    if data.pruned is not None:
        raise ValueError("a pruned dictionary needs a quantised input matrix")
    if isinstance(data.output, QuantizedMatrix):
        raise ValueError("a quantised output matrix needs a quantised input matrix")


def _head_bytes(data: FastTextData) -> bytes:
    args = data.args
    pruned = data.pruned
    try:
        settings = struct.pack(
            "<14id",
            MAGIC,
            _VERSION,
            *(args.dim, args.ws, args.epoch, args.min_count, args.neg, args.word_ngrams),
            LOSSES.index(args.loss) + 1,
            MODELS.index(args.model) + 1,
            *(args.bucket, args.minn, args.maxn, args.lr_update_rate),
            args.t,
        )
    except struct.error as error:
        raise ValueError(f"the settings cannot be stored as 32-bit integers: {args}") from error
    n_words, n_labels = len(data.words), len(data.labels)
    if n_words + n_labels > _INT32_MAX:
        raise ValueError(f"a file holds at most {_INT32_MAX} words and labels")
    sizes = struct.pack(
        "<3i2q",
        n_words + n_labels,
        n_words,
        n_labels,
        data.n_tokens,
        -1 if pruned is None else len(pruned),
    )
    return b"".join(
        (
            settings,
            sizes,
            _core.entry_bytes(data.words, _counts(data.word_counts), False),
            _core.entry_bytes(data.labels, _counts(data.label_counts), True),
            b"" if pruned is None else np.ascontiguousarray(pruned, "<i4").tobytes(),
        )
    )


def _counts(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.ascontiguousarray(counts, np.int64)


def _write_matrix(file: IO[bytes], matrix: Matrix) -> None:
    rows, dim = matrix.shape
    if isinstance(matrix, QuantizedMatrix):
        _write_quantized(file, matrix)
        return
    file.write(struct.pack("<2q", rows, dim))
    step = max(1, _BLOCK_NUMBERS // max(1, dim))
    for first in range(0, rows, step):
        block = np.ascontiguousarray(matrix[first : first + step], "<f4")
        file.write(block.reshape(-1).view(np.uint8).data)


def _write_quantized(file: IO[bytes], matrix: QuantizedMatrix) -> None:
    rows, dim = matrix.shape
    n_parts = matrix.codes.shape[1]
    if matrix.codes.size > _INT32_MAX:
        raise ValueError(f"a file holds at most {_INT32_MAX} codes, got {matrix.codes.size}")
    file.write(struct.pack("<?2qi", matrix.norm_codes is not None, rows, dim, matrix.codes.size))
    file.write(matrix.codes.tobytes())
    last = dim - (n_parts - 1) * matrix.dsub
    file.write(struct.pack("<4i", dim, n_parts, matrix.dsub, last))
    file.write(np.ascontiguousarray(matrix.centroids, "<f4").tobytes())
    if matrix.norm_codes is not None and matrix.norm_centroids is not None:
        file.write(matrix.norm_codes.tobytes())
        file.write(struct.pack("<4i", 1, 1, 1, 1))
        file.write(np.ascontiguousarray(matrix.norm_centroids, "<f4").tobytes())
