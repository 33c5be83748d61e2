"""Settings and arguments that models share: the corpus, threads, hooks, progress, checkpoints."""

from __future__ import annotations

from pyw2v._runs.checkpoint import EVERY
from pyw2v._shared import rules
from pyw2v._shared.settings import Setting

SENTENCES = Setting(
    "sentences",
    "Any",
    None,
    "What to train on: lists of tokens, a `pathlib.Path`, arrays, data frames: see "
    "`pyw2v.corpus.scan`. It is read once, so that one-shot generators work. None makes a model "
    "without words, to be trained later.",
    kept=False,
)
CORPUS_FILE = Setting(
    "corpus_file",
    "StrPath | None",
    None,
    "The path of a text in place of `sentences`: one sentence per line, tokens separated by white "
    "space.",
    kept=False,
)
WORKERS = Setting(
    "workers",
    "int",
    -1,
    "Threads; 0 or less stands for every core.",
    rules.whole,
)
CALLBACKS = Setting(
    "callbacks",
    "Iterable[Any]",
    (),
    "Objects whose hooks are called between epochs, see `pyw2v.callbacks`.",
    kept=False,
)
PROGRESS = Setting(
    "progress",
    "bool | None",
    False,
    "True shows a progress bar (tqdm if it is installed), None only on a terminal.",
    rules.progress,
    keyword=True,
)
# Of models that also take a `Progress` of the caller's own, which files cannot hold.
OWN_PROGRESS = PROGRESS._replace(
    type="bool | Progress | None",
    rule=rules.anything,
    stored=rules.optional(rules.flag),
    help=PROGRESS.help + " A `pyw2v.progress.Progress` is called instead.",
)
CHECKPOINT = Setting(
    "checkpoint",
    "StrPath | None",
    None,
    "A folder for checkpoints, of which the last two stay; `resume` goes on from them after a "
    "crash or a kill. They take the memory of the matrices once more.",
    kept=False,
    keyword=True,
)
CHECKPOINT_EVERY = Setting(
    "checkpoint_every",
    "str | int",
    EVERY,
    'The distance between checkpoints: a time ("30s", "10m", "2h") or a number of epochs.',
    kept=False,
    keyword=True,
)
