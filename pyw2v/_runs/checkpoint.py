"""Checkpoints of a training run: a folder of numbered native files, of which the last two stay.

Training pauses while the matrices are copied; a thread writes the copy while training goes on. A
file that cannot be written is a warning, and the existing files stay.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import math
import os
import re
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from pyw2v._core import matrix
from pyw2v._runs.record import RunRecord
from pyw2v._shared.checks import check_int
from pyw2v._shared.kinds import WrongKindError
from pyw2v.io import native

logger = logging.getLogger(__name__)


class _Recorded(Protocol):
    _run_record: RunRecord | None


Model = TypeVar("Model", bound=_Recorded)

EVERY = "10m"
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
_NAME = "checkpoint-{:06}.safetensors"
_PATTERN = re.compile(r"checkpoint-(\d+)\.safetensors")
_KEPT = 2
_PUT_OFF = 0.05  # seconds

# What native.save takes: arrays, words, settings, with the record of the run among these.
Contents = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]


def interval(every: Any) -> tuple[float, int]:
    """Return the seconds and the epochs between two checkpoints; one of them is infinite or 0."""
    if isinstance(every, str):
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", every)
        if match is None or float(match[1]) == 0:
            raise ValueError(
                "checkpoint_every must be a time such as '30s', '10m' or '2h', or a number of "
                f"epochs, got {every!r}"
            )
        return float(match[1]) * _UNITS[match[2]], 0
    return math.inf, check_int("checkpoint_every", every, 1)


def numbered(folder: Any) -> list[tuple[int, Path]]:
    """Return the checkpoints in a folder, the newest first; none where there is no folder."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    found = [match for match in map(_PATTERN.fullmatch, names) if match is not None]
    return sorted(((int(match[1]), Path(folder, match[0])) for match in found), reverse=True)


def reopened(
    folder: Any, load: Callable[..., Model], every: Any = None
) -> tuple[Model, Checkpoints | None]:
    """Return the model of the newest sound checkpoint, and the checkpoints to go on with.

    These are None where the run was over; `every` is as it was where None.
    """
    model = _newest(folder, load)
    record = model._run_record
    assert record is not None
    if record.over:
        return model, None
    every = record.more.get("checkpoint_every", EVERY) if every is None else every
    return model, Checkpoints(folder, every, go_on=True)


def _newest(folder: Any, load: Callable[..., Model]) -> Model:
    files = numbered(folder)
    if not files:
        raise FileNotFoundError(
            errno.ENOENT, "there is no checkpoint in this folder", os.fspath(folder)
        )
    for _, path in files:
        try:
            model = load(path, verify=True)
            record = model._run_record
            if record is None or (record.place is None and not record.over):
                raise ValueError(f"{path} does not say how far its training had come")
            return model
        except WrongKindError:
            raise
        except (ValueError, OSError) as error:
            if path == files[-1][1]:
                raise
            warnings.warn(
                f"{path} cannot be read, the checkpoint before it is taken: {error}",
                UserWarning,
                stacklevel=4,
            )
    raise AssertionError("unreachable")


