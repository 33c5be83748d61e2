"""What compress-fasttext is for: smaller vectors of n-grams, saved and loaded."""

import compress_fasttext
import numpy as np
import pytest
from compress_fasttext.models import CompressedFastTextKeyedVectors
from gensim.models import FastText
from gensim.models.fasttext import FastTextKeyedVectors

LETTERS = "abcdefgh"
TEXTS = [
    [a + b + c for c in LETTERS] for a in LETTERS[:4] for b in LETTERS for _ in range(6)
]  # words that start alike stand together

METHODS = {
    "quantize_ft": {"qdim": 8, "centroids": 64},
    "svd_ft": {"n_components": 12},
    "prune_ft": {"new_vocab_size": 100, "new_ngrams_size": 400},
    "prune_ft_freq": {"new_vocab_size": 100, "new_ngrams_size": 400, "pq": False},
    "prune_ft_freq_pq": {"new_vocab_size": 100, "new_ngrams_size": 400, "qdim": 8, "centroids": 64},
}


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    settings = {"vector_size": 16, "min_count": 1, "bucket": 2000, "min_n": 2, "max_n": 4}
    model = FastText(TEXTS, epochs=20, workers=1, seed=1, sg=1, **settings)
    path = str(tmp_path_factory.mktemp("big") / "vectors")
    model.wv.save(path)
    return FastTextKeyedVectors.load(path)


@pytest.fixture(scope="module", params=METHODS)
def small(big, request):
    method = getattr(compress_fasttext, request.param.removesuffix("_pq"))
    return method(big, **METHODS[request.param])


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_vectors_of_words_stay_close(big, small):
    assert np.mean([cosine(big[word], small[word]) for word in big.index_to_key[:50]]) > 0.75


def test_unseen_words_have_vectors(small):
    assert small["abcabc"].shape == (16,)
    assert np.isfinite(small["abcabc"]).all()
    assert np.abs(small["abcabc"]).sum() > 0


def test_neighbours_are_found(small):
    word = small.index_to_key[0]
    found = [other for other, _ in small.most_similar(word, topn=5)]
    assert len(found) == 5
    assert word not in found


def test_a_file_gives_the_same_vectors(small, tmp_path):
    path = str(tmp_path / "small")
    small.save(path)
    again = CompressedFastTextKeyedVectors.load(path)
    assert type(again) is type(small)
    assert again.index_to_key == small.index_to_key
    for word in [*small.index_to_key[:20], "abcabc"]:
        np.testing.assert_allclose(again[word], small[word], rtol=1e-5)
    assert again.most_similar("abc")[0][0] == small.most_similar("abc")[0][0]
