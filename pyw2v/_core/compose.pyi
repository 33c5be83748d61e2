import numpy as np
import numpy.typing as npt

def mean_rows(
    words: npt.NDArray[np.float32] | None,
    parts: npt.NDArray[np.float32],
    offsets: npt.NDArray[np.int64],
    ids: npt.NDArray[np.uint32],
    out: npt.NDArray[np.float32],
    workers: int = 1,
) -> None: ...
