import os
from typing import Any

import numpy as np
import numpy.typing as npt

def load(
    path: str | os.PathLike[str],
    name: str,
    *,
    binary: bool | None,
    header: bool | None,
    limit: int | None,
    dtype: npt.DTypeLike,
    encoding: str,
    unicode_errors: str,
    complete: bool = True,
    n_threads: int = 0,
) -> tuple[list[str], npt.NDArray[Any], bool]: ...
def text_rows(words: bytes, rows: npt.NDArray[np.float32] | npt.NDArray[np.float64]) -> bytes: ...
def binary_rows(words: bytes, rows: npt.NDArray[np.float32]) -> bytes: ...
def split_words(data: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]) -> list[str]: ...
