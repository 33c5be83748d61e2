"""Words of a corpus as Python sees them."""

from collections.abc import Iterator
from typing import Any, final

import numpy.typing as npt

@final
class Words:
    """Distinct words by number, made into str or int when asked for."""

    def __len__(self) -> int: ...
    def __getitem__(self, i: int, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def take(self, positions: npt.NDArray[Any]) -> list[Any]: ...
