"""Classes of words for the class-based softmax, the tree above them, and bands of row widths.

A class softmax decides for a class, then for a word of it; deeper ones decide for classes of
classes first. All words lie equally deep. The layout is that of csrc/kernel_data/full_model.h.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyw2v._shared.checks import check_int

Ids = NDArray[np.int32]


class ClassTree(NamedTuple):
    """What `_core.full_output` takes: group 0 is the root's, group 1 + k that of node k."""

    depth: int
    n_inner: int  # groups whose members are nodes, which come first; those of others are words
    offsets: NDArray[np.int64]
    members: Ids
    path_groups: Ids  # `depth` of them for each word
    path_places: Ids

    @property
    def n_nodes(self) -> int:
        """How many nodes there are, the root not counted."""
        return len(self.offsets) - 2


def assign(classes: Any, words: Sequence[Any], counts: NDArray[Any], depth: int) -> Ids:
    """Return the class of each word, numbered from 0 without gaps.

    `classes`: None or a number of them for classes by frequency, V ** ((depth - 1) / depth) by
    default, which is sqrt(V) for two levels; or the user's: a dict, or a sequence in the order of
    the vocabulary.

    By frequency, from the most frequent words on, all classes have the same share of the square
    roots of counts. Of all such cuts this makes the class that a word is compared with smallest on
    average, sum of mass * size over classes; equal shares of the counts themselves (Mikolov et al.
    2011) make it four times as large for 60,000 words.
    """
    n_words = len(words)
    if classes is None:
        return _binned(_roots(counts), max(1, round(n_words ** ((depth - 1) / depth))))
    if isinstance(classes, Mapping):
        return _numbered((classes.get(word) for word in words), words)
    if isinstance(classes, str):
        raise TypeError(f"classes must be a number, a dict or a sequence, got {classes!r}")
    if isinstance(classes, Iterable):
        given = list(classes)
        if len(given) != n_words:
            raise ValueError(
                f"classes must name a class for each of the {n_words} words, got {len(given)}"
            )
        return _numbered(given, words)
    return _binned(_roots(counts), check_int("classes", classes, minimum=1, maximum=n_words))


def extended(class_of: Ids, classes: Any, words: Sequence[Any]) -> Ids:
    """Return the classes of a vocabulary that has grown.

    New words get the class that the user's dict names, which must exist; otherwise the class of the
    last word so far, the rarest.
    """
    n_old = len(class_of)
    if len(words) == n_old:
        return class_of
    last = int(class_of[-1])
    new = np.full(len(words) - n_old, last, np.int32)
    if isinstance(classes, Mapping):
        known = {classes[word]: int(at) for word, at in zip(words, class_of, strict=False)}
        for i, word in enumerate(words[n_old:]):
            if classes.get(word) not in known:
                raise ValueError(
                    f"classes must name one of the classes there are for the new word {word!r}, "
                    f"got {classes.get(word)!r}"
                )
            new[i] = known[classes[word]]
    return np.concatenate([class_of, new])


def tree(class_of: Ids, depth: int) -> ClassTree:
    """Return the tree of `depth` levels: the words, their classes, classes of those and so on.

    Above the classes, neighbours share a parent, as many as give nodes of all levels about the same
    number of children: classes of equal shares make parents of equal shares. So the tree depends on
    the classes only, not on counts, which change when a model learns more words.
    """
    parents = _parents(class_of, depth)
    # Children of every node, level by level; a level's nodes are numbered behind those above it.
    offsets, members = [np.zeros(1, np.int64)], []
    n_above = 0
    for level, parent in enumerate(parents):
        order = np.argsort(parent, kind="stable").astype(np.int32)
        sizes = np.bincount(parent, minlength=int(parent.max()) + 1)
        offsets.append(offsets[-1][-1] + np.cumsum(sizes, dtype=np.int64))
        members.append(order + np.int32(n_above if level < depth - 1 else 0))
        n_above += len(parent)
    all_offsets = np.concatenate(offsets)
    n_inner = sum(len(part) for part in offsets[1:-1])
    groups, places = _paths(parents, depth)
    return ClassTree(depth, n_inner, all_offsets, np.concatenate(members), groups, places)


