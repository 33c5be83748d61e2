import array
import gc
import itertools
import os
import re
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyw2v.corpus import LineSentence, encode, ids_in, scan

SENTENCES = [["to", "be", "or"], [], ["not", "to", "be"], ["é", "be"]]
WORDS = ["to", "be", "or", "not", "é"]
COUNTS = [2, 3, 1, 1, 1]
INTEGERS = [[7, 9, 2], [], [4, 7, 9], [0, 9]]


def decoded(found):
    """The sentences a scan read."""
    words = [found.words[i] for i in found.corpus.tokens]
    ends = found.corpus.ends.tolist()
    return [words[a:b] for a, b in zip([0, *ends], ends, strict=False)]


def assert_scanned(found, sentences):
    assert decoded(found) == sentences
    corpus, flat = found.corpus, [word for sentence in sentences for word in sentence]
    assert list(found.words) == list(dict.fromkeys(flat))
    assert [type(word) for word in found.words] == [type(w) for w in dict.fromkeys(flat)]
    assert found.counts.tolist() == [flat.count(word) for word in found.words]
    assert corpus.n_raw_words == len(flat)
    assert corpus.n_raw_sentences == len(sentences)
    assert corpus.tokens.dtype == np.int32
    assert corpus.ends.dtype == found.counts.dtype == np.int64


class Reiterable:
    def __init__(self, sentences):
        self.sentences = sentences

    def __iter__(self):
        return iter(self.sentences)


class Column:
    """What Arrow arrays and polars series have in common, as far as it is used."""

    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def slice(self, offset, length):
        return type(self)(self.values[offset : offset + length])


class ArrowLike(Column):
    def to_pylist(self):
        return self.values


class PolarsLike(Column):
    def to_list(self):
        return self.values


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        iter,
        Reiterable,
        ArrowLike,
        PolarsLike,
        lambda sentences: (sentence for sentence in sentences),
        lambda sentences: [tuple(sentence) for sentence in sentences],
        lambda sentences: [iter(sentence) for sentence in sentences],
        lambda sentences: [np.array(sentence) for sentence in sentences],
        lambda sentences: [np.array(sentence, object) for sentence in sentences],
        lambda sentences: [list(map(np.str_, sentence)) for sentence in sentences],
        lambda sentences: dict(enumerate(sentences)).values(),
    ],
)
def test_sentences_of_str_in_any_iterable(make):
    found = scan(make(SENTENCES))
    assert_scanned(found, SENTENCES)
    assert list(found.words) == WORDS
    assert found.counts.tolist() == COUNTS


@pytest.mark.parametrize(
    "make",
    [
        list,
        lambda sentences: [array.array("i", sentence) for sentence in sentences],
        lambda sentences: [np.array(sentence, np.uint8) for sentence in sentences],
        lambda sentences: [list(map(np.int16, sentence)) for sentence in sentences],
        lambda sentences: (np.array([7, 9, 2, 4, 7, 9, 0, 9]), np.array([0, 3, 3, 6, 8])),
        lambda sentences: (
            np.array([7, 9, 2, 4, 7, 9, 0, 9], "u2"),
            np.array([0, 3, 3, 6, 8], "u1"),
        ),
    ],
)
def test_sentences_of_int(make):
    assert_scanned(scan(make(INTEGERS)), INTEGERS)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", ">i4"])
def test_two_dimensional_arrays_are_sentences_of_equal_length(dtype):
    rows = np.array([[1, 2, 3], [3, 2, 0]], dtype)
    assert_scanned(scan(rows), rows.tolist())
    assert_scanned(scan(rows.T), rows.T.tolist())
    assert_scanned(scan(rows[:, ::-2]), rows[:, ::-2].tolist())
    assert_scanned(scan(rows[:0]), [])
    assert_scanned(scan(rows[:, :0]), [[], []])


@pytest.mark.parametrize("values", [[5, -(2**63), 2**63 - 1, 5], [0, 10**9, 0, 10**12]])
def test_integers_far_apart_are_read_without_a_table_of_their_range(values):
    assert_scanned(scan(np.array([values])), [values])
    assert_scanned(scan(np.array([[2**64 - 1, 2**64 - 2]], "u8")), [[2**64 - 1, 2**64 - 2]])


