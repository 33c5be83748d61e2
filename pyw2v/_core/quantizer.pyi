import numpy as np
from numpy.typing import NDArray

def train_centroids(
    points: NDArray[np.float32],
    dsub: int,
    centroids: NDArray[np.float32],
    first_piece: int,
    last_piece: int,
    seed: int,
    workers: int,
) -> None: ...
def encode(
    rows: NDArray[np.float32],
    dsub: int,
    centroids: NDArray[np.float32],
    codes: NDArray[np.uint8],
    workers: int,
) -> None: ...
def decode(
    codes: NDArray[np.uint8],
    ids: NDArray[np.int64],
    dsub: int,
    centroids: NDArray[np.float32],
    scales: NDArray[np.float32] | None,
    out: NDArray[np.float32],
) -> None: ...
