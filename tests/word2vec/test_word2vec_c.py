"""The exact engine against files of word2vec.c itself, and against a plain Python twin of it."""

import hashlib
import itertools
from pathlib import Path

import numpy as np
import pytest
import word2vec_c_twin as twin
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from pyw2v import Word2Vec
from pyw2v._core import word2vec_c
from pyw2v._core.runs import ExactRun
from pyw2v.cli import main
from pyw2v.word2vec.exact import arrange, count_file, encode_file, read_vocab, save_vocab

DATA = Path(__file__).parents[1] / "data" / "word2vec-c"
RUNS = dict(line.split(": ", 1) for line in (DATA / "RUNS.txt").read_text().splitlines())
SUMS = {
    name.removesuffix(".bin"): digest
    for digest, name in map(str.split, (DATA / "SHA256SUMS").read_text().splitlines())
}

# One character words collide often; the long one is cut; the others straddle what splits words.
TEXT_PARTS = st.sampled_from(
    [b"a", b"b", b"c", b"dd", b"</s>", b"e\r", b"\xff\xfe", b"x" * 120, b"a\vb", b"\xc3\xa4"]
)
SEPARATORS = st.sampled_from([b" ", b"\n", b"\r\n", b"\t", b"\n\n", b"  ", b" \n "])
TEXTS = st.lists(st.tuples(TEXT_PARTS, SEPARATORS), max_size=60).flatmap(
    lambda pairs: st.sampled_from(
        [b"".join(a + b for a, b in pairs), b"".join(a + b for a, b in pairs) + b"end"]
    )
)
PHRASE_WORDS = st.sampled_from([b"a", b"b", b"c", b"d_e", b"a_b", b"l" * 70, b"m" * 40])
SETTINGS = st.fixed_dictionaries(
    {
        "cbow": st.booleans(),
        "hs": st.booleans(),
        "negative": st.sampled_from([1, 3]),
        "window": st.integers(1, 4),
        "size": st.integers(1, 5),
        "sample": st.sampled_from([0.0, 1e-3, 0.1]),
        "alpha": st.sampled_from([0.025, 0.05, 2.0]),
        "epochs": st.integers(1, 2),
        "min_count": st.integers(1, 3),
    }
)


def exact_model(source, *, cbow, size, hs=False, **options):
    sentences = {"corpus_file": source} if isinstance(source, Path) else {"sentences": source}
    return Word2Vec(
        **sentences, sg=int(not cbow), hs=int(hs), vector_size=size, engine="word2vec.c", **options
    )


@pytest.mark.parametrize("name", RUNS)
def test_exact_runs_write_the_files_of_word2vec_c(name, tmp_path, capfd):
    output = tmp_path / "vectors.bin"
    argv = ["-train", str(DATA / "corpus.txt"), "-output", str(output), *RUNS[name].split()]
    assert main(["word2vec", "--exact", *argv]) == 0
    assert hashlib.sha256(output.read_bytes()).hexdigest() == SUMS[name]
    stored = DATA / f"{name}.bin"
    if stored.exists():
        assert output.read_bytes() == stored.read_bytes()
    out = capfd.readouterr().out
    assert out.startswith(f"Starting training using file {DATA / 'corpus.txt'}\nVocab size: ")


def test_the_engine_of_the_class_gives_the_bytes_of_word2vec_c():
    model = exact_model(
        DATA / "corpus.txt", cbow=True, hs=True, negative=0, size=16, alpha=0.05, epochs=1
    )
    _, _, rows = (DATA / "cbow-hs.bin").read_bytes().partition(b"\n")
    for word, vector in zip(model.wv.index_to_key, model.wv.vectors, strict=True):
        start = word.encode() + b" "
        assert rows.startswith(start)
        assert rows[len(start) : len(start) + 64] == vector.tobytes()
        rows = rows[len(start) + 65 :]
    assert rows == b""


@settings(max_examples=60, deadline=None)
@given(text=TEXTS, options=SETTINGS)
def test_training_equals_the_twin_bit_for_bit(tmp_path_factory, text, options):
    path = tmp_path_factory.mktemp("c") / "text.txt"
    path.write_bytes(text)
    expected = twin.Twin(text, **options)
    if not any(expected.tokens):
        return  # nothing to train on is an error here
    model = exact_model(path, **options)
    words = [word.encode("utf-8", "surrogateescape") for word in model.wv.index_to_key]
    assert words == list(expected.words)
    assert model.wv.expandos["count"].tolist() == list(expected.counts)
    assert_array_equal(model.wv.vectors, expected.train())


