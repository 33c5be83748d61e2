import bz2
import gzip
import io
import lzma

import pytest

from pyw2v.corpus import scan
from pyw2v.corpus.sentences import BrownCorpus, LineSentence, PathLineSentences, Text8Corpus

TEXT = "the quick fox\n\n  jumps\tover\u2003the lazy  dog \r\nin ünicode\nlast line has no end"
SENTENCES = [
    ["the", "quick", "fox"],
    ["jumps", "over", "the", "lazy", "dog"],
    ["in", "ünicode"],
    ["last", "line", "has", "no", "end"],
]


def decoded(found):
    """The sentences a scan read."""
    words = [found.words[i] for i in found.corpus.tokens]
    ends = found.corpus.ends.tolist()
    return [words[a:b] for a, b in zip([0, *ends], ends, strict=False)]


def assert_reads(corpus, sentences):
    """Iterating and scanning, twice each, give the same."""
    for _ in range(2):
        assert list(corpus) == sentences
        found = scan(corpus, workers=2)
        assert decoded(found) == sentences
        assert found.corpus.n_raw_sentences == len(sentences)
        assert found.corpus.n_raw_words == sum(map(len, sentences))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text(TEXT, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_lines_are_sentences(path, kind):
    assert_reads(LineSentence(kind(path)), SENTENCES)


def test_long_lines_are_cut(path):
    pieces = [["the", "quick"], ["fox"], ["jumps", "over"], ["the", "lazy"], ["dog"]]
    pieces += [["in", "ünicode"], ["last", "line"], ["has", "no"], ["end"]]
    assert_reads(LineSentence(path, max_sentence_length=2), pieces)


@pytest.mark.parametrize(("limit", "n"), [(0, 0), (1, 1), (2, 1), (3, 2), (4, 3), (5, 4), (9, 4)])
def test_limit_counts_lines_empty_ones_too(path, tmp_path, limit, n):
    assert_reads(LineSentence(path, limit=limit), SENTENCES[:n])
    with gzip.open(tmp_path / "corpus.gz", "wb") as file:
        file.write(path.read_bytes())
    assert_reads(LineSentence(tmp_path / "corpus.gz", limit=limit), SENTENCES[:n])


@pytest.mark.parametrize(("suffix", "module"), [(".gz", gzip), (".bz2", bz2), (".xz", lzma)])
def test_compressed_files_are_read(path, tmp_path, suffix, module):
    packed = tmp_path / ("corpus" + suffix)
    packed.write_bytes(module.compress(path.read_bytes()))
    assert_reads(LineSentence(packed), SENTENCES)
    assert decoded(scan(packed)) == SENTENCES


def test_zstandard_files_are_read_where_the_module_is(path, tmp_path):
    zstandard = pytest.importorskip("zstandard")
    packed = tmp_path / "corpus.zst"
    packed.write_bytes(zstandard.ZstdCompressor().compress(path.read_bytes()))
    assert_reads(LineSentence(packed), SENTENCES)


def test_compressed_files_in_many_pieces(path, tmp_path, monkeypatch):
    monkeypatch.setattr("pyw2v.corpus.readers._TEXT_PIECE", 3)
    packed = tmp_path / "corpus.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert decoded(scan(packed)) == SENTENCES
    assert decoded(scan(LineSentence(packed, limit=3))) == SENTENCES[:2]


def test_open_files_are_read_from_the_start_each_time(path):
    with open(path, "rb") as binary, open(path, encoding="utf-8") as text:
        assert_reads(LineSentence(binary), SENTENCES)
        assert_reads(LineSentence(text), SENTENCES)
    assert_reads(LineSentence(io.BytesIO(TEXT.encode()), limit=1), SENTENCES[:1])
    latin = io.TextIOWrapper(io.BytesIO("über\n".encode("latin-1")), encoding="latin-1")
    assert_reads(LineSentence(latin), [["über"]])


@pytest.mark.parametrize("source", [None, 3, ["a"]])
def test_what_is_neither_path_nor_file_is_a_type_error(source):
    with pytest.raises(TypeError, match="source must be a path or an open file"):
        LineSentence(source)


@pytest.mark.parametrize("make", [LineSentence, PathLineSentences, Text8Corpus])
def test_sentences_must_hold_a_word(make, path):
    with pytest.raises(ValueError, match="max_sentence_length must be at least 1, got 0"):
        make(path, max_sentence_length=0)


def test_limit_must_not_be_negative(path):
    with pytest.raises(ValueError, match="limit must be at least 0, got -1"):
        LineSentence(path, limit=-1)


@pytest.mark.parametrize("corpus", [LineSentence, Text8Corpus])
def test_a_missing_file_is_reported_when_it_is_read(corpus, tmp_path):
    missing = corpus(tmp_path / "missing")
    for use in (list, scan):
        with pytest.raises(FileNotFoundError):
            use(missing)


def test_a_folder_is_read_file_by_file_in_the_order_of_names(tmp_path):
    (tmp_path / "b.txt").write_text("second\nline two")
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"first file\nnot read\n"))
    (tmp_path / "c.txt").write_text("third")
    (tmp_path / "folder").mkdir()
    assert_reads(PathLineSentences(tmp_path, limit=1), [["first", "file"], ["second"], ["third"]])
    assert_reads(PathLineSentences(str(tmp_path / "b.txt")), [["second"], ["line", "two"]])
    with pytest.raises(ValueError, match=r"must be a file or a folder, got '.*missing'"):
        PathLineSentences(tmp_path / "missing")


@pytest.mark.parametrize("length", [1, 2, 7, 15, 16, 10000])
def test_text8_is_one_sentence_in_pieces(path, length):
    words = TEXT.split()
    pieces = [words[i : i + length] for i in range(0, len(words), length)]
    assert_reads(Text8Corpus(path, max_sentence_length=length), pieces)


def test_brown_corpus_keeps_words_with_tags_of_letters(tmp_path):
    (tmp_path / "ca01").write_text("The/at Jury/nn-tl said/vbd ,/, it/pps//x\n\n./.\n")
    assert_reads(BrownCorpus(tmp_path), [["the/at", "jury/nn", "said/vb"]])


def test_a_subclass_that_iterates_differently_is_not_bypassed(path):
    class Lower(LineSentence):
        def __iter__(self):
            for sentence in super().__iter__():
                yield [word.upper() for word in sentence]

    assert decoded(scan(Lower(path)))[0] == ["THE", "QUICK", "FOX"]


def test_bytes_that_are_not_utf8_are_refused_with_advice(tmp_path):
    for name, pack in ("latin.txt", bytes), ("latin.gz", gzip.compress):
        (tmp_path / name).write_bytes(pack("ein Wort f\u00fcr dich\n".encode("latin-1")))
        with pytest.raises(ValueError, match=rf"{name}, byte 10: .*0xfc 0x72.*iconv"):
            scan(LineSentence(tmp_path / name))


@pytest.mark.parametrize(
    "read",
    [
        LineSentence,
        PathLineSentences,
        Text8Corpus,
        lambda path: BrownCorpus(path.parent),
    ],
)
def test_an_error_names_the_file_that_is_no_text(tmp_path, read):
    path = tmp_path / "corpus.txt"
    path.write_bytes(b"a/nn b/nn\n\xff\n")
    with pytest.raises(UnicodeDecodeError, match=r"corpus\.txt, (line 2|before byte 12)"):
        list(read(path))
