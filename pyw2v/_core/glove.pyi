"""GloVe's records, in an order for training."""

from typing import Any

import numpy as np
import numpy.typing as npt

def record_dtype(real: npt.DTypeLike) -> np.dtype[Any]: ...
def make_tiles(
    row_ends: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int32],
    values: npt.NDArray[np.float64],
    records: npt.NDArray[Any],
    *,
    x_max: float,
    exponent: float,
    dim: int,
    seed: int,
    workers: int,
    tile_rows: int = 0,
) -> tuple[npt.NDArray[np.int64], int]: ...
def make_records(
    words: npt.NDArray[np.int32],
    contexts: npt.NDArray[np.int32],
    values: npt.NDArray[np.float64],
    *,
    x_max: float,
    exponent: float,
) -> npt.NDArray[Any]: ...
