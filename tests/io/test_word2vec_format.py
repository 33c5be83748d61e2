"""word2vec text and binary files: what goes in comes out, and broken files are told apart."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from pyw2v.io.word2vec_format import load_word2vec, save_vocab, save_word2vec

DATA = Path(__file__).parents[1] / "data"
GOLDEN = DATA / "word2vec-c-sg-ns.bin"
TEXT = b"3 2\nthe 0.1 -2\nof 1e-3 .5\n</s> 1 2\n"

words_in_files = st.text(st.characters(exclude_characters=" \n", exclude_categories=["Cs"]))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "vectors"


def write(path, data):
    path.write_bytes(data)
    return path


def matrix(n_rows=3, dim=4, dtype=np.float32):
    return np.random.default_rng(1).normal(size=(n_rows, dim)).astype(dtype)


# What is read


def test_text_is_read(path):
    file = load_word2vec(write(path, TEXT))
    assert file.words == ["the", "of", "</s>"]
    assert_array_equal(file.vectors, np.array([[0.1, -2], [1e-3, 0.5], [1, 2]], np.float32))
    assert_array_equal(file.counts, [3, 2, 1])


def test_binary_of_the_c_program_is_read():
    file = load_word2vec(GOLDEN, binary=True)
    assert file.vectors.shape == (881, 16)
    assert file.words[:3] == ["</s>", "the", "of"]
    data = GOLDEN.read_bytes()
    at = data.index(b"\nthe ") + 5
    assert_array_equal(file.vectors[1], np.frombuffer(data, "<f4", 16, at))


def test_binary_without_line_breaks_is_read_the_same(path):
    golden = load_word2vec(GOLDEN, binary=True)
    save_word2vec(path, golden.words, golden.vectors, binary=True)
    assert os.path.getsize(path) == os.path.getsize(GOLDEN) - 881
    again = load_word2vec(path, binary=True)
    assert again.words == golden.words
    assert_array_equal(again.vectors, golden.vectors)


@pytest.mark.parametrize("line_end", [b"\n", b" \n", b"\r\n", b"  \t\r\n"])
def test_blanks_at_line_ends_do_not_count(path, line_end):
    file = load_word2vec(write(path, TEXT.replace(b"\n", line_end) + b"\n \n"))
    assert file.words == ["the", "of", "</s>"]


def test_last_line_needs_no_line_break(path):
    assert len(load_word2vec(write(path, TEXT.rstrip())).words) == 3


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_limit_reads_the_first_rows(path, binary, limit):
    vectors = matrix()
    save_word2vec(path, ["a", "b", "c"], vectors, binary=binary)
    file = load_word2vec(path, binary=binary, limit=limit)
    assert file.words == ["a", "b", "c"][:limit]
    assert_array_equal(file.vectors, vectors[:limit])
    assert_array_equal(file.counts, range(min(3, limit), 0, -1))


def test_limit_ignores_damage_after_it(path):
    write(path, TEXT.replace(b".5", b"half"))
    assert load_word2vec(path, limit=1).words == ["the"]


@pytest.mark.parametrize("limit", [None, 0])
def test_no_limit_reads_all(path, limit):
    assert len(load_word2vec(write(path, TEXT), limit=limit).words) == 3


def test_negative_limit_is_refused(path):
    with pytest.raises(ValueError, match="limit must be at least 0, got -1"):
        load_word2vec(write(path, TEXT), limit=-1)


def test_file_without_header(path):
    write(path, TEXT.partition(b"\n")[2])
    file = load_word2vec(path, no_header=True)
    assert file.words == ["the", "of", "</s>"]
    assert file.vectors.shape == (3, 2)
    assert load_word2vec(path, no_header=True, limit=2).words == ["the", "of"]


def test_binary_file_needs_its_header(path):
    with pytest.raises(NotImplementedError, match="no_header"):
        load_word2vec(path, binary=True, no_header=True)


@pytest.mark.parametrize("dim", [1, 2, 7, 100])
@pytest.mark.parametrize("kind", ["text", "binary", "no header"])
def test_kind_of_file_is_detected(path, dim, kind):
    vectors = matrix(20, dim)
    words = [f"{i}" for i in range(20)]
    save_word2vec(path, words, vectors, binary=kind == "binary", write_header=kind != "no header")
    file = load_word2vec(path, binary=None, no_header=None)
    assert file.words == words
    assert_array_equal(file.vectors, vectors)


def test_column_of_integers_is_no_header(path):
    file = load_word2vec(write(path, b"5 3\n6 2\n"), binary=None, no_header=None)
    assert (file.words, file.vectors.tolist()) == (["5", "6"], [[3], [2]])


def test_c_program_file_is_detected():
    assert load_word2vec(GOLDEN, binary=None, no_header=None).vectors.shape == (881, 16)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_datatype_is_that_of_python(path, dtype):
    numbers = ["0.1", "65504", "1e-8", "6e-8", "5.9604645e-8", "0.00006103515625", "2049", "2051"]
    write(path, f"1 {len(numbers)}\nw {' '.join(numbers)}\n".encode())
    row = load_word2vec(path, datatype=dtype).vectors[0]
    assert row.dtype == dtype
    assert_array_equal(row, np.array([float(s) for s in numbers]).astype(dtype))


@pytest.mark.filterwarnings("ignore:.*not finite")
@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_binary_datatype(path, dtype):
    vectors = np.array([[1e6, -1e-7, 0.1, 65519.9, 3e-5, np.inf, -0.0]], np.float32)
    save_word2vec(path, ["w"], vectors, binary=True)
    with np.errstate(over="ignore"):
        expected = vectors.astype(dtype)
    assert_array_equal(load_word2vec(path, binary=True, datatype=dtype).vectors, expected)


def test_unknown_datatype_is_refused(path):
    with pytest.raises(ValueError, match="datatype must be float16, float32 or float64, got int64"):
        load_word2vec(path, datatype=np.int64)


@given(st.lists(st.floats(0, 2, allow_subnormal=True), min_size=1, max_size=4), st.data())
@settings(max_examples=200, deadline=None)
def test_half_rounding_is_that_of_numpy(tmp_path_factory, values, data):
    scale = data.draw(st.sampled_from([1.0, 2.0**-14, 2.0**-24, 2.0**14]))
    numbers = [repr(value * scale) for value in values]
    path = write(
        tmp_path_factory.mktemp("half") / "f", f"1 {len(numbers)}\nw {' '.join(numbers)}".encode()
    )
    expected = np.array([float(s) for s in numbers]).astype(np.float16)
    assert_array_equal(load_word2vec(path, datatype=np.float16).vectors[0], expected)


DECIMALS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(lambda x: str(np.float32(x))),
    st.from_regex(r"[+-]?[0-9]{1,30}(\.[0-9]{0,30})?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.from_regex(r"[+-]?\.[0-9]{1,30}([eE][+-]?[0-9]{1,2})?", fullmatch=True),
    st.sampled_from(["0." + "0" * 400 + "1", "0" * 400 + "1", "0e999", "1e-999999999999", "-0"]),
)


@given(st.lists(DECIMALS.filter(lambda s: s.isascii()), min_size=1, max_size=20))
@settings(max_examples=200, deadline=None)
def test_numbers_are_those_of_python(tmp_path_factory, numbers):
    numbers = [s for s in numbers if math.isfinite(float(s))] or ["1"]
    path = write(
        tmp_path_factory.mktemp("n") / "f", f"1 {len(numbers)}\nw {' '.join(numbers)}\n".encode()
    )
    expected = np.array([float(s) for s in numbers])
    got = load_word2vec(path, datatype=np.float64).vectors[0]
    assert_array_equal(got.view(np.int64), expected.view(np.int64))
    with np.errstate(over="ignore"):
        narrow = expected.astype(np.float32)
    if np.isfinite(narrow).all():
        assert_array_equal(load_word2vec(path).vectors[0], narrow)
    else:
        with pytest.raises(ValueError, match="too large"):
            load_word2vec(path)


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999", "1_0", "x", "0x10", "1e", "--1"])
def test_what_is_no_finite_number_is_refused(path, number):
    write(path, f"1 2\nword 1 {number}\n".encode())
    with pytest.raises(ValueError, match=rf"{re.escape(str(path))}, byte 11: '{number}'"):
        load_word2vec(path)


def test_unicode_errors(path):
    write(path, b"2 1\nok 1\n\xff\xfeword 2\n")
    with pytest.raises(UnicodeDecodeError, match=rf"word 2 of {re.escape(str(path))}, byte 9"):
        load_word2vec(path)
    assert load_word2vec(path, unicode_errors="ignore").words == ["ok", "word"]
    assert load_word2vec(path, unicode_errors="replace").words == ["ok", "\ufffd\ufffdword"]


def test_encoding(path):
    write(path, "1 1\nmüde 1\n".encode("latin1"))
    assert load_word2vec(path, encoding="latin1").words == ["müde"]
    with pytest.raises(LookupError):
        load_word2vec(path, encoding="no such thing")


@pytest.mark.parametrize("binary", [False, True])
def test_first_of_duplicates_is_kept_with_a_warning(path, binary):
    vectors = matrix(4)
    save_word2vec(path, ["a", "b", "a", "c"], vectors, binary=binary)
    with pytest.warns(UserWarning, match="more than once, for example 'a'"):
        file = load_word2vec(path, binary=binary)
    assert file.words == ["a", "b", "c"]
    assert_array_equal(file.vectors, vectors[[0, 1, 3]])
    assert_array_equal(file.counts, [4, 3, 2])


def test_counts_come_from_the_vocabulary_file(path, tmp_path):
    write(path, TEXT)
    save_vocab(tmp_path / "vocab", ["of", "the", "</s>"], np.array([7, 9, 2]))
    file = load_word2vec(path, fvocab=tmp_path / "vocab")
    assert_array_equal(file.counts, [9, 7, 2])


def test_missing_counts_are_zero_with_a_warning(path, tmp_path):
    write(tmp_path / "vocab", b"the 9\n")
    with pytest.warns(UserWarning, match="lacks 2 of the words"):
        file = load_word2vec(write(path, TEXT), fvocab=tmp_path / "vocab")
    assert_array_equal(file.counts, [9, 0, 0])


@pytest.mark.parametrize("line", [b"word", b"word x", b"a b c", b"word -1", b"word 1" + b"0" * 30])
def test_bad_vocabulary_file_is_refused(path, tmp_path, line):
    vocab = write(tmp_path / "vocab", b"the 9\n" + line + b"\n")
    with pytest.raises(ValueError, match=rf"{re.escape(str(vocab))}, byte 6: "):
        load_word2vec(write(path, TEXT), fvocab=vocab)


def test_rows_that_the_header_does_not_count_are_told(path):
    write(path, TEXT.replace(b"3 2", b"2 2"))
    with pytest.warns(UserWarning, match="goes on after the 2 rows"):
        assert load_word2vec(path).words == ["the", "of"]


def test_many_pieces_keep_their_order(path):
    vectors = matrix(30_000, 20)  # about 6 MB of text, a dozen pieces
    words = [f"w{i}" * (1 + i % 50) for i in range(30_000)]
    save_word2vec(path, words, vectors)
    for limit in (None, 10_001):
        file = load_word2vec(path, limit=limit)
        assert file.words == words[:limit]
        assert_array_equal(file.vectors, vectors[:limit])


def test_line_longer_than_many_pieces(path):
    vectors = matrix(3, 300_000)
    save_word2vec(path, ["a", "b" * 2_000_000, "c"], vectors)
    file = load_word2vec(path)
    assert [len(word) for word in file.words] == [1, 2_000_000, 1]
    assert_array_equal(file.vectors, vectors)


@pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
def test_pipe_is_read(path):
    os.mkfifo(path)
    writer = subprocess.Popen(["sh", "-c", 'printf "1 2\\na 1 2\\n" > "$0"', path])
    try:
        assert load_word2vec(path).words == ["a"]
    finally:
        writer.wait()


@pytest.mark.parametrize("extension", [".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("binary", [False, True])
def test_compressed_files(tmp_path, extension, binary):
    if extension == ".zst" and sys.version_info < (3, 14):
        pytest.importorskip("zstandard")
    path = tmp_path / f"vectors{extension}"
    vectors = matrix(500, 10)
    words = [f"w{i}" for i in range(500)]
    save_word2vec(path, words, vectors, binary=binary)
    for limit in (None, 77):
        file = load_word2vec(path, binary=binary, limit=limit)
        assert file.words == words[:limit]
        assert_array_equal(file.vectors, vectors[:limit])
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match=re.escape(str(path))):
        load_word2vec(path, binary=binary)
    path.write_bytes(b"this is not compressed")
    with pytest.raises(ValueError, match=re.escape(str(path))):
        load_word2vec(path, binary=binary)


@pytest.mark.parametrize(("binary", "header"), [(False, True), (False, False), (True, True)])
def test_limit_unpacks_no_more_than_it_takes(tmp_path, monkeypatch, binary, header):
    monkeypatch.setattr("pyw2v.io.word2vec_format._FIRST_UNPACK_BYTES", 1)
    monkeypatch.setattr("pyw2v.io.word2vec_format._COPY_BYTES", 7)
    path = tmp_path / "vectors.gz"
    vectors = matrix(60, 3)
    words = [f"w{i}" for i in range(60)]
    save_word2vec(path, words, vectors, binary=binary, write_header=header)
    for limit in range(1, 61):
        file = load_word2vec(path, binary=binary, limit=limit, no_header=not header)
        assert file.words == words[:limit]
        assert_array_equal(file.vectors, vectors[:limit])


# What is written


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_text_and_binary_round_trip(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("round")
    words = data.draw(st.lists(words_in_files, unique=True, max_size=5))
    dim = data.draw(st.integers(1, 5))
    width = data.draw(st.sampled_from([32, 64]))
    numbers = st.floats(allow_nan=False, allow_infinity=False, width=width)
    row = st.lists(numbers, min_size=dim, max_size=dim)
    rows = data.draw(st.lists(row, min_size=len(words), max_size=len(words)))
    vectors = np.array(rows, f"f{width // 8}").reshape(len(words), dim)
    save_word2vec(folder / "text", words, vectors)
    file = load_word2vec(folder / "text", datatype=vectors.dtype)
    assert file.words == words
    assert_array_equal(file.vectors, vectors)
    if width == 32:
        save_word2vec(folder / "binary", words, vectors, binary=True)
        file = load_word2vec(folder / "binary", binary=True)
        assert file.words == words
        assert_array_equal(file.vectors, vectors)


def test_text_is_the_shortest(path):
    save_word2vec(path, ["a"], np.array([[0.1, 1 / 3, 1, -1e-9]], np.float32))
    assert path.read_bytes() == b"1 4\na 0.1 0.33333334 1 -1e-09\n"


def test_half_precision_is_written_exactly(path):
    vectors = matrix(3, 4, np.float16)
    save_word2vec(path, "abc", vectors)
    assert_array_equal(load_word2vec(path, datatype=np.float16).vectors, vectors)


@pytest.mark.parametrize("binary", [False, True])
def test_strided_rows_are_written(path, binary):
    wide = matrix(50, 32)
    for vectors in (wide[:, :5], wide[::3, ::2], np.asfortranarray(wide), wide[::-1]):
        words = [str(i) for i in range(len(vectors))]
        save_word2vec(path, words, vectors, binary=binary)
        assert_array_equal(load_word2vec(path, binary=binary).vectors, vectors)


def test_integer_keys_and_prefix(path):
    save_word2vec(path, [3, 4], matrix(2), prefix="*dt_")
    assert load_word2vec(path).words == ["*dt_3", "*dt_4"]


@pytest.mark.parametrize("name", ["vectors", "vectors.gz", "vectors.xz"])
def test_append_and_total(tmp_path, name):
    path = tmp_path / name
    vectors = matrix(5)
    save_word2vec(path, ["a", "b"], vectors[:2], total_vec=5)
    save_word2vec(path, ["c", "d", "e"], vectors[2:], write_header=False, append=True)
    file = load_word2vec(path)
    assert file.words == list("abcde")
    assert_array_equal(file.vectors, vectors)


def test_spaces_in_words_are_written_to_text_as_gensim_does(path):
    edges = ["('1', '2')", "fine", "é ü"]  # as node2vec names them
    with pytest.warns(UserWarning, match="has a space in it"):
        save_word2vec(path, edges, np.array([[1.5, 2.5], [3.5, 4.5], [5.5, 6.5]], np.float32))
    assert path.read_text("utf8") == "3 2\n('1', '2') 1.5 2.5\nfine 3.5 4.5\né ü 5.5 6.5\n"


@pytest.mark.parametrize(
    ("word", "binary"), [("a\nb", False), ("a b\n", False), *((w, True) for w in ("a b", "a\nb"))]
)
def test_words_that_the_format_cannot_hold_are_refused(path, word, binary):
    write(path, b"old")
    with pytest.raises(ValueError, match=re.escape(f"word {word!r} has a space or a line break")):
        save_word2vec(path, ["fine", word], matrix(2), binary=binary)
    assert path.read_bytes() == b"old"
    assert os.listdir(path.parent) == [path.name]


def test_shapes_must_agree(path):
    with pytest.raises(ValueError, match=r"one row for each of the 2 words.*\(3, 4\)"):
        save_word2vec(path, ["a", "b"], matrix(3))
    with pytest.raises(ValueError, match="at least one column"):
        save_word2vec(path, ["a"], np.empty((1, 0)))
    with pytest.raises(ValueError, match="as many counts, got 1"):
        save_vocab(path, ["a", "b"], [1])
    assert not path.exists()


def test_no_words(path):
    save_word2vec(path, [], np.empty((0, 7)))
    for binary in (False, True, None):
        file = load_word2vec(path, binary=binary)
        assert (file.words, file.vectors.shape) == ([], (0, 7))
