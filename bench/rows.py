"""The rows of the table: what is timed, with which settings, and what is required of the ratio."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from bench.inputs import Inputs

if TYPE_CHECKING:
    from bench.options import Options

Arguments = dict[str, Any]

BASE: Arguments = {"window": 5, "sample": 1e-4, "min_count": 5}
_NS: Arguments = {**BASE, "hs": 0, "negative": 5}
_HS: Arguments = {**BASE, "hs": 1, "negative": 0}


@dataclass(frozen=True)
class Model:
    """A kind of training: its title and settings, and (required, aim) per number of workers."""

    title: str
    settings: Arguments
    goals: dict[int, tuple[float, float]]

    def goal(self, workers: int) -> tuple[float | None, float | None]:
        """Return what is required and aimed at; goals under 0 hold for any number of workers."""
        return self.goals.get(workers, self.goals.get(0, (None, None)))


MODELS = {
    "sg-ns-100": Model(
        "skip-gram ns, d = 100",
        {**_NS, "sg": 1, "vector_size": 100},
        {1: (10, 15), 2: (7, 10)},
    ),
    "sg-ns-300": Model("skip-gram ns, d = 300", {**_NS, "sg": 1, "vector_size": 300}, {1: (8, 12)}),
    "sg-hs-100": Model("skip-gram hs, d = 100", {**_HS, "sg": 1, "vector_size": 100}, {0: (5, 8)}),
    "cbow-ns-100": Model("CBOW ns, d = 100", {**_NS, "sg": 0, "vector_size": 100}, {0: (4, 6)}),
    "cbow-hs-100": Model("CBOW hs, d = 100", {**_HS, "sg": 0, "vector_size": 100}, {0: (4, 6)}),
}

_PHRASES = {
    "phrases-count": "Phrases, counting lists",
    "phrases-export": "Phrases, scoring all pairs",
    "phrases-join": "FrozenPhrases, joining lists",
}

NAMES = (
    *(*MODELS, "vocab", "lists-sg", "lists-cbow", *_PHRASES),
    *("queries", "load-text", "load-binary"),
)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    title: str
    job: str
    workers: int | None
    unit: str
    required: float | None
    aim: float | None
    # Makes the job's arguments for one seed; called late, since it may write the input files.
    arguments: Callable[[int], Arguments]


def rows(options: "Options", inputs: Inputs) -> Iterator[Row]:
    """Yield the rows that the options select."""
    for name, model in MODELS.items():
        for workers in options.workers:
            if options.wants(name, workers):
                yield _model_row(name, model, workers, options.epochs, inputs)
    for workers in options.workers:
        if options.wants("vocab", workers):
            yield Row(
                name="vocab",
                title="vocabulary from a file",
                job="vocabulary",
                workers=workers,
                unit="words/s",
                required=8,
                aim=20,
                arguments=partial(_vocabulary_arguments, inputs, workers),
            )
    yield from _list_rows(options, inputs)
    yield from _phrase_rows(options, inputs)
    yield from _vector_rows(options, inputs)


def _model_row(name: str, model: Model, workers: int, epochs: int, inputs: Inputs) -> Row:
    def arguments(seed: int) -> Arguments:
        return {
            "corpus": inputs.corpus(),
            "settings": {**model.settings, "workers": workers, "seed": seed},
            "epochs": epochs,
            "evaluation": inputs.evaluation,
        }

    required, aim = model.goal(workers)
    return Row(name, model.title, "train", workers, "words/s", required, aim, arguments)


def _vocabulary_arguments(inputs: Inputs, workers: int, seed: int) -> Arguments:
    settings = {**_NS, "vector_size": 100, "workers": workers, "seed": seed}
    return {"corpus": inputs.corpus(), "settings": settings}


def _list_rows(options: "Options", inputs: Inputs) -> Iterator[Row]:
    """Yield the rows of the constructor; its goals are for skip-gram, CBOW is shown beside."""

    def arguments(sg: int, seed: int) -> Arguments:
        return {
            "corpus": inputs.corpus(share=4),
            "settings": {**_NS, "sg": sg, "vector_size": 100, "seed": seed},
            "epochs": 5,
            "evaluation": inputs.evaluation,
        }

    if options.wants("lists-sg"):
        title = "list of token lists, 5 epochs, skip-gram ns"
        made = partial(arguments, 1)
        yield Row("lists-sg", title, "lists", None, "words/s", 12, 20, made)
    if options.wants("lists-cbow"):
        title = "list of token lists, 5 epochs, CBOW ns"
        made = partial(arguments, 0)
        yield Row("lists-cbow", title, "lists", None, "words/s", None, None, made)


def _phrase_rows(options: "Options", inputs: Inputs) -> Iterator[Row]:
    def arguments(part: str, seed: int) -> Arguments:
        del seed  # nothing is drawn
        return {"corpus": inputs.corpus(share=4), "part": part}

    for name, title in _PHRASES.items():
        if options.wants(name):
            made = partial(arguments, name.removeprefix("phrases-"))
            yield Row(name, title, "phrases", None, "words/s", 10, None, made)


def _vector_rows(options: "Options", inputs: Inputs) -> Iterator[Row]:
    size = f"{options.n_vectors // 1000}k x 100"

    def query_arguments(seed: int) -> Arguments:
        del seed  # both search the same vectors in every run
        return {"n_vectors": options.n_vectors, "dim": 100, "n_queries": 1000}

    def load_arguments(binary: bool, seed: int) -> Arguments:
        del seed
        return {"path": inputs.vectors(binary), "binary": binary}

    if options.wants("queries"):
        title = f"most_similar, 1,000 queries, {size}"
        yield Row("queries", title, "queries", None, "queries/s", 20, 40, query_arguments)
    if options.wants("load-text"):
        title, made = f"load word2vec text, {size}", partial(load_arguments, False)
        yield Row("load-text", title, "load", None, "rows/s", 10, None, made)
    if options.wants("load-binary"):
        title, made = f"load word2vec binary, {size}", partial(load_arguments, True)
        yield Row("load-binary", title, "load", None, "rows/s", 5, None, made)