def _room_for(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array like this one; on huge pages where possible, which are allocated faster."""
    if array.ndim == 2 and array.dtype == np.float32 and array.size:
        return matrix.zeros(*array.shape)
    return np.empty(array.shape, array.dtype)


def of_folder(checkpoint: Any, checkpoint_every: Any) -> Checkpoints | None:
    """Return the checkpoints of a run that begins; None where the user gave no folder."""
    return None if checkpoint is None else Checkpoints(checkpoint, checkpoint_every)


@contextlib.contextmanager
def recorded(
    record: RunRecord, saver: Checkpoints | None, contents: Callable[[], Contents]
) -> Iterator[None]:
    """Train inside this block: `contents` is written when it is time, and at the end."""
    try:
        with contextlib.nullcontext() if saver is None else saver.writing(record, contents):
            yield
            record.over = True
    except KeyboardInterrupt:
        record.data.release(needed=False)  # Ctrl-C waits for nothing
        raise
    finally:
        record.data.release(needed=record.unfinished)


class Checkpoints:
    """The checkpoints of one run. `checkpoint` and `checkpoint_every` are what the user gave."""

    def __init__(self, checkpoint: Any, checkpoint_every: Any = EVERY, go_on: bool = False) -> None:
        self.every = checkpoint_every
        self._seconds, self._epochs = interval(checkpoint_every)
        if not isinstance(checkpoint, str | os.PathLike):
            raise TypeError(f"checkpoint must be the path of a folder, got {checkpoint!r:.80}")
        self.folder = Path(checkpoint)
        files = numbered(self.folder)
        if files and not go_on:
            raise ValueError(
                f"{self.folder} has checkpoints of another run: resume that one, or give an empty "
                "folder"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        if not os.access(self.folder, os.W_OK):
            raise PermissionError(
                errno.EACCES, "the folder cannot be written to", os.fspath(self.folder)
            )
        self._next_number = files[0][0] + 1 if files else 1
        self._copy: dict[str, Any] = {}
        self._thread: threading.Thread | None = None
        self._error: Exception | None = None
        self._contents: Callable[[], Contents]
        self._paused_at = time.monotonic()
        self._next_time, self._next_epoch = math.inf, math.inf
        self.seconds_paused = 0.0
        """How long training stood still, in all."""

    @contextlib.contextmanager
    def writing(self, record: RunRecord, contents: Callable[[], Contents]) -> Iterator[None]:
        """Write what `contents` returns, while this lasts, and at its end, whatever ends it.

        A run that an error ends leaves what was written before; Ctrl-C, a last checkpoint.
        """
        self._record, self._contents = record, contents
        record.more["checkpoint_every"] = self.every
        self._begin()
        try:
            yield
            self._write_now()
        except KeyboardInterrupt:
            if record.place is not None:
                self._write_now()
            raise
        finally:
            self._join()
            self._warn()

    def _begin(self) -> None:
        self._plan()
        with self._record.data.unhashed():
            arrays = self._contents()[0]
        self._in_background(partial(self._prepare, arrays))

    def _prepare(self, arrays: dict[str, Any]) -> None:
        """Prepare the hash and the memory of the copy, so that no checkpoint waits for them."""
        _ = self._record.data.digest
        with contextlib.suppress(MemoryError):  # `save` will report it
            for name, array in arrays.items():
                self._copy[name] = _room_for(array)
                self._copy[name].fill(0)  # the system allocates memory when it is first written to

    def _plan(self) -> None:
        """Say when the next one is due."""
        self._next_time = time.monotonic() + self._seconds
        self._next_epoch = self._record.epochs_done + self._epochs if self._epochs else math.inf

    def seconds_left(self) -> float:
        """Return the time until one is due, epochs aside."""
        return max(0.0, self._next_time - time.monotonic())

    def is_due(self, epoch: int | None = None) -> bool:
        """Whether to make one now; before it starts, an epoch says its number.

        While the last one is being written, it is put off.
        """
        if self.seconds_left() > 0 and (epoch is None or epoch < self._next_epoch):
            return False
        if self._thread is not None and self._thread.is_alive():
            self._next_time = time.monotonic() + _PUT_OFF
            return False
        self._warn()
        self._paused_at = time.monotonic()
        return True

    def save(self) -> None:
        """Copy what there is, for a thread to write."""
        self._join()
        arrays, words, settings = self._contents()
        try:
            copies = {name: self._copied(name, array) for name, array in arrays.items()}
        except MemoryError as error:
            self._error = error
        else:
            self._in_background(partial(self._write, copies, words, settings))
        self._plan()

    def _copied(self, name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a copy of an array, in the memory of the last one."""
        kept = self._copy.get(name)
        if kept is None or kept.shape != array.shape or kept.dtype != array.dtype:
            kept = self._copy[name] = _room_for(array)
        np.copyto(kept, array)
        return kept

    def resumed(self) -> None:
        """Take note that training goes on."""
        seconds = time.monotonic() - self._paused_at
        self.seconds_paused += seconds
        logger.info("training stood still for %.1f ms, for a checkpoint", 1000 * seconds)

    def _write_now(self) -> None:
        self._join()
        self._write(*self._contents())

    def _write(
        self, arrays: dict[str, Any], words: dict[str, Any], settings: dict[str, Any]
    ) -> None:
        started = time.monotonic()
        path = self.folder / _NAME.format(self._next_number)
        try:
            native.save(path, arrays, words, settings)
            self._next_number += 1
            for _, old in numbered(self.folder)[_KEPT:]:
                old.unlink(missing_ok=True)
        except (OSError, MemoryError) as error:
            self._error = error
        else:
            logger.info("%s was written in %.1f s", path, time.monotonic() - started)

    def _in_background(self, work: Callable[[], Any]) -> None:
        thread = threading.Thread(target=work, name="pyw2v-checkpoint")
        try:
            thread.start()
        except RuntimeError:  # there are no more threads: training waits
            work()
        else:
            self._thread = thread

    def _join(self) -> None:
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _warn(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            reason = str(error) or type(error).__name__
            warnings.warn(
                f"a checkpoint could not be written, those before it stay: {reason}",
                UserWarning,
                stacklevel=2,
            )
