"""Tables in Markdown, printed line by line as results come in."""

import sys
from collections.abc import Sequence


class Table:
    """A table whose column widths are fixed by its heads and `widths`."""

    def __init__(self, heads: Sequence[str], widths: Sequence[int]) -> None:
        self._widths = [max(len(head), width) for head, width in zip(heads, widths, strict=True)]
        self._line(heads)
        rules = ["-" * self._widths[0], *("-" * (width - 1) + ":" for width in self._widths[1:])]
        self._line(rules)

    def add(self, cells: Sequence[str]) -> None:
        """Print one line; the first column is aligned to the left, the others to the right."""
        self._line(cells)

    def _line(self, cells: Sequence[str]) -> None:
        padded = [
            cell.rjust(width) if index else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(cells, self._widths, strict=True))
        ]
        print(f"| {' | '.join(padded)} |", flush=True)


def note(text: str) -> None:
    """Say on stderr what is going on, so that stdout holds the tables alone."""
    print(text, file=sys.stderr, flush=True)


def amount(value: float) -> str:
    """Write a speed with three digits: 1.23M."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def number(value: float | None, digits: int = 1) -> str:
    """Write a number, or a dash where there is none."""
    return "-" if value is None else f"{value:.{digits}f}"


def goal(value: float | None) -> str:
    """Write a required or aimed-at ratio."""
    return "-" if value is None else f"{value:g}"
