"""The flags of GloVe's four tools, with the defaults that they really have."""

from __future__ import annotations

from typing import Any

from pyw2v.cli._common import UsageError
from pyw2v.cli._fasttext_flags import Flag

_VERBOSE = Flag("verbose", 2, "verbose", "0 prints nothing but errors")
_VOCABULARY = (
    Flag("max-vocab", 0, "max_vocab", "keep at most so many words, 0: all"),
    Flag("min-count", 1, "min_count", "ignore rarer words"),
)
_COUNTING = (
    Flag("symmetric", 1, "symmetric", "1: context to both sides, 0: to the left"),
    Flag("window-size", 15, "window", "words to each side"),
    Flag("distance-weighting", 1, "distance_weighting", "1: a word d away counts 1/d, 0: 1"),
)
_TRAINING = (
    Flag("vector-size", 50, "vector_size", "numbers of a vector"),
    Flag("threads", 8, "threads", "number of threads"),
    Flag("iter", 25, "iter", "number of training iterations"),
    Flag("eta", 0.05, "eta", "learning rate"),
    Flag("alpha", 0.75, "alpha", "exponent of the weighting function"),
    Flag("x-max", 100.0, "x_max", "cutoff of the weighting function"),
    Flag("grad-clip", 100.0, "grad_clip", "largest gradient"),
    Flag("exact", 0, "exact", "1: double precision, records in their order (our own flag)"),
    Flag("seed", 0, "seed", "random seed, 0: a new one each time"),
)
_SAVING = (
    Flag("write-header", 0, "write_header", "1: begin text with its rows and columns"),
    Flag("binary", 0, "binary", "0: text, 1: raw doubles, 2: both"),
    Flag(
        "model",
        2,
        "model",
        "text of 0: all parameters, 1: word vectors, 2: word + context, 3: word, context",
    ),
    Flag("save-file", "vectors", "save_file", "name of the vectors, without extension"),
    Flag("gradsq-file", "", "gradsq_file", "name of the gradient squares, turns -save-gradsq on"),
    Flag("save-gradsq", 0, "save_gradsq", "1: save gradient squares, too"),
    Flag("checkpoint-every", 0, "checkpoint_every", "also save after each so many iterations"),
)

TOOLS: dict[str, tuple[Flag, ...]] = {
    "vocab_count": (_VERBOSE, *_VOCABULARY),
    "cooccur": (
        _VERBOSE,
        *_COUNTING,
        Flag("vocab-file", "vocab.txt", "vocab_file", "vocabulary, made by vocab_count"),
        Flag("memory", 3.0, "memory", "GB of memory; more goes to temporary files"),
        Flag("max-product", 0, "max_product", "accepted, without effect"),
        Flag("overflow-length", 0, "overflow_length", "accepted, without effect"),
        Flag("overflow-file", "overflow", "overflow_file", "in whose folder temporary files go"),
    ),
    "shuffle": (
        _VERBOSE,
        Flag("memory", 2.0, "memory", "GB of memory; more goes to a temporary file"),
        Flag("array-size", 0, "array_size", "records held in memory, instead of -memory"),
        Flag("temp-file", "temp_shuffle", "temp_file", "in whose folder the temporary file goes"),
        Flag("seed", 0, "seed", "random seed, 0: a new one each time"),
    ),
    "glove": (
        _VERBOSE,
        *_TRAINING,
        *_SAVING,
        Flag("input-file", "cooccurrence.shuf.bin", "input_file", "records, made by shuffle"),
        Flag("vocab-file", "vocab.txt", "vocab_file", "vocabulary, made by vocab_count"),
        Flag("load-init-param", 0, "load_init_param", "1: start from -init-param-file"),
        Flag("save-init-param", 0, "save_init_param", "1: save the first parameters, too"),
        Flag("init-param-file", "vectors.000.bin", "init_param_file", "raw doubles to start from"),
        Flag("load-init-gradsq", 0, "load_init_gradsq", "1: start from -init-gradsq-file"),
        Flag("init-gradsq-file", "gradsq.000.bin", "init_gradsq_file", "gradient squares"),
    ),
    "train": (
        _VERBOSE,
        *_VOCABULARY,
        *_COUNTING,
        *_TRAINING,
        *_SAVING,
        Flag("memory", 0.0, "memory", "GB of memory, 0: half of what is free"),
        Flag("vocab-file", "", "vocab_file", "also write the vocabulary"),
    ),
}


def flags_help(tool: str) -> str:
    """All flags of a tool with their defaults."""
    lines = [f"usage: pyw2v glove {tool}{' CORPUS' if tool == 'train' else ''} [flags]", ""]
    for flag in TOOLS[tool]:
        shown = f" [{flag.default}]" if flag.default != "" else ""
        lines.append(f"  {'-' + flag.name:<20} {flag.help}{shown}")
    return "\n".join([*lines, ""])


def read_flags(tool: str, argv: list[str]) -> dict[str, Any]:
    """Return every flag's value by its argument. Raises UsageError."""
    flags = {flag.name: flag for flag in TOOLS[tool]}
    values = {flag.argument: flag.default for flag in TOOLS[tool]}
    rest = iter(argv)
    for token in rest:
        if token in ("-h", "-help", "--help"):
            raise UsageError(flags_help(tool))
        flag = flags.get(token[1:]) if token.startswith("-") else None
        if flag is None:
            raise UsageError(f"Unknown argument: {token}\n{flags_help(tool)}")
        value = next(rest, None)
        if value is None:
            raise UsageError(f"No argument given for {token}")
        values[flag.argument] = flag.read(value)
    return values
