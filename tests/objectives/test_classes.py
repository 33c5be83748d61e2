"""Classes of words, the trees above them, and bands of widths."""

import numpy as np
import pytest

from pyw2v.objectives import classes as _classes

COUNTS = np.array([50, 20, 10, 5, 5, 4, 3, 2, 1], np.int64)
WORDS = list("abcdefghi")


def test_default_classes_are_the_square_root_of_the_vocabulary():
    counts = np.full(10_000, 3)
    assert _classes.assign(None, range(10_000), counts, 2).max() + 1 == 100
    assert _classes.assign(None, range(10_000), counts, 4).max() + 1 == 1000


def test_classes_have_about_equal_shares_of_the_roots_of_counts():
    counts = np.sort(np.random.default_rng(1).zipf(1.5, 5000) % 1000 + 1)[::-1]
    class_of = _classes.assign(20, range(5000), counts, 2)
    share = np.bincount(class_of, weights=np.sqrt(counts)) / np.sqrt(counts).sum()
    assert len(share) == 20
    assert abs(share - 1 / 20).max() <= np.sqrt(counts.max()) / np.sqrt(counts).sum() + 1e-9


def test_words_are_compared_with_fewer_others_than_by_any_other_power_of_counts():
    counts = (1e8 / np.arange(1, 50_001)).astype(np.int64)

    def mean_class(class_of):
        sizes = np.bincount(class_of)
        return (sizes[class_of] * counts).sum() / counts.sum()

    ours = mean_class(_classes.assign(None, range(len(counts)), counts, 2))
    by_power = {
        power: mean_class(_classes._binned(counts**power, 224)) for power in (0.0, 0.4, 0.6, 0.8, 1)
    }
    assert ours < min(by_power.values())
    assert by_power[1] > 2 * ours


def test_classes_too_fine_for_a_frequent_word_have_no_gaps():
    class_of = _classes.assign(8, WORDS, COUNTS, 2)
    assert sorted(set(class_of)) == list(range(class_of.max() + 1))
    assert list(class_of).count(class_of[0]) == 1  # half of all tokens: a class of its own


@pytest.mark.parametrize("classes", [dict(zip(WORDS, "xyxyxyzzz", strict=True)), list("xyxyxyzzz")])
def test_the_users_classes_are_kept(classes):
    assert _classes.assign(classes, WORDS, COUNTS, 2).tolist() == [0, 1, 0, 1, 0, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ({"a": 1}, "every word, got None for 'b'"),
        (dict.fromkeys(WORDS, 1) | {"c": None}, "every word, got None for 'c'"),
        ([1.0] * 8 + [np.nan], "every word, got nan for 'i'"),
        ([1, 2], "each of the 9 words, got 2"),
        (0, "at least|between"),
        (10, "between 1 and 9"),
    ],
)
def test_classes_that_miss_words_are_refused(classes, message):
    with pytest.raises(ValueError, match=message):
        _classes.assign(classes, WORDS, COUNTS, 2)


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_paths_lead_to_their_words(depth, rng):
    class_of = rng.permutation(np.arange(200) % 30).astype(np.int32)
    tree = _classes.tree(class_of, depth)
    groups = tree.path_groups.reshape(-1, depth)
    places = tree.path_places.reshape(-1, depth)
    for word in range(200):
        node = -1  # the root
        for level in range(depth):
            assert groups[word, level] == node + 1
            at = tree.offsets[groups[word, level]] + places[word, level]
            node = tree.members[at]
            assert (groups[word, level] < tree.n_inner) == (level < depth - 1)
        assert node == word
    same = class_of[:, np.newaxis] == class_of
    assert np.array_equal(groups[:, -1][:, np.newaxis] == groups[:, -1], same)


def test_deeper_trees_have_even_levels():
    tree = _classes.tree(np.arange(2500, dtype=np.int32) // 10, 3)  # 250 classes
    sizes = np.diff(tree.offsets)
    assert tree.offsets[1] == 16  # about the root of 250
    assert 15 <= sizes[1 : tree.n_inner].min() <= sizes[1 : tree.n_inner].max() <= 16


def test_new_words_join_the_classes_there_are():
    class_of = np.array([0, 1, 1], np.int32)
    assert _classes.extended(class_of, None, list("abcde")).tolist() == [0, 1, 1, 1, 1]
    names = dict(zip("abcde", "xyyxy", strict=True))
    assert _classes.extended(class_of, names, list("abcde")).tolist() == [0, 1, 1, 0, 1]
    with pytest.raises(ValueError, match="new word 'e', got 'z'"):
        _classes.extended(class_of, names | {"e": "z"}, list("abcde"))


def test_default_bands_fall_by_halves():
    ends, widths = _classes.bands(None, 1600, 100)
    assert ends.tolist() == [100, 400, 1600]
    assert widths.tolist() == [100, 50, 25]
    ends, widths = _classes.bands(None, 2, 1)
    assert ends[-1] == 2
    assert widths.min() == 1


@pytest.mark.parametrize(
    ("bands", "message"),
    [
        ([(5, 8), (3, 4)], "9, the vocabulary"),
        ([(5, 4), (4, 4)], "must fall"),
        ([(5, 9), (4, 4)], "from 1 to 8"),
        ([(9, 0)], "from 1 to 8"),
        ([(0, 8), (9, 4)], "at least one word"),
        ([], "at least one word"),
        ([3], "pairs"),
        (7, "pairs"),
    ],
)
def test_bands_that_do_not_fit_are_refused(bands, message):
    with pytest.raises(ValueError, match=message):
        _classes.bands(bands, 9, 8)
