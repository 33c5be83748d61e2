import numpy as np
import numpy.typing as npt

def huffman(
    counts: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8], npt.NDArray[np.int32]]: ...
def fasttext_huffman(
    counts: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8], npt.NDArray[np.int32]]: ...
