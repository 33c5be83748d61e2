"""The settings of Word2Vec, in the order of gensim's constructor, then our own.

To add one: declare it here, run `python tools/write_settings.py`, and use `model.<name>`. It is
then an argument and a typed attribute of `Word2Vec` and `FastText`, checked, documented, saved and
loaded; with a `Flag`, an option of `pyw2v train`, too.
"""

from __future__ import annotations

from pyw2v import objectives
from pyw2v._runs import arguments
from pyw2v._shared import rules
from pyw2v._shared.settings import Flag, Setting, Table
from pyw2v.objectives.settings import SETTINGS as OBJECTIVE_SETTINGS

MAX_WORDS_IN_BATCH = 10000
MAX_INT = 2**30  # the core counts in 32 bits, and needs room for sums

_MAX_NEGATIVE = 2**20  # words drawn at a time, which workers have room for
_MAX_POWER = 16.0  # of a count: any larger than that may be infinite

# A drop-in must have these names and defaults, in this order.
_GENSIMS = (
    arguments.SENTENCES,
    arguments.CORPUS_FILE,
    Setting(
        "vector_size",
        "int",
        100,
        "Numbers per vector.",
        rules.between(1, MAX_INT),
        flag=Flag(("--vector-size", "--dim"), "numbers per vector"),
    ),
    Setting(
        "alpha",
        "float",
        0.025,
        "The learning rate, which falls linearly to `min_alpha` over all epochs.",
        rules.real(0.0, exclusive=True),
        also=("learning_rate",),
        flag=Flag(("--learning-rate", "--alpha"), "learning rate"),
    ),
    Setting(
        "window",
        "int",
        5,
        "The farthest context word, to each side.",
        rules.between(1, MAX_INT),
        flag=Flag(("--window",), "words to each side"),
    ),
    Setting(
        "min_count",
        "int",
        5,
        "Rarer words are ignored.",
        rules.integer(0),
        flag=Flag(("--min-count",), "ignore rarer words", group="vocabulary"),
    ),
    Setting(
        "max_vocab_size",
        "int | None",
        None,
        "Raise `min_count` until about so many words are left: words as frequent as the last one "
        "stay, too.",
        rules.optional(rules.integer(1)),
    ),
    Setting(
        "sample",
        "float",
        1e-3,
        "Frequent words are dropped at random above this share of the corpus (a count if at least "
        "1); 0 keeps all.",
        rules.all_of(rules.real(0.0), rules.real(maximum=2.0**62)),
        flag=Flag(
            ("--sample",),
            "drop some of the words more frequent than this share, 0: none",
            group="vocabulary",
        ),
    ),
    Setting(
        "seed",
        "int | None",
        1,
        "With one worker a run repeats bit for bit; None draws a new seed each time.",
        # NumPy's RandomState, which gensim exposes as model.random, takes no larger seed.
        rules.optional(rules.between(0, 2**32 - 1)),
        flag=Flag(("--seed",), "of all random draws", group="running"),
    ),
    arguments.WORKERS._replace(
        default=3,
        flag=Flag(
            ("--workers",), "threads", group="running", default=-1, default_text="every core"
        ),
    ),
    Setting(
        "min_alpha",
        "float",
        0.0001,
        "The learning rate at the end.",
        rules.real(0.0),
        also=("min_learning_rate",),
        flag=Flag(("--min-learning-rate", "--min-alpha"), "learning rate at the end"),
    ),
    Setting(
        "sg",
        "int",
        0,
        "1 trains skip-gram, 0 CBOW.",
        rules.bit,
        flag=Flag(("--model",), "skip-gram or CBOW", choices={"sg": 1, "cbow": 0}),
    ),
    Setting(
        "hs",
        "int",
        0,
        "1 trains hierarchical softmax.",
        rules.bit,
        flag=Flag(("--hs",), "hierarchical softmax", switch=1),
    ),
    Setting(
        "negative",
        "int",
        5,
        "Negative samples, 0 for none.",
        rules.integer(0, _MAX_NEGATIVE),
        flag=Flag(
            ("--negative",), "negative samples", default=None, default_text="5, or 0 with --hs"
        ),
    ),
    Setting(
        "ns_exponent",
        "float",
        0.75,
        "Negative samples are drawn in proportion to count ** `ns_exponent`.",
        rules.real(-_MAX_POWER, _MAX_POWER),
        flag=Flag(("--ns-exponent",), "draw negative samples by count ** X"),
    ),
    Setting(
        "cbow_mean",
        "int",
        1,
        "CBOW trains the mean of the context vectors with 1, their sum with 0.",
        rules.bit,
        flag=Flag(("--cbow-sum",), "sum the context vectors instead of averaging", switch=0),
    ),
    Setting(
        "hashfxn",
        "Callable[[Any], int]",
        hash,
        "Accepted, without effect.",
        stored=False,  # code is no part of a file
    ),
    Setting(
        "epochs",
        "int",
        5,
        "Passes over the corpus.",
        rules.between(1, MAX_INT),
        flag=Flag(("--epochs",), "passes over the corpus"),
    ),
    Setting(
        "null_word",
        "int",
        0,
        "1 gives the vocabulary gensim's padding word, which stands for no word.",
        rules.bit,
    ),
    Setting(
        "trim_rule",
        "TrimRule | None",
        None,
        "`trim_rule(word, count, min_count)` decides word by word which ones are kept.",
        kept=False,
    ),
    Setting(
        "sorted_vocab",
        "int",
        1,
        "1 sorts the vocabulary by falling count, 0 leaves it in the order of first sight.",
        rules.bit,
    ),
    Setting(
        "batch_words",
        "int",
        MAX_WORDS_IN_BATCH,
        "Accepted, without effect.",
        rules.integer(1),
    ),
    Setting(
        "compute_loss",
        "bool",
        False,
        "Accepted, without effect: `track_loss` says whether there is a loss.",
        rules.truth,
        stored=rules.optional(rules.flag),
    ),
    arguments.CALLBACKS,
    Setting("comment", "str | None", None, "A note, which is saved with the model."),
    Setting(
        "max_final_vocab",
        "int | None",
        None,
        "Raise `min_count` until at most so many words are left.",
        rules.optional(rules.integer(1)),
        flag=Flag(
            ("--max-final-vocab", "--max-vocab"),
            "keep at most the N most frequent words",
            group="vocabulary",
        ),
    ),
    Setting(
        "shrink_windows",
        "bool",
        True,
        "Draw the size of each window from 1..`window`; False always takes all of it.",
        rules.truth,
        stored=rules.flag,
        flag=Flag(("--fixed-window",), "always the whole window, not a random part", switch=False),
    ),
)

