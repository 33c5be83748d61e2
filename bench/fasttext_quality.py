"""Quality of fastText's models over seeds: `pyw2v.fasttext` beside the fasttext package.

fasttext trains with ten threads here: with fewer it leaves part of its first weights unset.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pyw2v
from bench import corpus, process
from bench.classifiers import LETTERS, PEERS, THEIR_NAMES, WORDS, peer, plain_data
from bench.errors import BenchError
from bench.inputs import Inputs
from bench.store import Store
from bench.table import Table, note

_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
_EPOCHS = 5
_PEERS_THREADS = 10
_ENGLISH = {
    "ws353": "EN-WS-353-ALL.txt",
    "men": "EN-MEN-TR-3k.txt",
    "rw": "EN-RW-STANFORD.txt",
}
_GERMAN = {"gur350": "de/DE_GUR350.txt"}
_LABELLED: dict[str, dict[str, int]] = {
    **dict.fromkeys(("imdb", "20news", "agnews10k", "reuters90"), WORDS),
    "langid75": LETTERS,
}
# How far below fasttext's mean ours may lie, in points and in correlations.
_POINTS, _CORRELATION = 0.3, 0.0


def judge_words(library: str, corpus: str, model: str, seed: int, tests: dict[str, str]) -> Any:
    """Train word vectors and correlate them with people's judgements: a job for bench.job.

    Words that the model has never seen are composed, so that every pair counts.
    """
    settings: dict[str, Any] = {"model": model, "dim": 100, "epoch": _EPOCHS, "verbose": 0}
    if library == "pyw2v":
        module = peer("pyw2v.fasttext")
        trained = module.train_unsupervised(corpus, **settings, thread=2, seed=seed)
    else:
        module = peer(library)
        _set_seed(module, seed)
        trained = module.train_unsupervised(corpus, **settings, thread=_PEERS_THREADS)
    result = {}
    for name, path in tests.items():
        lines = Path(path).read_text(encoding="utf8").lower().splitlines()
        pairs = [line.split()[:2] for line in lines]
        words = sorted({word for pair in pairs for word in pair})
        kv = pyw2v.KeyedVectors(100)
        kv.add_vectors(words, [trained.get_word_vector(word) for word in words])
        spearman = kv.evaluate_word_pairs(path, delimiter=None, restrict_vocab=None)[1]
        result[name] = float(spearman[0])
    return result


def _set_seed(module: Any, seed: int) -> None:
    """Let fasttext train word vectors from this seed: it has one, but takes none by its call."""
    build = module.FastText._build_args

    def build_with_seed(*arguments: Any) -> Any:
        made = build(*arguments)
        made.seed = seed
        return made

    module.FastText._build_args = build_with_seed


def judge_labels(library: str, train: str, test: str, settings: dict[str, int], seed: int) -> Any:
    """Train a classifier and return its precision at 1, in points: a job for bench.job."""
    module = peer("pyw2v.fasttext" if library == "pyw2v" else library)
    theirs = {THEIR_NAMES[name]: value for name, value in settings.items()}
    threads = 1 if library == "pyw2v" else _PEERS_THREADS
    model = module.train_supervised(
        train, epoch=_EPOCHS, lr=0.5, thread=threads, seed=seed, verbose=0, **theirs
    )
    return {"precision": 100 * float(model.test(test)[1])}


def _words(language: str, inputs: Inputs, repeat: int, store: Store) -> None:
    tests = _ENGLISH if language == "en" else _GERMAN
    text = inputs.corpus()
    if language == "de":
        folder = inputs.folder / "de"
        folder.mkdir(exist_ok=True)
        text = str(corpus.prefix(_DATA / "corpus-de.txt.xz", None, folder))
    files = {name: str(_DATA / "eval" / file) for name, file in tests.items()}
    for model in ("skipgram", "cbow"):
        print(f"\n## ft-quality-{language}: {model}, {_EPOCHS} epochs, unseen words composed\n")
        arguments = {"corpus": text, "model": model, "tests": files}
        runs = _runs("judge_words", repeat, arguments)
        _table(f"{language} {model}", runs, list(tests), _CORRELATION, store)


def _labels(inputs: Inputs, repeat: int, store: Store) -> None:
    print(f"\n## ft-quality-labels: precision at 1, {_EPOCHS} epochs\n")
    runs: dict[str, list[dict[str, float]]] = {library: [] for library in PEERS}
    for name, settings in _LABELLED.items():
        train, test = (
            plain_data(inputs.folder, f"{name}.{part}.txt") for part in ("train", "test")
        )
        arguments = {"train": train, "test": test, "settings": settings}
        for library, done in _runs("judge_labels", repeat, arguments).items():
            for index, run in enumerate(done):
                if index == len(runs[library]):
                    runs[library].append({})
                runs[library][index][name] = run["precision"]
    _table("labels", runs, list(_LABELLED), _POINTS, store)


def _runs(job: str, repeat: int, arguments: dict[str, Any]) -> dict[str, list[dict[str, float]]]:
    runs: dict[str, list[dict[str, float]]] = {library: [] for library in PEERS}
    for index in range(repeat):
        for library in PEERS:
            try:
                run = process.run(job, library=library, seed=index + 1, **arguments)
            except BenchError as error:
                if library == "pyw2v":
                    raise
                note(f"{job}: without the peer: {error}")
                continue
            note(f"{job}, seed {index + 1}, {library}: {run}")
            runs[library].append(run)
    return runs


def _table(
    name: str,
    runs: dict[str, list[dict[str, float]]],
    tests: list[str],
    tolerance: float,
    store: Store,
) -> None:
    table = Table(("test", *PEERS, "difference", "met"), (10, 16, 16, 6, 3))
    for test in tests:
        values = {library: [run[test] for run in done] for library, done in runs.items()}
        store.put_row("ft-quality", f"{name} {test}", dict(values))
        means = {library: fmean(some) for library, some in values.items() if some}
        gap = means["pyw2v"] - means["fasttext"] if len(means) == 2 else None
        table.add(
            [
                test,
                *(_spread(values[library]) for library in PEERS),
                "-" if gap is None else f"{gap:+.3f}",
                "-" if gap is None else "yes" if gap >= -tolerance else "NO",
            ]
        )


def _spread(values: list[float]) -> str:
    if not values:
        return "-"
    return f"{fmean(values):.3f} +- {stdev(values) if len(values) > 1 else 0:.3f}"


SECTIONS: dict[str, Callable[[Inputs, int, Store], None]] = {
    "ft-quality-en": partial(_words, "en"),
    "ft-quality-de": partial(_words, "de"),
    "ft-quality-labels": _labels,
}
