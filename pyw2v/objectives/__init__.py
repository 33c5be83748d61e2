"""Objectives: what a model compares its hidden vector with, and by which loss.

`make` turns the settings of a model into one frozen, checked object, or raises a ValueError that
names the setting. The objects say what state an objective needs; the core does the training.

| name | targets | input to the loss | loss |
| --- | --- | --- | --- |
| `ns` | the word, k drawn ones | s | logistic |
| `nce` | the word, k drawn ones | s - log Z - log Q | logistic |
| `sampled_logistic` | the word, k drawn ones but itself | s - log Q | logistic |
| `logistic` | all words | s | logistic |
| `sampled_softmax` | the word, k drawn ones but itself | s - log Q | softmax |
| `softmax` | all words | s | softmax, and self_norm * log(Z)^2 |
| `hs` | its path in the Huffman tree | s | logistic at each node |
| `class_softmax` | its class among classes, then it among the words of the class | s | softmaxes |
| `dsoftmax` | all words, rarer ones with narrower rows | s | softmax |

Q(w) is the expected count of a word among the k drawn ones, `Sampler.expected_counts`: k times its
probability, unless the sampler is unique.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pyw2v._shared.checks import check_float, check_int
from pyw2v.objectives.samplers import Sampler, Unigram, check_all_drawn, check_draws, check_sampler
from pyw2v.objectives.settings import DEFAULTS

__all__ = [
    "DEFAULTS",
    "OBJECTIVES",
    "ClassSoftmax",
    "DifferentiatedSoftmax",
    "FullLogistic",
    "FullSoftmax",
    "HierarchicalSoftmax",
    "Objective",
    "SampledObjective",
    "make",
]

NOISE_PER = ("window", "pair")
_MAX_DEPTH = 64  # of classes; a binary tree of all words that there can be is half as deep


@dataclass(frozen=True)
class Objective:
    """What all objectives share.

    Parameters
    ----------
    name : str
        One of `OBJECTIVES`.
    output_bias : bool
        Whether each output row has a number that is added to its score.

    Raises
    ------
    ValueError
        If `output_bias` is no bool, or the objective has no bias.
    """

    name: str
    output_bias: bool

    # The settings, besides output_bias, that mean something to this objective.
    settings: ClassVar[tuple[str, ...]] = ()

    # Whether each word has an output row in `syn1neg`.
    has_word_rows: ClassVar[bool] = True
    may_have_bias: ClassVar[bool] = True
    # What output_bias=None stands for.
    default_bias: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the settings that all objectives share."""
        if not isinstance(self.output_bias, bool | int) or self.output_bias not in (0, 1):
            raise ValueError(f"output_bias must be None, True or False, got {self.output_bias!r}")
        if self.output_bias and not self.may_have_bias:
            raise ValueError(
                f"objective {self.name!r} has no output bias: output_bias must be False, "
                f"got {self.output_bias!r}"
            )


@dataclass(frozen=True)
class SampledObjective(Objective):
    """The word against k drawn ones: ns, nce, sampled_logistic and sampled_softmax.

    Parameters
    ----------
    name : str
        One of these four.
    output_bias : bool
        Whether each word has a number that is added to its score.
    k : int
        How many words are drawn.
    sampler : Sampler
        From which distribution.
    remove_accidental_hits : bool
        Whether a drawn word that is the word itself is left out.
    noise_per : {"window", "pair"}
        What k words are drawn for: a window, or a pair of input and word.
    z : float or None
        The Z of nce; None is learnt. The others have 1.
    """

    k: int
    sampler: Sampler
    remove_accidental_hits: bool  # leave a drawn word out where it is the word itself
    noise_per: str  # what k words are drawn for: a "window", or a "pair" of input and word
    z: float | None  # of nce; None is learnt, and 1 what the others have

    settings = ("sampler", "remove_accidental_hits", "noise_per", "nce_z")

    @property
    def softmax(self) -> bool:
        """Whether the loss is a softmax, else logistic."""
        return self.name == "sampled_softmax"

    @property
    def corrected(self) -> bool:
        """Whether log Q is taken off the scores."""
        return self.name != "ns"

    @property
    def learns_z(self) -> bool:
        """Whether log Z is a parameter."""
        return self.z is None

    @property
    def classic(self) -> bool:
        """Whether this is classic negative sampling, as of `negative=k`, with code of its own."""
        return (
            self.name == "ns"
            and not self.output_bias
            and not self.sampler.unique
            and self.remove_accidental_hits
            and self.noise_per == "window"
        )


