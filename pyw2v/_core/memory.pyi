"""Memory of the core as Python sees it."""

from typing import final

def release_free_memory() -> None: ...

@final
class Memory:
    """Bytes owned by the core, for NumPy to look at; freed with the last view of them."""

    @property
    def spilled(self) -> bool: ...
    def truncate(self, n_bytes: int) -> None: ...
    def __len__(self) -> int: ...

@final
class Lent:
    """Bytes inside an object of the core, read-only for NumPy; they keep the object alive."""

    def __len__(self) -> int: ...