def _parents(class_of: Ids, depth: int) -> list[Ids]:
    """Return the parent of each node within the level above, for all levels from the top."""
    parents = [class_of]
    n_nodes = int(class_of.max()) + 1
    for level in range(depth - 2, 0, -1):
        n_above = max(1, round(n_nodes ** (level / (level + 1))))
        parents.insert(0, (np.arange(n_nodes) * n_above // n_nodes).astype(np.int32))
        n_nodes = n_above
    return [np.zeros(n_nodes, np.int32), *parents]


def _paths(parents: list[Ids], depth: int) -> tuple[Ids, Ids]:
    n_words = len(parents[-1])
    groups, places = np.empty((2, n_words, depth), np.int32)
    node: NDArray[Any] = np.arange(n_words)
    for level in range(depth - 1, -1, -1):
        parent = parents[level]
        first_group = sum(len(level_above) for level_above in parents[: level - 1]) + 1
        order = np.argsort(parent, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(parent))])
        place = np.empty(len(parent), np.int64)
        place[order] = np.arange(len(parent)) - starts[parent[order]]
        groups[:, level] = parent[node] + (first_group if level else 0)
        places[:, level] = place[node]
        node = parent[node]
    return groups.ravel(), places.ravel()


def _roots(counts: NDArray[Any]) -> NDArray[np.float64]:
    return np.sqrt(np.asarray(counts, np.float64))


def _binned(mass: NDArray[Any], n_bins: int) -> Ids:
    """Cut things into at most n_bins runs of about equal mass, numbered without gaps.

    From the heaviest on; equals in their order.
    """
    order = np.argsort(-np.asarray(mass, np.float64), kind="stable")
    sorted_mass = np.asarray(mass, np.float64)[order]
    before = np.cumsum(sorted_mass) - sorted_mass
    bins = np.minimum(n_bins - 1, (before / max(sorted_mass.sum(), 1e-300) * n_bins).astype(int))
    result = np.empty(len(order), np.int32)
    result[order] = np.unique(bins, return_inverse=True)[1]
    return result


def _numbered(names: Iterable[Any], words: Sequence[Any]) -> Ids:
    """Number the classes that are named for words; None and NaN are the lack of a name."""
    numbers: dict[Any, int] = {}
    class_of = np.empty(len(words), np.int32)
    for i, (name, word) in enumerate(zip(names, words, strict=True)):
        if name is None or name != name:  # noqa: PLR0124 (NaN)
            raise ValueError(f"classes must name a class for every word, got {name} for {word!r}")
        class_of[i] = numbers.setdefault(name, len(numbers))
    return class_of


def bands(given: Any, n_words: int, dim: int) -> tuple[Ids, Ids]:
    """Return where each band of words ends, and its width.

    `given`: pairs (number of words, width) from the first word of the vocabulary on, whose widths
    fall; None for a sixteenth of the words at the full width, three at half and the other twelve
    sixteenths at a quarter of it.
    """
    if given is None:
        shares = (n_words / 16, n_words / 4, n_words)
        ends = np.maximum.accumulate([max(1, round(share)) for share in shares])
        widths = [max(1, dim // part) for part in (1, 2, 4)]
        first = np.unique(ends, return_index=True)[1]
        return ends[first].astype(np.int32), np.array(widths, np.int32)[first]
    try:
        pairs = [(int(n), int(width)) for n, width in given]
    except (TypeError, ValueError):
        raise ValueError(f"bands must be pairs (number of words, width), got {given!r}") from None
    sizes = [n for n, _ in pairs]
    widths = [width for _, width in pairs]
    if not pairs or min(sizes) < 1 or sum(sizes) != n_words:
        raise ValueError(
            f"bands must have at least one word each and {n_words}, the vocabulary, in all, got "
            f"{given!r}"
        )
    if any(b >= a for a, b in itertools.pairwise(widths)):
        raise ValueError(f"the widths of bands must fall, got {widths}")
    if widths[-1] < 1 or widths[0] > dim:
        raise ValueError(f"the widths of bands must be from 1 to {dim}, vector_size, got {widths}")
    return np.cumsum(sizes).astype(np.int32), np.array(widths, np.int32)
