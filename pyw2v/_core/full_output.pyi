from typing import Any

import numpy as np
import numpy.typing as npt

_Reals = npt.NDArray[np.float32] | npt.NDArray[np.float64]

LOSSES: tuple[str, ...]

class FullOutput:
    dtype: np.dtype[Any]
    shape: tuple[int, int]
    def __init__(
        self,
        loss: str,
        words: _Reals,
        *,
        nodes: _Reals | None = None,
        word_bias: _Reals | None = None,
        node_bias: _Reals | None = None,
        self_norm: float = 0.0,
        bands: tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] | None = None,
        tree: tuple[
            int,
            int,
            npt.NDArray[np.int64],
            npt.NDArray[np.int32],
            npt.NDArray[np.int32],
            npt.NDArray[np.int32],
        ]
        | None = None,
        update: bool = True,
    ) -> None: ...
