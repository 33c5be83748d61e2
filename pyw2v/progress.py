"""What the user sees while a corpus is read and a model is trained: a tqdm bar, a line, or nothing.

Everything is written to standard error, so that it mixes with no output of the program.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from typing import Any

# Seconds between two updates of the plain line: on a terminal it redraws in place, elsewhere (a
# log file) each update is a new line.
_TERMINAL_INTERVAL = 0.2
_LOG_INTERVAL = 10.0
_BAR_WIDTH = 20
_SECONDS_TO_KNOW_A_RATE = 0.05


class Progress:
    """Shows nothing, and is the interface of those that do.

    `begin` opens a stage of work, `update` says how much of it is done, `close` ends it. Calling an
    instance does all of these, which is how the corpus readers report.
    """

    _stage: str | None = None

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        """Open a stage of work.

        Parameters
        ----------
        stage : str
            Its name, such as "train".
        total : int or None
            How many units it has, if that is known.
        unit : str
            What is counted, such as "words".
        """

    def update(self, done: int, note: str = "") -> None:
        """Show that so many units of the stage are finished.

        Parameters
        ----------
        done : int
            Units finished since `begin`.
        note : str, default ""
            A short note to show.
        """

    def tell(self, **facts: float) -> None:
        """Take facts for a log of another form.

        Parameters
        ----------
        **facts : float
            Such as `tokens`, `words` and `labels` counted, or the `loss`.
        """

    def close(self) -> None:
        """End the stage, if one is open."""

    def __call__(self, done: int, total: int | None, unit: str) -> None:
        """Report on the reading of a corpus."""
        if self._stage != "corpus":
            self.begin("corpus", total, unit)
        self.update(done)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _TqdmProgress(Progress):
    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        self.close()
        self._stage = stage
        self._bar = self._tqdm(
            desc=stage,
            total=total,
            unit=f" {unit}",
            unit_scale=True,
            file=sys.stderr,
            **_screen_for_tqdm(),
        )

    def update(self, done: int, note: str = "") -> None:
        if self._bar is None:
            return
        if note:
            self._bar.set_postfix_str(note, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = self._stage = None


def _screen_for_tqdm() -> dict[str, int]:
    """Return the size to state: tqdm finds it, but draws nothing on a terminal that has none."""
    try:
        size = os.get_terminal_size(sys.stderr.fileno())
    except (AttributeError, OSError, ValueError):  # no terminal, or no file at all
        return {}
    return {} if size.columns and size.lines else {"ncols": 80, "nrows": 24}


class _PlainProgress(Progress):
    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._interval = _TERMINAL_INTERVAL if self._terminal else _LOG_INTERVAL
        self._line = ""
        self._width = 0

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        self.close()
        self._stage, self._total, self._unit = stage, total, unit
        self._start = time.monotonic()
        self._shown = self._start - self._interval if self._terminal else self._start

    def update(self, done: int, note: str = "") -> None:
        if self._stage is None:
            return
        now = time.monotonic()
        self._line = f"{self._stage}:{self._share(done)} {done:,} {self._unit}"
        if now - self._start > _SECONDS_TO_KNOW_A_RATE:
            self._line += f", {done / (now - self._start):,.0f}/s"
        if note:
            self._line += f", {note}"
        if now - self._shown >= self._interval:
            self._shown = now
            self._write("" if self._terminal else "\n")

    def _share(self, done: int) -> str:
        if not self._total:
            return ""
        share = min(done / self._total, 1.0)
        filled = int(share * _BAR_WIDTH)
        bar = f" [{'#' * filled:.<{_BAR_WIDTH}}]" if self._terminal else ""
        return f"{bar} {100 * share:.0f} %"

    def close(self) -> None:
        if self._stage is not None and self._line:
            self._write("\n")
        self._stage, self._line, self._width = None, "", 0

    def _write(self, end: str) -> None:
        # Blanks cover what is left of a longer line shown before.
        start = "\r" if self._terminal else ""
        sys.stderr.write(start + self._line.ljust(self._width) + end)
        sys.stderr.flush()
        self._width = len(self._line)


def open_progress(show: bool | Progress | None) -> Progress:
    """Return what shows progress: a tqdm bar, a line, or nothing.

    Parameters
    ----------
    show : bool, Progress or None
        Whether to show it; None only on a terminal. A `Progress` is returned as it is.

    Returns
    -------
    Progress
        The display.
    """
    if isinstance(show, Progress):
        return show
    if show is None:
        show = sys.stderr is not None and sys.stderr.isatty()
    if not show or sys.stderr is None:
        return Progress()
    try:
        tqdm = importlib.import_module("tqdm").tqdm  # optional, and slow to import
    except ImportError:
        return _PlainProgress()
    return _TqdmProgress(tqdm)