_OBJECTIVE_FLAG = Flag(
    ("--objective",),
    "another output layer, with --negative drawn words if it draws any",
    choices={name: name for name in objectives.OBJECTIVES},
)

_OUR_OWN = (
    Setting(
        "cbow_grad",
        "str",
        "sum",
        '"sum" is the historical gradient of CBOW (each context word gets the whole error), "mean" '
        "the corrected one, divided by their number.",
        rules.either("sum", "mean"),
        keyword=True,
    ),
    *(
        setting._replace(flag=_OBJECTIVE_FLAG) if setting.name == "objective" else setting
        for setting in OBJECTIVE_SETTINGS
    ),
    arguments.PROGRESS,
    Setting(
        "max_memory",
        "int | None",
        None,
        "Bytes of encoded corpus to hold in memory; more goes to a temporary file.",
        rules.optional(rules.integer(0)),
        keyword=True,
    ),
    Setting(
        "track_loss",
        "bool",
        True,
        "Sum up the loss, which costs next to nothing: `loss_history` has the exact mean loss per "
        "example of every epoch that this model ever trained (NaN for one that sub-sampling left "
        "without any), `get_latest_training_loss()` the sum over the last call.",
        rules.truth,
        stored=rules.flag,
        keyword=True,
    ),
    Setting(
        "engine",
        "str",
        "fast",
        '"word2vec.c" gives the vectors of the C program run with one thread, bit for bit and as '
        "slowly, its faults included: of several epochs it trains only the first. Its vocabulary "
        'starts with "</s>", and a `corpus_file` is read as it reads files. `workers`, `seed`, '
        "`min_alpha` and losses have no part in it; mind that its CBOW starts at `alpha=0.05`.",
        keyword=True,  # pyw2v.word2vec.engines has their names, and checks
        since="0.1.0",
    ),
    arguments.CHECKPOINT,
    arguments.CHECKPOINT_EVERY,
)

WORD2VEC = Table((*(setting._replace(peer="gensim") for setting in _GENSIMS), *_OUR_OWN))
