"""Files to words: the threaded reader against plain Python."""

import codecs
import collections
import signal
import time
from itertools import accumulate, islice

import numpy as np
import pytest
import threads
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pyw2v._core.corpus import FileScanner

# Blanks of every kind, characters that nearly are some, and words short and long.
PIECES = [*" \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"]
PIECES += [*"a\0\x08\x1b\x7f\u1681\u200b\u2010\u2060\u3001\ufeffé語\U0001d538"]
PIECES += ["\n\n", "the", "of", "eightchr", "ninechars", "sixteencharacter", "x" * 100]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


def read(path, *, workers=1, chunk_bytes=1 << 20, max_memory=1 << 40, folder=".", **rule):
    scanner = FileScanner(
        workers=workers,
        max_memory=max_memory,
        folder=folder,
        keep_tokens=True,
        chunk_bytes=chunk_bytes,
    )
    scanner.add_file(path, **rule)
    return result_of(scanner)


def result_of(scanner):
    words, counts, tokens, ends = scanner.finish()
    tokens = np.frombuffer(tokens, np.int32).tolist() if len(tokens) else []
    ends = np.frombuffer(ends, np.int64).tolist() if len(ends) else []
    assert scanner.n_words == len(tokens)
    assert scanner.n_sentences == len(ends)
    return list(words), np.frombuffer(counts, np.int64).tolist(), tokens, ends


def unmarked(data):
    """A file without the byte-order mark that it may begin with."""
    return data.removeprefix(codecs.BOM_UTF8)


def expected(data, at_line_feed=True, max_words=0, max_lines=None):
    """What gensim's LineSentence would yield, counted and numbered."""
    lines = islice((line + b"\n" for line in data.split(b"\n")), max_lines)
    sentences = [line.decode("utf-8").split() for line in lines]
    if not at_line_feed:
        sentences = [[word for sentence in sentences for word in sentence]]
    step = max_words or max(map(len, sentences), default=0) or 1
    sentences = [s[i : i + step] for s in sentences for i in range(0, len(s), step)]
    tokens = [word for sentence in sentences for word in sentence]
    counts = collections.Counter(tokens)  # in the order of first sight
    ids = {word: i for i, word in enumerate(counts)}
    ends = list(accumulate(len(sentence) for sentence in sentences))
    return list(counts), list(counts.values()), [ids[word] for word in tokens], ends


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("reader") / "corpus.txt"


@given(TEXTS, st.integers(1, 4), st.integers(1, 40))
@example("", 2, 1)
@example("\n", 2, 1)
@example("a", 3, 1)
@example("a b\nc", 3, 1)
@example("\ufeffa b\nc", 2, 1)
@example("\ufeff\ufeffa", 1, 2)
def test_words_counts_ids_and_ends_are_those_of_str_split(path, text, workers, chunk_bytes):
    data = text.encode("utf-8")
    path.write_bytes(data)
    assert read(path, workers=workers, chunk_bytes=chunk_bytes) == expected(unmarked(data))


@given(TEXTS, st.integers(1, 3), st.booleans(), st.integers(0, 5), st.none() | st.integers(0, 5))
def test_rules_for_sentences_hold(path, text, workers, at_line_feed, max_words, max_lines):
    data = text.encode("utf-8")
    path.write_bytes(data)
    found = read(
        path,
        workers=workers,
        chunk_bytes=7,
        at_line_feed=at_line_feed,
        max_words=max_words,
        max_lines=-1 if max_lines is None else max_lines,
    )
    assert found == expected(unmarked(data), at_line_feed, max_words, max_lines)


@given(st.lists(st.sampled_from([b" ", b"\n", b"a", b"\xc3\xa9"]) | st.binary(max_size=6)))
@example([b"ab \xed\xa0\x80"])  # a surrogate
@example([b"\xf4\x90\x80\x80"])  # past U+10FFFF
@example([b"\xe0\x80\x80"])  # overlong
def test_bytes_are_read_as_python_reads_them_or_refused_at_the_same_byte(path, pieces):
    data = b"".join(pieces)
    path.write_bytes(data)
    start = first_bad_byte(data)
    if start is None:
        assert read(path, workers=2, chunk_bytes=5) == expected(unmarked(data))
        return
    for workers, chunk_bytes in (1, 1 << 20), (3, 3):
        with pytest.raises(ValueError, match="not valid UTF-8") as caught:
            read(path, workers=workers, chunk_bytes=chunk_bytes)
        message = f"{path}, byte {start}: not valid UTF-8 (0x{data[start]:02x}"
        assert str(caught.value).startswith(message)


def first_bad_byte(data):
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return None


def test_every_character_is_a_blank_or_not_as_in_python(path):
    # All up to U+3100, past the last blank there is, then some of each range.
    codes = [*range(0x3100), *range(0x3100, 0xD800, 97), *range(0xE000, 0x110000, 997)]
    characters = [chr(c) for c in codes]
    assert not any(chr(c).isspace() for c in range(0x3100, 0x110000))
    text = "".join(f"a{c}b " for c in characters)
    path.write_bytes(text.encode("utf-8"))
    words, counts, _, _ = read(path, workers=2)
    assert dict(zip(words, counts, strict=True)) == collections.Counter(text.split())


