"""Inputs that once hung, filled the disk or kept a mark: pipes, devices, byte-order marks."""

import codecs
import contextlib
import gzip
import io
import os
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pyw2v import (
    CooccurrenceMatrix,
    KeyedVectors,
    Phrases,
    TextClassifier,
    Word2Vec,
)
from pyw2v.cli import main
from pyw2v.corpus.sentences import LineSentence, Text8Corpus
from pyw2v.io import fasttext_format, native

MARK = codecs.BOM_UTF8
SENTENCES = [["a", "b", "c"], ["b", "a"]] * 10

needs_fifo = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
needs_zeros = pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")


@contextlib.contextmanager
def piped(path, data):
    """A named pipe that another thread writes `data` to."""

    def write():
        with contextlib.suppress(BrokenPipeError), open(path, "wb") as file:
            file.write(data)

    os.mkfifo(path)
    writer = threading.Thread(target=write)
    writer.start()
    yield path
    writer.join()


# -- phrases -------------------------------------------------------------------------------------


def test_phrases_need_a_delimiter():
    with pytest.raises(ValueError, match="delimiter must be a text that is not empty, got ''"):
        Phrases(SENTENCES, delimiter="")
    phrases = Phrases(SENTENCES, min_count=1, threshold=0.1)
    phrases.delimiter = ""
    with pytest.raises(ValueError, match="delimiter must be"):
        phrases[["a", "b"]]
    frozen = Phrases(SENTENCES, min_count=1, threshold=0.1).freeze()
    frozen.delimiter = ""
    with pytest.raises(ValueError, match="delimiter must be"):
        frozen[["a", "b"]]


# -- pipes and devices ---------------------------------------------------------------------------


@needs_fifo
def test_cooccurrences_are_read_from_a_pipe(tmp_path):
    counts = CooccurrenceMatrix.from_corpus(SENTENCES, min_count=1)
    counts.save_glove_format(tmp_path / "records", tmp_path / "vocab")
    data = (tmp_path / "records").read_bytes()
    with piped(tmp_path / "pipe", data) as pipe:
        found = CooccurrenceMatrix.load_glove_format(pipe, tmp_path / "vocab")
    assert list(found) == list(counts)
    with (
        piped(tmp_path / "cut", data[:-1]) as pipe,
        pytest.raises(ValueError, match="ends within a record"),
    ):
        CooccurrenceMatrix.load_glove_format(pipe, tmp_path / "vocab")


@needs_zeros
def test_cooccurrences_of_a_device_without_end_are_refused(tmp_path):
    (tmp_path / "vocab").write_text("a 1\n")
    with pytest.raises(ValueError, match=r"^/dev/zero, byte 0: a record must have two ids"):
        CooccurrenceMatrix.load_glove_format("/dev/zero", tmp_path / "vocab")


@needs_zeros
def test_lines_of_words_and_numbers_have_an_end(tmp_path):
    (tmp_path / "records").write_bytes(b"")
    vectors = KeyedVectors(2)
    for read in (
        lambda path: CooccurrenceMatrix.load_glove_format(tmp_path / "records", path),
        vectors.evaluate_word_analogies,
        vectors.evaluate_word_pairs,
    ):
        with pytest.raises(ValueError, match="/dev/zero: line 1 does not end"):
            read("/dev/zero")


def test_a_vocabulary_of_cooccurrences_has_each_word_once(tmp_path):
    (tmp_path / "records").write_bytes(b"")
    (tmp_path / "vocab").write_text("a 1\nb 1\na 1\n")
    with pytest.raises(ValueError, match="vocab, byte 8: the word 'a' comes again"):
        CooccurrenceMatrix.load_glove_format(tmp_path / "records", tmp_path / "vocab")


@needs_zeros
@pytest.mark.parametrize("options", [{}, {"binary": True}, {"no_header": True}, {"binary": None}])
def test_vectors_of_a_device_without_end_are_refused(options):
    with pytest.raises(ValueError, match=r"^/dev/zero, byte 0: "):
        KeyedVectors.load_word2vec_format("/dev/zero", **options)


@needs_fifo
@pytest.mark.parametrize("binary", [False, True])
def test_vectors_from_a_pipe_without_end_are_read_as_far_as_the_first_line_says(tmp_path, binary):
    """The rows are there, whatever follows; a word or a line without an end is refused."""
    kv = KeyedVectors(3)
    kv.add_vectors(["a", "b"], np.eye(2, 3))
    kv.save_word2vec_format(tmp_path / "file", binary=binary)
    data = (tmp_path / "file").read_bytes() + b"\n"
    endless = b"\0" * (20 << 20)
    with piped(tmp_path / "pipe", data + endless) as pipe, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = KeyedVectors.load_word2vec_format(pipe, binary=binary)
    assert_array_equal(found.vectors, kv.vectors)
    lying = data.replace(b"2 3", b"9 3", 1)
    with (
        piped(tmp_path / "lying", lying + endless) as pipe,
        pytest.raises(ValueError, match="has no end"),
    ):
        KeyedVectors.load_word2vec_format(pipe, binary=binary)