def test_arrays_in_pieces(monkeypatch):
    monkeypatch.setattr("pyw2v.corpus.readers._VALUES_PIECE", 3)
    monkeypatch.setattr("pyw2v.corpus.readers._COLUMN_PIECE", 3)
    rows = np.arange(20).reshape(4, 5) % 7
    assert_scanned(scan(rows), rows.tolist())
    assert_scanned(scan(ArrowLike(SENTENCES)), SENTENCES)


def test_arrays_of_words():
    words = np.array([["to", "be"], ["be", "é"]])
    assert_scanned(scan(words), words.tolist())
    ragged = (np.array(["to", "be", "or"]), np.array([0, 1, 1, 3]))
    assert_scanned(scan(ragged), [["to"], [], ["be", "or"]])


def test_integers_and_their_names_are_different_words():
    assert_scanned(scan([[1, "1"], ["1", 2, 1]]), [[1, "1"], ["1", 2, 1]])


@pytest.mark.parametrize("module", ["pandas", "pyarrow", "polars"])
def test_columns_of_lists(module):
    library = pytest.importorskip(module)
    if module == "pyarrow":
        columns = [library.array(SENTENCES), library.chunked_array([SENTENCES[:1], SENTENCES[1:]])]
    else:
        columns = [library.Series(SENTENCES)]
    for column in columns:
        assert_scanned(scan(column), SENTENCES)


@pytest.mark.parametrize("source", [[], iter([]), [[]], [[], []], np.empty((0, 3), int)])
def test_a_corpus_without_words_is_no_error_here(source):
    n = len(source) if isinstance(source, list) else 0
    found = scan(source)
    assert (list(found.words), len(found.counts), len(found.corpus.tokens)) == ([], 0, 0)
    assert found.corpus.n_raw_sentences == len(found.corpus.ends) == n
    assert len(found.remap(np.empty(0, np.int32)).tokens) == 0


def test_an_empty_file_is_an_empty_corpus(tmp_path):
    for name, content in ("empty", b""), ("blank", b" \n\n \n"):
        (tmp_path / name).write_bytes(content)
        found = scan(tmp_path / name)
        assert (list(found.words), found.corpus.n_raw_sentences) == ([], 0)


WRONG = [
    ("the cat", "sentences must be an iterable of lists of words, got a plain str; for a file"),
    (b"the cat", "got a plain bytes"),
    (["the cat", "sat"], "sentence 0 is a plain str, 'the cat', where a list.*split"),
    ([["a"], "the cat"], "sentence 1 is a plain str"),
    ([b"the cat"], "sentence 0 is a plain bytes"),
    (3, "sentences must be an iterable of lists of words, got 3 of type int"),
    (None, "got None of type NoneType"),
    ([["a"], 3], "sentence 1 must be a list of words, got 3 of type int"),
    ([None], "sentence 0 must be a list of words, got None"),
    (np.array([1, 2]), "sentence 0 must be a list of words"),
    ([["a"], ["b", b"c"]], "sentence 1 contains b'c', which is bytes.*decode"),
    ([["a", 1.5]], "sentence 0 contains 1.5 of type float; words must be str or int"),
    ([["a", None]], "sentence 0 contains None of type NoneType"),
    ([["a", True]], "sentence 0 contains True of type bool"),
    ([["a", np.True_]], "sentence 0 contains .*True.* of type bool"),
    ([["a", ["b"]]], "sentence 0 contains ['b'] of type list"),
    ([[("a", "b")]], "sentence 0 contains ('a', 'b') of type tuple"),
    ({"a": ["b"]}, "sentence 0 is a plain str"),
    ((np.array([1, 2]), np.array([0.0, 2.0])), "offsets must be integers, got float64"),
]


@pytest.mark.parametrize(("source", "message"), WRONG)
def test_what_is_no_corpus_is_a_type_error_that_says_why(source, message):
    pattern = ".*".join(map(re.escape, message.split(".*")))
    with pytest.raises(TypeError, match=pattern):
        scan(source)


@pytest.mark.parametrize("offsets", [[], [0], [1, 3], [0, 2], [0, 4], [0, 2, 1, 3]])
def test_offsets_must_rise_from_zero_to_the_end(offsets):
    with pytest.raises(ValueError, match="offsets must rise from 0 to"):
        scan((np.array([1, 2, 3]), np.array(offsets, int)))