@given(st.lists(st.tuples(TEXTS, st.booleans()), max_size=4), st.integers(1, 9))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_texts_in_pieces_and_files_join_into_one_corpus(path, texts, piece):
    scanner = FileScanner(workers=2, max_memory=0, folder=".", keep_tokens=True, chunk_bytes=11)
    for text, as_file in texts:
        data = text.encode("utf-8")
        if as_file:
            path.write_bytes(data)
            scanner.add_file(path)
            continue
        rest = b""
        for begin in range(0, len(data), piece):
            rest += data[begin : begin + piece]
            rest = rest[scanner.add_text(rest, False, "stream") :]
        assert scanner.add_text(rest, True, "stream") == len(rest)
    joined = b"\n".join(
        unmarked(text.encode("utf-8")) if as_file else text.encode("utf-8")
        for text, as_file in texts
    )
    assert result_of(scanner) == expected(joined)


def test_error_in_a_piece_of_text_tells_where_in_the_whole():
    scanner = FileScanner(workers=1, max_memory=0, folder=".", keep_tokens=True)
    assert scanner.add_text(b"ab cd", False, "stream") == 3
    with pytest.raises(ValueError, match=r"^stream, byte 4: not valid UTF-8 \(0xff"):
        scanner.add_text(b"c\xff ", False, "stream")


def test_a_line_of_100_mb_is_shared_out_and_whole(path):
    words = b"lorem ipsum dolor sit amet "
    repeats = 100_000_000 // len(words)
    path.write_bytes(words * repeats)
    scanner = FileScanner(workers=2, max_memory=1 << 40, folder=".", keep_tokens=True)
    scanner.add_file(path)
    found, counts, tokens, ends = scanner.finish()
    assert list(found) == ["lorem", "ipsum", "dolor", "sit", "amet"]
    assert np.frombuffer(counts, np.int64).tolist() == [repeats] * 5
    assert np.frombuffer(ends, np.int64).tolist() == [5 * repeats]
    assert np.array_equal(np.frombuffer(tokens, np.int32)[-1000:], np.arange(1000) % 5)


@pytest.mark.parametrize("length", [8, 9, 1_000_000, 5_000_000])
def test_a_word_of_any_length_is_one_word(path, length):
    data = b"a " + b"x" * length + b" b " + b"x" * length + b"y\n"
    path.write_bytes(data)
    assert read(path, workers=3) == expected(data)
    assert read(path, workers=2, chunk_bytes=max(1, length // 7)) == expected(data)


def test_many_words_are_told_apart(path, tmp_path):
    rng = np.random.default_rng(5)
    data = b" ".join(b"%x" % (i * i) for i in rng.integers(0, 1 << 24, 300_000).tolist())
    path.write_bytes(data)
    assert read(path, workers=3, chunk_bytes=50_000, max_memory=10_000) == expected(data)


def test_missing_file_and_folder_are_os_errors_with_the_name(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        read(tmp_path / "missing")
    assert caught.value.filename == str(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        read(tmp_path)


@pytest.fixture(scope="module")
def long_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("reader") / "long.txt"
    rng = np.random.default_rng(1)
    words = b" ".join(b"%d" % i for i in rng.integers(0, 10**6, 300_000).tolist()) + b"\n"
    path.write_bytes(words * 100)
    return path


class InterruptError(Exception):
    pass


@threads.needs_count
@pytest.mark.parametrize("workers", [1, 3])
def test_a_signal_ends_reading_soon_and_leaves_no_thread(long_file, workers):
    def interrupt(signum, frame):
        raise InterruptError

    before = threads.count()
    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        begin, cpu_begin = time.monotonic(), time.process_time()
        with pytest.raises(InterruptError):
            read(long_file, workers=workers)
        # By the processor's time, since other programs may hold us up; the whole file takes 1.5 s.
        assert time.process_time() - cpu_begin < 0.1 * workers + 0.4
        assert time.monotonic() - begin < 0.1 + 2  # 0.2 s on a machine of our own
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert threads.none_left(before)


@threads.needs_count
def test_errors_leave_no_thread(path, long_file):
    before = threads.count()
    path.write_bytes(b"good words \n" * 1000 + b"\xff")
    with pytest.raises(ValueError, match="byte 12000"):
        read(path, workers=4, chunk_bytes=100)

    def progress(done):
        raise InterruptError

    with pytest.raises(InterruptError):
        read(long_file, workers=2, progress=progress)
    assert threads.none_left(before)


def test_words_are_a_sequence_made_on_demand(path):
    path.write_bytes("to be é to".encode())
    words = FileScanner(workers=1, max_memory=0, folder=".", keep_tokens=False)
    words.add_file(path)
    words = words.finish()[0]
    assert (len(words), words[2], list(words)) == (3, "é", ["to", "be", "é"])
    assert words.take(np.array([2, 0, 2])) == ["é", "to", "é"]
    assert words.take(np.array([], np.int64)) == []
    for bad in (3, -4, 2**40):
        with pytest.raises(IndexError, match="there are 3"):
            words.take(np.array([0, bad]))
    with pytest.raises(IndexError, match="there are 3"):
        words[3]
    with pytest.raises(TypeError, match="FileScanner"):
        type(words)()
