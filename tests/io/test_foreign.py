"""A file in another format than its reader's: the error says what it is and who reads it."""

import gzip

import numpy as np
import pytest

from pyw2v import FastText, GloVe, KeyedVectors, Phrases, TextClassifier, Word2Vec
from pyw2v import fasttext as fasttext_module
from pyw2v.fasttext_model import load_facebook_vectors, save_facebook_model

CORPUS = [["a", "b", "c"]] * 10
SETTINGS = {"vector_size": 4, "min_count": 1, "epochs": 1, "workers": 1}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("foreign")
    model = FastText(CORPUS, bucket=20, **SETTINGS)
    save_facebook_model(model, folder / "fasttext")
    wv = KeyedVectors(4)
    wv.add_vectors(["a", "b"], np.random.default_rng(0).normal(size=(2, 4)))
    wv.save(folder / "native")
    wv.save_word2vec_format(folder / "text")
    wv.save_word2vec_format(folder / "binary", binary=True)
    wv.save_word2vec_format(folder / "glove", write_header=False)
    wide = KeyedVectors(1000)
    wide.add_vectors(["a", "b"], np.random.default_rng(0).normal(size=(2, 1000)))
    wide.save_word2vec_format(folder / "wide text")
    wide.save_word2vec_format(folder / "wide binary", binary=True)
    wide.save_word2vec_format(folder / "wide glove", write_header=False)
    (folder / "text.gz").write_bytes(gzip.compress((folder / "text").read_bytes()))
    (folder / "prose").write_text("this is a text of no format that anyone knows\n" * 9)
    return folder


WORD2VEC_TEXT = r"word2vec's text format: KeyedVectors.load_word2vec_format\(path\)"
WORD2VEC_BINARY = (
    r"word2vec's binary format: KeyedVectors.load_word2vec_format\(path, binary=True\)"
)
GLOVE = r"GloVe's text format: KeyedVectors.load_word2vec_format\(path, no_header=True\)"
FASTTEXT = "fastText model: load_facebook_vectors"

LOADERS = {
    "KeyedVectors": KeyedVectors.load,
    "Word2Vec": Word2Vec.load,
    "FastText": FastText.load,
    "GloVe": GloVe.load,
    "TextClassifier": TextClassifier.load,
    "Phrases": Phrases.load,
}


@pytest.mark.parametrize("load", LOADERS.values(), ids=LOADERS)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("text", WORD2VEC_TEXT),
        ("text.gz", WORD2VEC_TEXT),
        ("wide text", WORD2VEC_TEXT),
        ("binary", WORD2VEC_BINARY),
        ("wide binary", WORD2VEC_BINARY),
        ("glove", GLOVE),
        ("wide glove", GLOVE),
        ("fasttext", FASTTEXT),
    ],
)
def test_load_names_the_reader_of_other_formats(files, load, name, message):
    with pytest.raises(ValueError, match=message):
        load(files / name)


def test_an_open_file_is_recognised_too(files):
    with open(files / "text", "rb") as file, pytest.raises(ValueError, match=WORD2VEC_TEXT):
        KeyedVectors.load(file)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("native", {}, "pyw2v's own format"),
        ("native", {"binary": True}, "pyw2v's own format"),
        ("fasttext", {}, FASTTEXT),
        ("fasttext", {"binary": True}, FASTTEXT),
        ("binary", {}, WORD2VEC_BINARY),
        ("text", {"binary": True}, WORD2VEC_TEXT),
        ("glove", {}, "give no_header=True"),
    ],
)
def test_load_word2vec_format_names_the_reader_of_other_formats(files, name, options, message):
    with pytest.raises(ValueError, match=message):
        KeyedVectors.load_word2vec_format(files / name, **options)


@pytest.mark.parametrize("load", [load_facebook_vectors, fasttext_module.load_model])
@pytest.mark.parametrize(
    ("name", "message"),
    [("text", WORD2VEC_TEXT), ("binary", WORD2VEC_BINARY), ("native", "pyw2v's own format")],
)
def test_readers_of_fasttext_name_the_reader_of_other_formats(files, load, name, message):
    with pytest.raises(ValueError, match=message):
        load(str(files / name))


def test_nothing_is_guessed_of_an_unknown_file(files):
    with pytest.raises(ValueError, match=r"no safetensors file$"):
        KeyedVectors.load(files / "prose")


@pytest.mark.parametrize("name", ["text", "binary", "glove", "wide text", "wide binary"])
def test_the_named_reader_reads_it(files, name):
    options = {"binary": "binary" in name, "no_header": "glove" in name}
    kv = KeyedVectors.load_word2vec_format(files / name, **options)
    assert kv.index_to_key == ["a", "b"]


@pytest.mark.parametrize("number", [1.0, 1e-3])
def test_binary_rows_without_blanks_are_no_text(tmp_path, number):
    path = tmp_path / "file"
    kv = KeyedVectors(2000)
    kv.add_vectors(["a", "b"], np.full((2, 2000), number))
    kv.save_word2vec_format(path, binary=True)
    assert KeyedVectors.load_word2vec_format(path, binary=True).index_to_key == ["a", "b"]


def test_bytes_without_blanks_are_no_format(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"\x7f" * 9000)
    with pytest.raises(ValueError, match=r"no safetensors file$"):
        KeyedVectors.load(path)