@dataclass(frozen=True)
class FullLogistic(Objective):
    """One-vs-all over the whole vocabulary.

    By default it has biases, which start at the log odds of each word. From scores of 0 it would
    have V errors of a half, all of one sign, where a softmax has errors that sum to 0: an input
    moves V / 2 times too far, and at the usual rates the weights grow without bound. From the log
    odds on, the errors of all words but the right one sum to about -1, whatever V is, and the rate
    that suits a softmax does.

    Parameters
    ----------
    name : str
        "logistic".
    output_bias : bool
        Whether each word has a number that is added to its score.
    """

    default_bias = True


@dataclass(frozen=True)
class FullSoftmax(Objective):
    """The softmax over the whole vocabulary.

    Parameters
    ----------
    name : str
        "softmax".
    output_bias : bool
        Whether each word has a number that is added to its score.
    self_norm : float
        The loss has self_norm * log(Z)^2 added, which keeps Z near 1.
    """

    self_norm: float

    settings = ("self_norm",)


@dataclass(frozen=True)
class HierarchicalSoftmax(Objective):
    """A Huffman tree of logistic decisions: the same as hs=1, negative=0.

    Parameters
    ----------
    name : str
        "hs".
    output_bias : bool
        False: it has none.
    """

    has_word_rows = False
    may_have_bias = False


@dataclass(frozen=True)
class ClassSoftmax(Objective):
    """A softmax over classes, then one over the words of the class.

    Parameters
    ----------
    name : str
        "class_softmax".
    output_bias : bool
        Whether each row has a number that is added to its score.
    classes : int, dict, sequence or None
        None for about sqrt(V) classes by frequency, an int for so many, or a class for each word: a
        dict or a sequence in the order of the vocabulary.
    depth : int
        How many levels there are, the words' own included.
    """

    classes: Any
    depth: int

    settings = ("classes", "class_depth")


@dataclass(frozen=True)
class DifferentiatedSoftmax(Objective):
    """The softmax with narrower output rows for rarer words; a row is zero beyond its width.

    Parameters
    ----------
    name : str
        "dsoftmax".
    output_bias : bool
        Whether each word has a number that is added to its score.
    bands : sequence of tuple or None
        Pairs (number of words, width) from the most frequent words on, widths falling. None for a
        sixteenth of the words at full width, three at half of it, twelve at a quarter.
    """

    bands: Any

    settings = ("bands",)


KINDS: dict[str, type[Objective]] = {
    "ns": SampledObjective,
    "nce": SampledObjective,
    "sampled_logistic": SampledObjective,
    "logistic": FullLogistic,
    "sampled_softmax": SampledObjective,
    "softmax": FullSoftmax,
    "hs": HierarchicalSoftmax,
    "class_softmax": ClassSoftmax,
    "dsoftmax": DifferentiatedSoftmax,
}
OBJECTIVES = tuple(KINDS)


