"""Word ids given anew: what a scan read becomes what a model trains on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyw2v.corpus import scan


@given(st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=8), st.data())
def test_remap_renumbers_drops_and_moves_the_ends(sentences, data):
    found = scan(sentences)
    new_ids = data.draw(st.lists(st.integers(-1, 9), min_size=6, max_size=6))
    lookup = dict(enumerate(new_ids))
    expected = [[lookup[w] for w in sentence if lookup[w] >= 0] for sentence in sentences]
    corpus = found.remap(np.array([lookup[word] for word in found.words], np.int32))
    assert corpus is found.corpus
    assert corpus.tokens.tolist() == [word for sentence in expected for word in sentence]
    assert corpus.ends.tolist() == np.cumsum([0, *map(len, expected)])[1:].tolist()
    assert corpus.n_raw_words == sum(map(len, sentences))
    with pytest.raises(RuntimeError, match="already been remapped"):
        found.remap(np.zeros(len(found.words), np.int32))


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("max_memory", [None, 1000])
def test_remap_of_a_large_corpus_by_several_threads(workers, max_memory):
    rng = np.random.default_rng(2)
    values = rng.integers(0, 1000, 2_000_000)
    offsets = np.unique(np.append(rng.integers(0, len(values), 50_000), [0, len(values)]))
    found = scan((values, offsets), workers=workers, max_memory=max_memory)
    assert found.corpus.spilled == (max_memory is not None)
    keep = np.array([word % 3 > 0 for word in found.words])
    corpus = found.remap(np.where(keep, np.array(found.words), -1).astype(np.int32))
    kept = values % 3 > 0
    assert np.array_equal(corpus.tokens, values[kept])
    assert np.array_equal(corpus.ends, np.append(0, np.cumsum(kept))[offsets[1:]])


def test_remap_wants_one_id_a_word():
    with pytest.raises(ValueError, match=r"one id for each of 2 words, got shape \(3,\)"):
        scan([["a", "b"]]).remap(np.zeros(3, np.int32))
