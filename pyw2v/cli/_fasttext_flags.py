"""The flags of fastText's training commands, read and explained as its own program does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyw2v.cli._common import UsageError


@dataclass(frozen=True)
class Flag:
    """One flag: its type and default, the argument of `pyw2v.fasttext` it sets, its help."""

    name: str
    default: Any
    argument: str
    help: str
    supervised: Any = None  # the default of the command `supervised`, if it is another

    @property
    def is_switch(self) -> bool:
        """Whether the flag stands without a value."""
        return self.default is False

    def default_of(self, command: str) -> Any:
        """The default of a command."""
        if command == "supervised" and self.supervised is not None:
            return self.supervised
        return self.default

    def read(self, text: str) -> Any:
        """The value that a text stands for."""
        kind = type(self.default)
        try:
            return kind(text)
        except ValueError:
            noun = {int: "a whole number", float: "a number"}[kind]
            raise UsageError(f"-{self.name} must be {noun}, got {text!r}") from None


_MANDATORY = "\nThe following arguments are mandatory:"
_OPTIONAL = "\nThe following arguments are optional:"
_DICTIONARY = "\nThe following arguments for the dictionary are optional:"
_TRAINING = "\nThe following arguments for training are optional:"
_AUTOTUNE = "\nThe following arguments are for autotune:"
_QUANTIZATION = "\nThe following arguments for quantization are optional:"

SECTIONS: dict[str, tuple[Flag, ...]] = {
    _MANDATORY: (
        Flag("input", "", "input", "training file path"),
        Flag("output", "", "output", "output file path"),
    ),
    _OPTIONAL: (Flag("verbose", 2, "verbose", "verbosity level"),),
    _DICTIONARY: (
        Flag("minCount", 5, "minCount", "minimal number of word occurrences", 1),
        Flag("minCountLabel", 0, "minCountLabel", "minimal number of label occurrences"),
        Flag("wordNgrams", 1, "wordNgrams", "max length of word ngram"),
        Flag("bucket", 2_000_000, "bucket", "number of buckets"),
        Flag("minn", 3, "minn", "min length of char ngram", 0),
        Flag("maxn", 6, "maxn", "max length of char ngram", 0),
        Flag("t", 0.0001, "t", "sampling threshold"),
        Flag("label", "__label__", "label", "labels prefix"),
    ),
    _TRAINING: (
        Flag("lr", 0.05, "lr", "learning rate", 0.1),
        Flag(
            "lrUpdateRate", 100, "lrUpdateRate", "change the rate of updates for the learning rate"
        ),
        Flag("dim", 100, "dim", "size of word vectors"),
        Flag("ws", 5, "ws", "size of the context window"),
        Flag("epoch", 5, "epoch", "number of epochs"),
        Flag("neg", 5, "neg", "number of negatives sampled"),
        Flag("loss", "ns", "loss", "loss function {ns, hs, softmax, one-vs-all}", "softmax"),
        Flag(
            "thread",
            12,
            "thread",
            "number of threads (set to 1 to ensure reproducible results)",
        ),
        Flag(
            "pretrainedVectors",
            "",
            "pretrainedVectors",
            "pretrained word vectors for supervised learning",
        ),
        Flag("saveOutput", False, "saveOutput", "whether output params should be saved"),
        Flag("seed", 0, "seed", "random generator seed "),
    ),
    _AUTOTUNE: (
        Flag(
            "autotune-validation",
            "",
            "autotuneValidationFile",
            "validation file to be used for evaluation",
        ),
        Flag("autotune-metric", "f1", "autotuneMetric", "metric objective {f1, f1:labelname}"),
        Flag(
            "autotune-predictions",
            1,
            "autotunePredictions",
            "number of predictions used for evaluation ",
        ),
        Flag("autotune-duration", 300, "autotuneDuration", "maximum duration in seconds"),
        Flag("autotune-modelsize", "", "autotuneModelSize", "constraint model file size"),
    ),
    _QUANTIZATION: (
        Flag("cutoff", 0, "cutoff", "number of words and ngrams to retain"),
        Flag(
            "retrain", False, "retrain", "whether embeddings are finetuned if a cutoff is applied"
        ),
        Flag("qnorm", False, "qnorm", "whether the norm is quantized separately"),
        Flag("qout", False, "qout", "whether the classifier is quantized"),
        Flag("dsub", 2, "dsub", "size of each sub-vector"),
    ),
}
FLAGS = {flag.name: flag for flags in SECTIONS.values() for flag in flags}
_UNSHOWN = ("input", "output", "autotune-validation")  # have no default to show
QUANTIZE_ARGUMENTS = tuple(flag.argument for flag in SECTIONS[_QUANTIZATION])


def flags_help(command: str) -> str:
    """All flags with the defaults of a command."""
    lines = []
    for title, flags in SECTIONS.items():
        width = 31 if title == _AUTOTUNE else 19
        lines.append(title)
        for flag in flags:
            default = flag.default_of(command)
            if isinstance(default, bool):
                default = str(default).lower()
            shown = f" [{default}]" if flag.name not in _UNSHOWN else ""
            lines.append(f"  {'-' + flag.name:<{width}} {flag.help}{shown}")
    return "\n".join(lines) + "\n"


def read_flags(command: str, argv: list[str]) -> dict[str, Any]:
    """The values that were given, by argument. Raises UsageError."""
    help_text = flags_help(command)
    given: dict[str, Any] = {}
    rest = iter(argv)
    for token in rest:
        if not token.startswith("-"):
            raise UsageError(f"Provided argument without a dash! Usage:\n{help_text}")
        name = token[1:]
        if name == "h":
            raise UsageError(f"Here is the help! Usage:\n{help_text}")
        flag = FLAGS.get(name)
        if flag is None:
            raise UsageError(f"Unknown argument: {token}\n{help_text}")
        if flag.is_switch:
            given[flag.argument] = True
            continue
        value = next(rest, None)
        if value is None:
            raise UsageError(f"{token} is missing an argument\n{help_text}")
        given[flag.argument] = flag.read(value)
    if not given.get("input") or not given.get("output"):
        raise UsageError(f"Empty input or output path.\n{help_text}")
    return given
