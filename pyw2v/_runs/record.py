"""How far a training call has come: all that it takes to go on as if it had never stopped.

What is random in a piece of an epoch follows from the seed of the run and the piece's number, and
so does the learning rate. With the matrices, a place between two pieces is therefore enough.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from pyw2v._core.runs import EpochResult, Run
from pyw2v._shared.checks import check_float, check_int

_NOTHING = EpochResult(0.0, 0, 0)
MAX_EPOCHS = 2**30 - 1  # of a call, and before it: their sum is a number of the core, too
_HASHED_BYTES = 1 << 24  # at a time, between two polls for Ctrl-C

# Seconds that Ctrl-C waits for the current pieces, so that training can go on from there.
_SOON = 0.05


class Place(NamedTuple):
    """Between two pieces: epochs done, pieces of the next one done, and the sums of these."""

    epoch: int
    piece: int = 0
    sums: EpochResult = _NOTHING


class Fingerprint:
    """What a run is trained on, identified by its sizes and a hash of its content.

    The hash takes a second a gigabyte, so it is computed when it is needed, or left out.
    """

    def __init__(
        self,
        sizes: dict[str, int],
        content: Callable[[], Iterable[npt.NDArray[Any]]] | None = None,
    ) -> None:
        self.sizes = sizes
        self._content = content
        self._digest: str | None = None

    @property
    def digest(self) -> str | None:
        """The hash; None where the content was released before it was needed."""
        content = self._content
        if self._digest is None and content is not None:
            hashed = hashlib.blake2b(digest_size=16)
            for array in content():
                data = np.ascontiguousarray(array).view(np.uint8).reshape(-1).data
                for at in range(0, len(data), _HASHED_BYTES):
                    hashed.update(data[at : at + _HASHED_BYTES])
            self._digest = hashed.hexdigest()
        return self._digest

    @contextlib.contextmanager
    def unhashed(self) -> Iterator[None]:
        """Leave the hash out, while this lasts, unless it is known."""
        content, self._content = self._content, None
        try:
            yield
        finally:
            self._content = content

    def release(self, needed: bool) -> None:
        """Let go of the content; compute the hash before, if it will be needed."""
        if needed:
            _ = self.digest
        self._content = None

    def __getstate__(self) -> dict[str, Any]:
        """Models are pickled and copied without the corpus."""
        return {"sizes": self.sizes, "_digest": self.digest, "_content": None}

    def check(self, other: Fingerprint) -> None:
        """Raise unless `other`, of the data at hand, is the same."""
        for name, size in self.sizes.items():
            if other.sizes.get(name) != size:
                raise ValueError(
                    f"a run goes on with the data it began with: it had {size} {name}, these are "
                    f"{other.sizes.get(name)}"
                )
        if self.digest is not None and self.digest != other.digest:
            sizes = " and ".join(f"{size} {name}" for name, size in self.sizes.items())
            raise ValueError(
                "a run goes on with the data it began with: these are as many, "
                f"{sizes}, but others, or in another order"
            )


@dataclass
class RunRecord:
    """One training call."""

    seed: int
    epochs: int
    """Those of the whole call."""
    data: Fingerprint
    place: Place | None = field(default_factory=lambda: Place(0))
    """None after an interrupt in the middle of a piece, and where weights were changed since."""
    over: bool = False
    """Whether the call has returned: after all epochs, or stopped by a callback."""
    examples: int = 0
    """Of the epochs done, as the next one."""
    words_trained: int = 0
    more: dict[str, Any] = field(default_factory=dict)
    """What only this kind of model has; JSON."""
    _epochs_before: int = 0
    """Whole epochs, where there is no place that tells."""

    @property
    def epochs_done(self) -> int:
        """Whole epochs."""
        return self._epochs_before if self.place is None else self.place.epoch

    def lose_place(self) -> None:
        """Note that the weights have changed, so that training cannot go on from here."""
        self._epochs_before, self.place = self.epochs_done, None

    @property
    def unfinished(self) -> bool:
        """Whether there is something left to train, and it is known where to go on."""
        return self.place is not None and self.place.epoch < self.epochs

    def end_epoch(self, result: EpochResult) -> None:
        """Take note that an epoch is over."""
        assert self.place is not None
        self.examples += int(result.examples)
        self.words_trained += int(result.words_trained)
        self.place = Place(self.place.epoch + 1)

    def describe(self) -> dict[str, Any]:
        """Return this as JSON."""
        place = self.place
        return {
            "seed": self.seed,
            "epochs": self.epochs,
            "epochs_done": self.epochs_done,
            "place": None if place is None else [place.piece, *place.sums],
            "over": self.over,
            "examples": self.examples,
            "words_trained": self.words_trained,
            "data": self.data.sizes | {"digest": self.data.digest if self.unfinished else None},
            **self.more,
        }

    @classmethod
    def described(cls, stored: Any, more: Mapping[str, Any]) -> Self:
        """Return the record that `describe` wrote; raise a ValueError where it cannot have.

        `more` are the types of what only this kind of model has.
        """
        try:
            record = cls._described(dict(stored))
            for name, kind in more.items():
                value = record.more[name]
                if not isinstance(value, kind):
                    raise TypeError(f"run.{name} must be {kind}, got {value!r:.80}")
                if type(value) is int:
                    check_int(f"run.{name}", value, 0, MAX_EPOCHS)
                elif isinstance(value, float):
                    check_float(f"run.{name}", value, 0.0)
            return record
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"the record of the run is damaged: {error}") from error

    @classmethod
    def _described(cls, stored: dict[str, Any]) -> Self:
        def number(name: str, value: Any, most: int = 2**63 - 1) -> int:
            return check_int(f"run.{name}", value, 0, most)

        sizes, place = dict(stored.pop("data")), stored.pop("place")
        digest = sizes.pop("digest")
        data = Fingerprint({name: number(name, size) for name, size in sizes.items()})
        if digest is not None and not isinstance(digest, str):
            raise TypeError(f"run.data.digest must be a str, got {digest!r:.80}")
        data._digest = digest
        epochs = number("epochs", stored.pop("epochs"), MAX_EPOCHS)
        done = number("epochs_done", stored.pop("epochs_done"), epochs)
        if place is not None:
            piece, loss, examples, words = place
            loss = check_float("run.loss", loss)
            sums = EpochResult(loss, number("examples", examples), number("words", words))
            place = Place(done, number("piece", piece), sums)
        return cls(
            seed=number("seed", stored.pop("seed"), 2**64 - 1),
            epochs=epochs,
            data=data,
            place=place,
            over=bool(stored.pop("over")),
            examples=number("examples", stored.pop("examples")),
            words_trained=number("words_trained", stored.pop("words_trained")),
            more=stored,
            _epochs_before=done,
        )


class Saver(Protocol):
    """What writes checkpoints, as a run sees it."""

    def is_due(self, epoch: int | None = None) -> bool: ...
    def seconds_left(self) -> float: ...
    def save(self) -> None: ...
    def resumed(self) -> None: ...


class RecordedRun:
    """A run of the core that begins where its record says, and keeps the record.

    Checkpoints are made between two pieces, while no thread trains. A stop, too, comes after the
    current pieces where these are soon done.
    """

    def __init__(self, run: Run, record: RunRecord, saver: Saver | None, first: int = 0) -> None:
        self._run = run
        self._record = record
        self._saver = saver
        self._first = first  # what epochs of the core count from
        self._epoch: int | None = None

    def start(self, epoch: int) -> None:
        """Start an epoch, at its beginning or in its middle."""
        assert self._record.place is not None
        if self._saver is not None and not self._record.place.piece and self._saver.is_due(epoch):
            self._saver.save()
            self._saver.resumed()
        self._epoch = epoch
        self._go_on()

    def _go_on(self) -> None:
        place = self._record.place
        assert place is not None
        assert self._epoch is not None
        self._run.start(self._epoch + self._first, place.piece, place.sums)

    def wait(self, seconds: float) -> bool:
        """Sleep up to `seconds`, or make a checkpoint; True when the epoch is over."""
        saver = self._saver
        if saver is None:
            return self._run.wait(seconds)
        if self._run.wait(min(seconds, saver.seconds_left())):
            return True
        if saver.is_due():
            self._run.pause()
            while not self._run.wait(seconds):  # Ctrl-C may come between
                pass
            self._note_place()
            saver.save()
            self._go_on()
            saver.resumed()
        return False

    def finish(self) -> EpochResult:
        """Wait for the workers; raise what one of them raised, or return the epoch's sums."""
        return self._run.finish()

    def stop(self) -> None:
        """Stop the workers, and note the place if that is between two pieces."""
        self._run.pause()
        try:
            if self._run.wait(_SOON):
                self._note_place()
            else:
                self._record.lose_place()
        except Exception:  # of a worker: finish() raises it, too
            self._record.lose_place()
        finally:
            self._run.stop()

    def _note_place(self) -> None:
        epoch, piece = self._run.place
        if self._epoch is not None and epoch == self._epoch + self._first:  # else: not started yet
            self._record.place = Place(self._epoch, piece, self._run.finish())
