import os
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from pyw2v._core.ngrams import NgramHasher

UNKNOWN_WORD: int
UNKNOWN_LABEL: int
DROPPED: int

class Lines:
    def __init__(
        self, label_prefix: bytes, budget: int, folder: str | os.PathLike[str]
    ) -> None: ...
    @property
    def tokens(self) -> npt.NDArray[np.int32]: ...
    @property
    def ends(self) -> npt.NDArray[np.int64]: ...
    @property
    def n_tokens(self) -> int: ...
    @property
    def n_lines(self) -> int: ...
    def read_file(
        self,
        path: str | bytes | os.PathLike[str],
        progress: Callable[[int, int], object] | None = None,
    ) -> None: ...
    def add(self, text: bytes, labels: Iterable[bytes] = ()) -> None: ...
    def finish(self) -> None: ...
    def counts(self) -> npt.NDArray[np.int64]: ...
    def is_label(self) -> npt.NDArray[np.bool_]: ...
    def take(self, numbers: npt.NDArray[np.int64]) -> list[bytes]: ...
    def used_buckets(
        self, rules: Rules, entries: npt.NDArray[np.int32], workers: int = 1
    ) -> npt.NDArray[np.uint32]: ...
    def features(
        self, rules: Rules, entries: npt.NDArray[np.int32]
    ) -> list[tuple[list[int], list[int]]]: ...

class Rules:
    def __init__(
        self,
        *,
        n_words: int,
        hasher: NgramHasher,
        bucket_rows: npt.NDArray[np.uint32] | None = None,
        kept: tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]] | None = None,
        absent: int = 0,
    ) -> None: ...
    @property
    def bucket_rows(self) -> npt.NDArray[np.uint32] | None: ...
    @property
    def n_rows(self) -> int: ...