class OwnError(Exception):
    pass


def test_errors_of_the_users_iterators_pass_unchanged():
    error = OwnError("mine")

    def sentences():
        yield ["a"]
        raise error

    def words():
        yield "a"
        raise error

    for source in (sentences(), [["a"], words()]):
        with pytest.raises(OwnError) as caught:
            scan(source)
        assert caught.value is error

    def type_error():
        yield "a"
        raise TypeError("mine")

    with pytest.raises(TypeError, match=r"^mine$"):
        scan([type_error()])


def test_a_list_that_changes_while_it_is_read_is_safe():
    class Shrinking(str):
        def __str__(self):
            words.clear()
            return "x"

    words = [Shrinking("a"), "b", "c"]
    scan([words])

    class Index:
        def __index__(self):
            numbers.clear()
            return 3

    numbers = [1, Index(), *range(1000)]
    assert list(scan([numbers]).words) == [1, 3]


ANY_TEXT = st.text(st.characters(), max_size=3)  # lone surrogates, too
ANY_WORD = ANY_TEXT | st.integers(-3, 3) | st.integers() | st.sampled_from("abé")


@given(st.lists(st.lists(ANY_WORD, max_size=6), max_size=8))
def test_any_sentences_come_back(sentences):
    assert_scanned(scan(sentences), sentences)


@pytest.mark.parametrize("last", ["", "x", "é", "語", "\U0001d538", "\udc80", "\0"])
def test_words_of_all_lengths_come_back(last):
    sentences = [[letter * n + last for n in range(70)] for letter in "aé\U0001d538\ud800"] * 2
    assert_scanned(scan(sentences), sentences)


def test_integers_of_all_sizes_come_back():
    sentences = [[s * (2**n + d) for n in range(0, 130, 7) for d in (-1, 0)] for s in (1, -1)]
    sentences += [[10**5000, -(10**5000), 2**63, 2**63 - 1, -(2**63), -(2**63) - 1]] * 2
    assert_scanned(scan(sentences), sentences)


def test_words_that_die_at_once_are_not_mixed_up():
    numbers = [(i * i) % 1009 for i in range(5000)]
    found = scan(f"word {n} and é{n}".split() for n in numbers)
    expected = [["word", str(n), "and", f"é{n}"] for n in numbers]
    assert decoded(found) == expected


def test_reading_words_leaves_them_as_they_were():
    words = ["".join(["d", "é", "j", "à"]) for _ in range(100)] + [chr(0x8A9E) * 20]
    before = [(sys.getsizeof(word), sys.getrefcount(word)) for word in words]
    scan([words])
    assert [(sys.getsizeof(word), sys.getrefcount(word)) for word in words] == before


@given(st.sets(ANY_WORD, max_size=40), st.sets(ANY_WORD, max_size=40), st.data())
def test_words_have_the_ids_of_the_vocabulary_or_none(words, known, data):
    ids = data.draw(st.permutations(range(len(known))))
    key_to_index = dict(zip(known, ids, strict=True))
    found = ids_in(key_to_index, scan([list(words)]).words)
    assert found.tolist() == [key_to_index.get(word, -1) for word in words]


@pytest.mark.parametrize("odd", [("a", "b"), 1.0, np.str_("c"), np.int64(1), None])
def test_a_vocabulary_may_hold_what_no_corpus_does(odd):
    key_to_index = {"a": 5, odd: 3, "b": 2}
    words = scan([["b", "x", "c", 1, "a"]]).words
    assert ids_in(key_to_index, words).tolist() == [key_to_index.get(word, -1) for word in words]


def test_encode_keeps_known_words_only(tmp_path):
    key_to_index = {"be": 0, "to": 1, "missing": 2}
    path = tmp_path / "corpus.txt"
    path.write_text("to be or\nnot to be\né be\n", encoding="utf-8")
    for source in ([s for s in SENTENCES if s], path, LineSentence(str(path))):
        corpus = encode(source, key_to_index)
        assert corpus.tokens.tolist() == [1, 0, 1, 0, 0]
        assert corpus.ends.tolist() == [2, 4, 5]
        assert (corpus.n_raw_words, corpus.n_raw_sentences) == (8, 3)


