"""What mol2vec does with gensim: a corpus of substructures, a model, vectors of molecules."""

import numpy as np
import pandas as pd
import pytest
from gensim.models import word2vec
from mol2vec import features
from rdkit import Chem

SMILES = ["CCO", "CCN", "CCCC", "c1ccccc1", "c1ccccc1O", "CC(=O)O", "CC(=O)N", "OCCO"] * 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mol2vec")


@pytest.fixture(scope="module")
def corpus(folder):
    path = folder / "molecules.smi"
    path.write_text("".join(f"{smiles}\t{i}\n" for i, smiles in enumerate(SMILES)))
    features.generate_corpus(str(path), str(folder / "corpus"), 1, sentence_type="alt")
    features.insert_unk(str(folder / "corpus"), str(folder / "corpus_unk"))
    return folder / "corpus_unk"


def sentences():
    molecules = [Chem.MolFromSmiles(smiles) for smiles in SMILES]
    return [features.MolSentence(features.mol2alt_sentence(m, 1)) for m in molecules]


@pytest.fixture(scope="module")
def model(folder):
    words = [sentence.sentence for sentence in sentences()]
    settings = {"vector_size": 20, "window": 10, "min_count": 3, "workers": 1, "sg": 1}
    trained = word2vec.Word2Vec([*words, ["UNK"] * 4] * 3, **settings)
    trained.save(str(folder / "model"))
    return word2vec.Word2Vec.load(str(folder / "model"))


def test_a_corpus_of_substructures_is_read_line_by_line(corpus):
    lines = list(word2vec.LineSentence(str(corpus)))
    assert len(lines) == len(SMILES)
    assert lines[0] == [str(word) for word in sentences()[0].sentence]


def test_words_have_vectors(model):
    word = sentences()[0].sentence[0]
    assert model.wv.word_vec(word).shape == (20,)
    assert word in model.wv.key_to_index


def test_a_molecule_is_the_sum_of_its_substructures(model):
    first = sentences()[0]
    vectors = features.sentences2vec([first], model, unseen="UNK")
    expected = sum(model.wv.get_vector(word) for word in first.sentence)
    np.testing.assert_allclose(features.DfVec(vectors[0]).vec, expected, rtol=1e-4, atol=1e-6)


def test_a_file_of_molecules_is_turned_into_vectors(model, corpus, folder):
    target = folder / "vectors.csv"
    features.featurize(str(folder / "molecules.smi"), str(target), str(folder / "model"), 1, "UNK")
    table = pd.read_csv(target)
    assert len(table) == len(SMILES)
    assert sum("mol2vec" in name for name in table.columns) == 20


def test_a_model_is_trained_on_a_file(corpus, folder):
    trained = features.train_word2vec_model(str(corpus), str(folder / "own"), vector_size=8)
    assert trained.wv.vectors.shape[1] == 8
    words = next(iter(word2vec.LineSentence(str(corpus))))
    assert words[0] in word2vec.Word2Vec.load(str(folder / "own")).wv.key_to_index


def test_vectors_of_features_make_a_table(model):
    keys = model.wv.index_to_key
    table = pd.DataFrame(np.vstack([model.wv[key] for key in keys]), index=keys)
    assert table.shape == (len(keys), 20)
    assert len(model.wv.most_similar(keys[0], topn=3)) == 3