def test_alpha_falls_and_long_sentences_are_cut_as_in_the_twin(tmp_path):
    # Beyond 10000 words the rate changes in the middle of a sentence; one has over 1000 words.
    rng = np.random.default_rng(5)
    words = rng.integers(0, 30, 11_300)
    lines = [*np.split(words[:10_200], 680), words[10_200:]]
    text = b"".join(b" ".join(b"w%d" % w for w in line) + b"\n" for line in lines)
    options = {
        "cbow": True,
        "hs": False,
        "negative": 1,
        "size": 2,
        "window": 1,
        "sample": 0.0,
        "alpha": 0.05,
        "epochs": 1,
    }
    path = tmp_path / "text.txt"
    path.write_bytes(text)
    expected = twin.Twin(text, min_count=1, **options)
    assert_array_equal(
        exact_model(path, min_count=1, **options).wv.vectors, expected.train(), strict=True
    )
    assert expected.alpha < np.float32(0.05)


def test_only_the_first_epoch_trains(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(b"a b c d e\nb c a e d\n" * 20)
    options = {"cbow": False, "negative": 2, "size": 4, "min_count": 1, "sample": 0.0}
    once, often = (exact_model(path, epochs=n, **options) for n in (1, 7))
    assert_array_equal(once.wv.vectors, often.wv.vectors)


def test_lists_of_words_train_like_the_lines_of_a_file(tmp_path):
    sentences = [["a", "b", "c"], [], ["b", "a", "c", "a"], ["c", "b"]] * 10
    path = tmp_path / "text.txt"
    path.write_text("".join(" ".join(words) + "\n" for words in sentences))
    options = {"cbow": True, "negative": 3, "size": 7, "min_count": 1, "window": 2}
    from_file = exact_model(path, **options)
    from_list = exact_model(sentences, **options)
    from_generator = exact_model(iter(sentences), **options)
    assert from_file.wv.index_to_key == from_list.wv.index_to_key == ["</s>", "a", "b", "c"]
    assert_array_equal(from_file.wv.vectors, from_list.wv.vectors)
    assert_array_equal(from_file.wv.vectors, from_generator.wv.vectors)


def test_building_and_training_apart_give_what_the_constructor_gives(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(b"a b c d e\nb c a e d\n" * 20)
    options = {"sg": 1, "vector_size": 5, "min_count": 1, "engine": "word2vec.c"}
    model = Word2Vec(**options)
    model.build_vocab(corpus_file=path)
    model.train(corpus_file=path, total_examples=model.corpus_count, epochs=model.epochs)
    assert_array_equal(model.wv.vectors, Word2Vec(corpus_file=path, **options).wv.vectors)


def test_saved_models_keep_their_engine(tmp_path):
    model = exact_model([["a", "b"]] * 9, cbow=True, size=3, min_count=1)
    model.save(tmp_path / "model")
    assert Word2Vec.load(tmp_path / "model").engine == "word2vec.c"


@pytest.mark.parametrize(
    "options",
    [
        {"ns_exponent": 0.5},
        {"cbow_mean": 0},
        {"shrink_windows": False},
        {"null_word": 1},
        {"objective": "nce"},
    ],
)
def test_settings_that_word2vec_c_lacks_are_refused_by_name(options):
    (name,) = options
    with pytest.raises(ValueError, match=name):
        Word2Vec(engine="word2vec.c", **options)


def test_unknown_engines_are_refused():
    with pytest.raises(ValueError, match="engine must be"):
        Word2Vec(engine="gpu")


def test_trim_rules_and_growth_are_refused():
    with pytest.raises(ValueError, match="trim_rule"):
        Word2Vec([["a", "b"]], trim_rule=lambda *_: 2, engine="word2vec.c")
    model = exact_model([["a", "b"]] * 9, cbow=True, size=3, min_count=1)
    with pytest.raises(ValueError, match="update"):
        model.build_vocab([["c"]], update=True)
    with pytest.raises(ValueError, match="counts"):
        model.build_vocab_from_freq({"a": 5})


def test_diverging_training_is_an_error_and_no_crash():
    with pytest.raises(FloatingPointError, match="diverged"):
        exact_model([["a", "b", "c"]] * 200, cbow=True, size=3, min_count=1, alpha=1e30, sample=0)


def test_text_of_sentence_ends_only_is_an_error(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(b"\n\n\nlost")
    with pytest.raises(ValueError, match="corpus is empty"):
        Word2Vec(corpus_file=path, engine="word2vec.c", min_count=1)


@given(text=TEXTS, max_words=st.integers(1, 6), cuts=st.lists(st.integers(0, 200), max_size=4))
def test_counts_equal_the_twin_however_the_text_is_cut(text, max_words, cuts):
    counter = word2vec_c.WordCounter(max_words)
    edges = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    for begin, end in itertools.pairwise(edges):
        counter.add(text[begin:end])
    words, counts = counter.result()
    assert list(zip(words, counts.tolist(), strict=True)) == twin.count(text, max_words)


def test_vocabulary_files_are_read_as_written(tmp_path):
    text = tmp_path / "text.txt"
    text.write_bytes(b"b a \xff a\nb b c\r\n\nlost")
    vocabulary = arrange(count_file(text), min_count=1)
    path = tmp_path / "vocab.txt"
    save_vocab(path, vocabulary)
    assert path.read_bytes() == b"</s> 3\nb 3\na 2\n\xff 1\nc 1\n"
    again = arrange(read_vocab(path), min_count=2)
    assert again.words == ["</s>", "b", "a"]
    assert again.counts.tolist() == [3, 3, 2]


@pytest.mark.parametrize("line", ["word", "word many", "two words 5", "word -1"])
def test_lines_of_vocabulary_files_that_are_no_entries_are_named(tmp_path, line):
    path = tmp_path / "vocab.txt"
    path.write_text(f"</s> 0\n{line}\n")
    with pytest.raises(ValueError, match=r"vocab\.txt, line 2"):
        read_vocab(path)


def test_the_fast_engine_loses_no_last_line(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(b"a b\nb a")
    vocabulary = arrange(count_file(path, with_last_line=True), min_count=1)
    assert vocabulary.counts.tolist() == [2, 2, 2]
    encoded = encode_file(path, vocabulary, exact=False)
    assert encoded.tokens.tolist() == [1, 2, 2, 1]
    assert encoded.ends.tolist() == [2, 4]
    exact = encode_file(path, vocabulary, exact=True)
    assert exact.tokens.tolist() == [1, 2, 0, 2]


@settings(deadline=None)
@given(
    st.integers(1, 40),
    st.integers(1, 5),
    st.integers(1, 7),
    st.integers(0, 2**32 - 1),
)
def test_classes_equal_the_twin(n_rows, dim, n_classes, seed):
    rows = np.random.default_rng(seed).normal(size=(n_rows, dim)).astype(np.float32)
    found = word2vec_c.classes(rows, n_classes)
    assert found.tolist() == twin.classes(rows, n_classes)


def test_classes_need_a_number_above_zero():
    with pytest.raises(ValueError, match="n_classes must be at least 1, got 0"):
        word2vec_c.classes(np.zeros((2, 2), np.float32), 0)


@given(
    st.lists(st.tuples(PHRASE_WORDS, SEPARATORS), max_size=60),
    st.integers(0, 4),
    st.sampled_from([0.0, 0.5, 2.0, 10.0]),
)
def test_phrases_equal_the_twin(words, min_count, threshold):
    text = b"".join(a + b for a, b in words)
    counter = word2vec_c.PhraseCounter()
    counter.add(text[:50])
    counter.add(text[50:])
    counter.finish(min_count)
    joiner = word2vec_c.PhraseJoiner(counter, min_count, threshold)
    output = joiner.add(text[:33]) + joiner.add(text[33:])
    found = (output, counter.vocab_size, counter.n_words)
    assert found == twin.phrases(text, min_count, threshold)
    assert joiner.finish() == b""


@pytest.mark.parametrize("n_rows", [1, 15, 16, 17, 40])
def test_cosines_are_summed_term_by_term(n_rows):
    matrix = np.random.default_rng(n_rows).normal(size=(n_rows, 19)).astype("f4")
    rows = word2vec_c.Rows(matrix)
    for i, row in enumerate(matrix):
        length = np.float32(np.sqrt(float(twin.dot(row, row))))
        assert_array_equal(rows.row(i), row / length)
    vector = matrix[0] * np.float32(0.3)
    expected = [twin.dot(vector, rows.row(i)) for i in range(n_rows)]
    assert_array_equal(rows.dots(vector), np.array(expected))


def test_training_stops_on_request():
    tokens = np.tile(np.array([1, 2, 3, 2, 1, 3, 0], np.int32), 1_000_000)
    matrices = {name: np.zeros((4, 200), np.float32) for name in ("syn0", "syn1neg")}
    trainer = ExactRun(
        tokens=tokens,
        counts=np.array([1, 2, 2, 2], np.int64) * 1_000_000,
        **matrices,
        cbow=False,
        negative=5,
        window=5,
        epochs=1,
        alpha=0.025,
        sample=0.0,
    )
    trainer.start(0)
    assert not trainer.wait(0.01)
    trainer.stop()
    assert 0 <= trainer.finish().words_trained < len(tokens) / 2


def test_ctrl_c_ends_exact_training(monkeypatch):
    def interrupt(self, done, note=""):
        if note:  # not while the corpus is read
            assert done < 1_400_000
            raise KeyboardInterrupt

    sentences = [["a", "b", "c", "b", "a", "c"]] * 200_000
    options = {"vector_size": 200, "min_count": 1, "sample": 0, "engine": "word2vec.c"}
    model = Word2Vec(**options)
    model.build_vocab(sentences)
    monkeypatch.setattr("pyw2v.progress.Progress.update", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.train(sentences, total_examples=model.corpus_count, epochs=1)
    monkeypatch.undo()
    assert np.isfinite(model.wv.vectors).all()


def test_a_count_beyond_64_bits_is_refused(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("a 1\nb 9223372036854775808\n")
    with pytest.raises(ValueError, match=r"vocab\.txt, line 2"):
        read_vocab(path)
