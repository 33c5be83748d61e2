"""The interpreter of pickle streams."""

from typing import Any

class Interpreter:
    at: int
    def __init__(self, stream: bytes, markers: Any) -> None: ...
    def run(self) -> Any: ...