def test_packed_vectors_are_checked_to_their_end(tmp_path, monkeypatch):
    monkeypatch.setattr("pyw2v.io.word2vec_format._FIRST_UNPACK_BYTES", 20)
    text = b"2 1\na 1\nb 2\n" + b"\n" * 3_000_000
    path = tmp_path / "v.gz"
    path.write_bytes(gzip.compress(text))
    assert KeyedVectors.load_word2vec_format(path).index_to_key == ["a", "b"]
    path.write_bytes(gzip.compress(text)[:-8] + b"\0" * 8)
    with pytest.raises(ValueError, match=r"v\.gz, near byte"):
        KeyedVectors.load_word2vec_format(path)
    path.write_bytes(gzip.compress(text + b"c 3\n"))
    with pytest.warns(UserWarning, match="goes on after the 2 rows"):
        KeyedVectors.load_word2vec_format(path)


# -- doubtful vectors ----------------------------------------------------------------------------


def test_numbers_that_are_not_finite_in_a_binary_file_are_warned_about_once(tmp_path):
    kv = KeyedVectors(2)
    kv.add_vectors(["a", "b", "c"], [[1, 2], [np.nan, 1], [np.inf, 1]])
    kv.save_word2vec_format(tmp_path / "v", binary=True)
    with pytest.warns(UserWarning, match="has 2 rows .* not finite, .* row 2, of 'b'") as caught:
        found = KeyedVectors.load_word2vec_format(tmp_path / "v", binary=True)
    assert len(caught) == 1
    assert_array_equal(found.vectors, kv.vectors)


def test_counts_that_a_vocabulary_has_twice_are_warned_about_and_the_first_kept(tmp_path):
    (tmp_path / "v").write_text("2 1\na 1\nb 2\n")
    (tmp_path / "vocab").write_text("a 5\nb 4\na 3\n")
    with pytest.warns(UserWarning, match="has 1 words more than once, for example 'a'"):
        kv = KeyedVectors.load_word2vec_format(tmp_path / "v", fvocab=tmp_path / "vocab")
    assert kv.get_vecattr("a", "count") == 5


# -- byte-order marks ----------------------------------------------------------------------------


def test_a_mark_is_no_part_of_the_first_word_of_a_corpus(tmp_path):
    text = MARK + b"the cat\nthe dog\n"
    path, packed = tmp_path / "text", tmp_path / "text.gz"
    path.write_bytes(text)
    packed.write_bytes(gzip.compress(text))
    words = {"the", "cat", "dog"}
    for source in (path, packed):
        assert list(LineSentence(source)) == [["the", "cat"], ["the", "dog"]]
        assert list(Text8Corpus(source)) == [["the", "cat", "the", "dog"]]
        model = Word2Vec(corpus_file=str(source), min_count=1, vector_size=2, epochs=1)
        assert set(model.wv.index_to_key) == words
        model = Word2Vec(LineSentence(source), min_count=1, vector_size=2, epochs=1)
        assert set(model.wv.index_to_key) == words
    assert list(LineSentence(io.StringIO(text.decode()))) == [["the", "cat"], ["the", "dog"]]


def test_the_engine_of_the_c_program_keeps_a_mark_as_that_does(tmp_path):
    (tmp_path / "text").write_bytes(MARK + b"the cat\n" * 3)
    model = Word2Vec(
        corpus_file=str(tmp_path / "text"),
        engine="word2vec.c",
        min_count=1,
        vector_size=2,
        workers=1,
        epochs=1,
    )
    assert "\ufeffthe" in model.wv.index_to_key


@pytest.mark.parametrize("text", ["2 1\nthe 1\ncat 2\n", "the 1\ncat 2\n"])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_mark_is_no_part_of_a_file_of_vectors(tmp_path, text, suffix):
    path, no_header = tmp_path / f"v{suffix}", not text.startswith("2")
    data = MARK + text.encode()
    path.write_bytes(gzip.compress(data) if suffix else data)
    for options in ({"no_header": no_header}, {"no_header": None, "binary": None}):
        kv = KeyedVectors.load_word2vec_format(path, **options)
        assert kv.index_to_key == ["the", "cat"]
        assert_array_equal(kv.vectors, [[1], [2]])