def make(
    settings: dict[str, Any], *, hs: int = 0, negative: int = 5, ns_exponent: float = 0.75
) -> Objective | None:
    """Return the objective that some settings describe, checked.

    Parameters
    ----------
    settings : dict
        Any of those in `DEFAULTS`; those left out have their defaults.
    hs : int, default 0
        Must be 0 where an objective is named.
    negative : int, default 5
        How many words a sampled objective draws.
    ns_exponent : float, default 0.75
        Without a sampler it is ``Unigram(ns_exponent)``.

    Returns
    -------
    Objective or None
        None if `objective` is None.

    Raises
    ------
    ValueError
        If a setting is out of range, or has no effect on the objective and is not at its default.

    Examples
    --------
    >>> from pyw2v import objectives
    >>> objectives.make({"objective": "softmax", "self_norm": 0.1})
    FullSoftmax(name='softmax', output_bias=False, self_norm=0.1)
    """
    given = DEFAULTS | settings
    name = given["objective"]
    if name is None:
        _check_unused(given, (), "objective=None")
        return None
    if not isinstance(name, str) or name not in KINDS:
        raise ValueError(f"objective must be None or one of {', '.join(KINDS)}, got {name!r}")
    if hs:
        raise ValueError(f"hs must be left at 0 with objective={name!r}, got {hs!r}")
    used = ("output_bias", *KINDS[name].settings)
    if name in ("ns", "sampled_logistic", "sampled_softmax"):
        used = tuple(setting for setting in used if setting != "nce_z")
    _check_unused(given, used, f"objective={name!r}")
    if given["output_bias"] is None:
        given["output_bias"] = KINDS[name].default_bias
    if KINDS[name] is SampledObjective and given["sampler"] is None:
        given["sampler"] = Unigram(ns_exponent)
    return _maker(name, given, negative)


def _maker(name: str, given: dict[str, Any], negative: int) -> Objective:
    bias = given["output_bias"]
    kind = KINDS[name]
    if kind is SampledObjective:
        return _sampled(name, given, negative)
    if kind is FullSoftmax:
        self_norm = check_float("self_norm", given["self_norm"], minimum=0.0)
        return FullSoftmax(name, bias, self_norm)
    if kind is ClassSoftmax:
        depth = check_int("class_depth", given["class_depth"], minimum=2)
        check_int("class_depth", depth, maximum=_MAX_DEPTH)
        return ClassSoftmax(name, bias, given["classes"], depth)
    if kind is DifferentiatedSoftmax:
        return DifferentiatedSoftmax(name, bias, given["bands"])
    return kind(name, bias)


def _sampled(name: str, given: dict[str, Any], negative: int) -> SampledObjective:
    k = check_int("negative", negative)
    if k < 1:
        raise ValueError(f"negative must be at least 1 with objective={name!r}, got {k}")
    sampler = check_sampler(given["sampler"])
    hits = given["remove_accidental_hits"]
    if hits not in (None, False, True):
        raise ValueError(f"remove_accidental_hits must be None, True or False, got {hits!r}")
    if given["noise_per"] not in NOISE_PER:
        raise ValueError(f'noise_per must be "window" or "pair", got {given["noise_per"]!r}')
    # As they were defined: NCE tells data from noise, and a hit is noise; the others leave it out.
    removed = name != "nce" if hits is None else bool(hits)
    return SampledObjective(
        name, given["output_bias"], k, sampler, removed, given["noise_per"], _z(given["nce_z"])
    )


def _z(nce_z: Any) -> float | None:
    if isinstance(nce_z, str):
        if nce_z != "learned":
            raise ValueError(f'nce_z must be a positive number or "learned", got {nce_z!r}')
        return None
    return check_float("nce_z", nce_z, minimum=0.0, exclusive=True)


def _check_unused(given: dict[str, Any], used: tuple[str, ...], with_what: str) -> None:
    for setting, default in DEFAULTS.items():
        value = given[setting]
        if setting == "objective" or setting in used:
            continue
        if setting == "output_bias" and value is False:  # there is no bias anyway
            continue
        same = isinstance(value, bool | int | float | str) and value == default
        if value is not default and not same:
            raise ValueError(f"{setting} has no effect with {with_what}, got {value!r}")


def check_words(objective: SampledObjective, counts: Any, words: Any = None) -> None:
    """Raise a ValueError where a vocabulary of these counts does not allow the objective."""
    p = objective.sampler.probabilities(counts, words)
    check_draws(objective.k, int((p > 0).sum()), objective.sampler.unique)
    if objective.corrected:
        reason = f"objective={objective.name!r} takes log Q off every score"
        check_all_drawn(p, words, reason)