@pytest.mark.parametrize("source", ["list", "file"])
def test_counting_alone_keeps_no_tokens(source, tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("to be or\nnot to be\né be\n", encoding="utf-8")
    found = scan(path if source == "file" else SENTENCES, keep_tokens=False, workers=2)
    assert (list(found.words), found.counts.tolist()) == (WORDS, COUNTS)
    assert len(found.corpus.tokens) == len(found.corpus.ends) == 0
    assert found.corpus.n_raw_words == 8
    assert found.corpus.n_raw_sentences == (3 if source == "file" else 4)


@pytest.mark.parametrize("max_memory", [0, 4, 100, 10**6])
def test_a_corpus_past_the_budget_lives_in_a_nameless_file(max_memory, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    path = tmp_path / "corpus.txt"
    sentences = [[f"w{i * i % 97}" for i in range(j % 7)] for j in range(300)]
    path.write_text("\n".join(map(" ".join, sentences)), encoding="utf-8")
    open_files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for source in sentences, path:
        found = scan(source, max_memory=max_memory, workers=2)
        assert found.corpus.spilled == (max_memory < 10**6)
        assert [s for s in decoded(found) if s] == [s for s in sentences if s]
        assert os.listdir(tmp_path / "temp") == []
        corpus = found.remap(np.arange(len(found.words), dtype=np.int32)[::-1].copy())
        tokens = corpus.tokens
        corpus.close()
        assert len(corpus.tokens) == len(corpus.ends) == 0
        corpus.close()
        assert int(tokens[0]) == len(found.words) - 1  # a view keeps the memory
        del found, corpus, tokens
        gc.collect()
    if open_files:
        assert len(os.listdir("/proc/self/fd")) == open_files


def test_a_folder_that_cannot_take_the_file_is_an_os_error(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(FileNotFoundError):
        scan(SENTENCES, max_memory=4)
    (tmp_path / "corpus.txt").write_text("a b c")
    with pytest.raises(FileNotFoundError):
        scan(tmp_path / "corpus.txt", max_memory=4)


def test_a_missing_file_or_a_folder_is_an_os_error_with_its_name(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        scan(tmp_path / "missing")
    assert caught.value.filename == str(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        scan(tmp_path)


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="max_memory must be at least 0, got -1"):
        scan(SENTENCES, max_memory=-1)
    with pytest.raises(TypeError, match="workers must be an integer"):
        scan(SENTENCES, workers="2")


def test_progress_ends_with_all_done(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("to be\n" * 10, encoding="utf-8")
    calls = []
    for source in path, SENTENCES, iter(SENTENCES), np.ones((2, 3), int):
        scan(source, progress=lambda *call: calls.append(call))
    assert calls == [(60, 60, "B"), (4, 4, "sentences"), (4, None, "sentences"), (6, 6, "words")]


def test_an_error_in_progress_reaches_the_caller():
    def progress(done, total, unit):
        raise OwnError

    with pytest.raises(OwnError):
        scan(SENTENCES, progress=progress)


@pytest.mark.parametrize("sentence", [["a", "b"] * 50, []])
@pytest.mark.skipif(os.name != "posix", reason="needs SIGALRM")
def test_a_signal_ends_the_reading_of_lists(sentence):
    def interrupt(signum, frame):
        raise OwnError

    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        begin, cpu_begin = time.monotonic(), time.process_time()
        with pytest.raises(OwnError):
            scan(itertools.repeat(sentence))  # endless, and runs no Python code
        assert time.process_time() - cpu_begin < 0.05 + 0.4  # others may hold us up, see next
        assert time.monotonic() - begin < 0.05 + 2  # 0.2 s on a machine of our own
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


@pytest.mark.skipif(os.name != "posix", reason="needs /dev/fd")
def test_a_pipe_is_read_to_its_end():
    readable, writable = os.pipe()
    os.write(writable, b"to be\nor not")
    os.close(writable)
    try:
        assert decoded(scan(Path(f"/dev/fd/{readable}"))) == [["to", "be"], ["or", "not"]]
    finally:
        os.close(readable)
