"""How often the words of an encoded corpus stand near each other."""

import os
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pyw2v._core.memory import Memory

def count(
    tokens: npt.NDArray[np.int32],
    ends: npt.NDArray[np.int64],
    n_words: int,
    *,
    window: int,
    symmetric: bool,
    distance_weighting: bool,
    workers: int,
    max_memory: int,
    folder: str | os.PathLike[str],
    progress: Callable[[int], object] | None = None,
) -> tuple[Memory, Memory, Memory, int]: ...
