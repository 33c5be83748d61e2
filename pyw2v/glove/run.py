"""One training of a GloVe model: its epochs on the records of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyw2v._core.runs import EpochResult, GloveRun, Run
from pyw2v._runs.checkpoint import Checkpoints, Contents
from pyw2v._runs.record import RunRecord
from pyw2v._runs.training_run import TrainingRun
from pyw2v._shared.checks import resolve_workers
from pyw2v.glove import file as glove_file
from pyw2v.glove.records import TrainingRecords, check_cost
from pyw2v.glove.state import GloveParameters
from pyw2v.progress import Progress

if TYPE_CHECKING:
    from pyw2v.glove import GloVe


class RecordRun(TrainingRun):
    """The epochs of one call."""

    unit = "records"

    def __init__(
        self,
        model: GloVe,
        parameters: GloveParameters,
        records: TrainingRecords,
        record: RunRecord,
        progress: Progress,
        saver: Checkpoints | None,
    ) -> None:
        first_epoch = int(record.more["first_epoch"])
        super().__init__(record, len(records), progress, saver, first_epoch)
        self._model, self._parameters, self._records = model, parameters, records
        self._core: Run | None = None

    def core_run(self) -> Run:
        """Spread the rows, if a callback may have seen the model."""
        model, parameters, records = self._model, self._parameters, self._records
        if not self.layout:
            parameters.spread(self.layout)
        if self._core is None:
            self._core = GloveRun(
                values=parameters.values,
                squares=parameters.squares,
                records=records.records,
                ends=records.ends,
                n_bands=records.n_bands,
                lr=model.learning_rate,
                bias_lr=model.bias_learning_rate,
                grad_clip=model.grad_clip,
                seed=model.seed,
                workers=resolve_workers(model.workers),
            )
        return self._core

    def rows_changed(self, seconds: float) -> None:
        """Forget the vectors made of the rows."""
        self._model._wv = None

    def take(self, epoch: int, result: EpochResult) -> None:
        """Add the mean cost."""
        model = self._model
        cost = float(result.loss) / len(self._records)
        check_cost(cost, self._records.records, model.epochs_trained)
        model.epochs_trained += 1
        model.loss_history.append(cost)

    def contents(self) -> Contents:
        """Return what a file of the model holds."""
        return glove_file.contents(self._model)

    def loss_note(self) -> str:
        """Return the last cost."""
        history = self._model.loss_history
        return f", cost {history[-1]:.6f}" if history else ""

    def advice(self) -> str:
        """Advise a smaller rate."""
        return (
            "the parameters are no longer usable, train anew with a smaller "
            f"learning_rate (now {self._model.learning_rate:g})"
        )
