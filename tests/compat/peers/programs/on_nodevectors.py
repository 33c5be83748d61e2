"""What nodevectors does with gensim: walks on a graph, a model, vectors of nodes, files."""

import networkx as nx
import numpy as np
import pytest
from gensim.models import KeyedVectors
from nodevectors import Node2Vec

GRAPH = nx.barbell_graph(8, 0)  # two groups of which every member knows all


@pytest.fixture(scope="module")
def embedder():
    settings = {"min_count": 0, "window": 3, "epochs": 20, "sg": 1, "seed": 1}
    made = Node2Vec(n_components=8, walklen=10, epochs=100, threads=1, w2vparams=settings)
    made.fit(GRAPH)
    return made


def test_every_node_has_a_vector(embedder):
    for node in GRAPH.nodes:
        assert np.shape(embedder.predict(node)) == (8,)


def test_neighbours_are_nearer_than_strangers(embedder):
    wv = embedder.model.wv
    near = np.mean([wv.similarity("0", str(other)) for other in range(1, 7)])
    far = np.mean([wv.similarity("0", str(other)) for other in range(9, 16)])
    assert near > far


def test_files_of_vectors_are_word2vecs(embedder, tmp_path):
    embedder.save_vectors(str(tmp_path / "vectors.txt"))
    loaded = KeyedVectors.load_word2vec_format(str(tmp_path / "vectors.txt"))
    np.testing.assert_allclose(loaded["3"], embedder.predict(3), rtol=1e-5)


def test_a_saved_embedder_gives_the_same_vectors(embedder, tmp_path):
    embedder.save(str(tmp_path / "model"))
    again = Node2Vec.load(str(tmp_path / "model.zip"))
    for node in GRAPH.nodes:
        np.testing.assert_array_equal(again.predict(node), embedder.predict(node))
