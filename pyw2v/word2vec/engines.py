"""Who builds the vocabulary, encodes the corpus and trains: an object for each value of `engine`.

A model asks `model._engine` and does not know which one it is.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Protocol

from pyw2v._core.matrix import SpreadRows
from pyw2v._core.runs import Run
from pyw2v._runs.record import RunRecord
from pyw2v.corpus import EncodedCorpus
from pyw2v.progress import Progress
from pyw2v.word2vec.exact import ExactEngine
from pyw2v.word2vec.fast import FastEngine
from pyw2v.word2vec.state import ModelState

if TYPE_CHECKING:
    from pyw2v.word2vec.build import VocabModel


class Engine(Protocol):
    """What a model needs of its engine."""

    name: str
    has_loss: bool
    """Whether it sums up losses and counts examples."""

    def check(self, model: ModelState) -> None:
        """Raise a ValueError for settings that this engine does not have."""

    def need(self, feature: str) -> None:
        """Raise a ValueError that names the feature, unless this engine has all there are."""

    def build(
        self,
        model: VocabModel,
        source: Any,
        *,
        update: bool,
        keep_raw_vocab: bool,
        trim_rule: Any,
        min_count: int | None,
        sample: float | None,
        dry_run: bool,
        write: ExitStack,
    ) -> None:
        """Count a corpus and give the model its vocabulary."""

    def build_and_encode(
        self, model: VocabModel, source: Any, trim_rule: Any, progress: Progress
    ) -> EncodedCorpus:
        """Do as `build` and `encode`, in one pass where possible."""

    def encode(self, model: VocabModel, source: Any, progress: Progress) -> EncodedCorpus:
        """Encode a corpus for training."""

    def make_inputs(self, model: VocabModel, keep: bool) -> None:
        """Give every word an input row, a first one to new words; `keep` the rows there are."""

    def spread(self, model: VocabModel, arrays: list[Any], layout: SpreadRows) -> None:
        """Lay out the arrays that are trained as the core wants them."""

    def core_run(self, model: VocabModel, corpus: EncodedCorpus, record: RunRecord) -> Run:
        """Return the core's run, for rows that are spread."""


ENGINES: dict[str, Engine] = {engine.name: engine for engine in (FastEngine(), ExactEngine())}


def engine_named(name: Any) -> Engine:
    """Return the engine; raise a ValueError if there is none of this name."""
    if name not in ENGINES:
        known = " or ".join(f'"{each}"' for each in ENGINES)
        raise ValueError(f"engine must be {known}, got {name!r}")
    return ENGINES[name]