def test_a_mark_is_no_part_of_the_first_label_or_question(tmp_path):
    path = tmp_path / "train"
    path.write_bytes(MARK + b"__label__x good\n__label__y bad\n" * 20)
    model = TextClassifier(dim=4, epochs=5, lr=0.5, workers=1).fit(path)
    assert model.classes_.tolist() == ["x", "y"]
    assert b"\xef\xbb\xbfgood" not in model.data.words
    assert model.score(path) > 0.9
    kv = KeyedVectors(2)
    kv.add_vectors(["a", "b", "c", "d"], [[1, 0], [0, 1], [1, 0.1], [0.1, 1]])
    (tmp_path / "questions").write_bytes(MARK + b": first\na b c d\n")
    _, sections = kv.evaluate_word_analogies(tmp_path / "questions")
    assert sections[0]["section"] == "first"
    (tmp_path / "pairs").write_bytes(MARK + b"a\tb\t1\na\tc\t9\nb\td\t8\n")
    assert kv.evaluate_word_pairs(tmp_path / "pairs")[2] == 0.0


# -- the event log -------------------------------------------------------------------------------


def test_a_model_that_is_saved_again_and_again_does_not_grow(tmp_path):
    model = Word2Vec(SENTENCES, min_count=1, vector_size=2, epochs=1)
    first = model.lifecycle_events[0]
    for number in range(300):
        model.add_lifecycle_event("step", log_level=False, number=number)
    assert len(model.lifecycle_events) == 100
    assert model.lifecycle_events[0] == first
    assert [event["number"] for event in model.lifecycle_events[-90:]] == list(range(210, 300))
    model.save(tmp_path / "model")
    assert len(Word2Vec.load(tmp_path / "model").lifecycle_events) == 100


# -- pyw2v info ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def classifier():
    texts = [f"w{i} x{i % 7}" for i in range(300)]
    settings = {"dim": 4, "epochs": 1, "workers": 1, "min_n": 2, "max_n": 3, "bucket": 50}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return TextClassifier(**settings).fit(texts, ["a", "b", "c"] * 100)


def test_info_tells_of_classifiers_in_every_format(tmp_path, classifier, capsys):
    data = classifier.data
    fasttext_format.write(data.replace(input=np.asarray(data.input)), tmp_path / "c.bin")
    fasttext_format.write(classifier.quantize(cutoff=290).data, tmp_path / "c.ftz")
    classifier.save(tmp_path / "c.model")
    for name, words in (
        ("c.bin", "fastText (supervised)"),
        ("c.ftz", "quantised"),
        ("c.model", "TextClassifier"),
    ):
        assert main(["info", str(tmp_path / name)]) == 0
        out = capsys.readouterr().out
        assert words in out
        assert "3: __label__" in out
    assert main(["neighbors", str(tmp_path / "c.bin"), "w1"]) == 1
    assert "holds a classifier" in capsys.readouterr().err


def test_info_tells_of_pickles_and_refuses_what_it_cannot_read(tmp_path, capsys):
    (tmp_path / "odd").write_bytes(b"\x00\x01\x02")
    assert main(["info", str(tmp_path / "odd")]) == 1
    assert capsys.readouterr().err.startswith("pyw2v: error: ")


def test_info_shows_words_that_no_terminal_can(tmp_path, capsys):
    kv = KeyedVectors(1)
    kv.add_vectors(["a\x1b[2J", "b\n", "\udcff"], np.ones((3, 1)))
    kv.save(tmp_path / "kv")
    assert main(["info", str(tmp_path / "kv")]) == 0
    assert r"3: a\x1b[2J b\n \udcff" in capsys.readouterr().out


def test_info_verifies_checksums(tmp_path, capsys):
    path = tmp_path / "kv"
    kv = KeyedVectors(2)
    kv.add_vectors(["a"], np.ones((1, 2)))
    kv.save(path)
    assert main(["info", "--verify", str(path)]) == 0
    assert f"{native.load(path).checksum} (matches)" in capsys.readouterr().out
    data = bytearray(path.read_bytes())
    data[-2] ^= 4
    path.write_bytes(data)
    assert main(["info", str(path)]) == 0
    assert main(["info", "--verify", str(path)]) == 1
    assert "kv does not match its checksum: the file is damaged" in capsys.readouterr().err
    kv.save_word2vec_format(path)
    assert main(["info", "--verify", str(path)]) == 1
    assert "has no checksum to verify" in capsys.readouterr().err
    done = subprocess.run(
        [sys.executable, "-m", "pyw2v", "info", "--verify"], capture_output=True, check=False
    )
    assert done.returncode == 2
