"""Files of weights for `FixedUnigram`: words with commas, one column, and what goes wrong."""

import gzip
import re

import pytest
from numpy.testing import assert_allclose

from pyw2v.io.weights_format import read_weights
from pyw2v.objectives.samplers import FixedUnigram


def written(tmp_path, text):
    path = tmp_path / "vocab.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


GOOD = {
    "blanks": ("the 100\nof 50\n", ["the", "of"], [100, 50]),
    "tabs": ("the\t100\nof\t5e1\n", ["the", "of"], [100, 50]),
    "commas": ("the,100\nof,50.5\n", ["the", "of"], [100, 50.5]),
    "no line end at the end": ("the 100\nof 50", ["the", "of"], [100, 50]),
    "a comma may stand for the blank": ("the 100\ncat,2\n", ["the", "cat"], [100, 2]),
    "words with commas before a blank": (
        "the 9\n1,000 8\nwell, 7\n, 6\n,, 5\n",
        ["the", "1,000", "well,", ",", ",,"],
        [9, 8, 7, 6, 5],
    ),
    "words with commas before a comma": (
        "the,9\n1,000,8\nwell,,7\n,,6\n",
        ["the", "1,000", "well,", ","],
        [9, 8, 7, 6],
    ),
    "more columns, as TensorFlow allows": ("the,DT,9\ncat,NN,2\n", ["the,DT", "cat,NN"], [9, 2]),
    "blanks beside commas": ("the , 9\ncat,\t2 \n", ["the", "cat"], [9, 2]),
    "words with blanks": ("new york,9\nla  2,5\n", ["new york", "la  2"], [9, 5]),
    "words with blanks before a blank": ("new york 9\nla 5\n", ["new york", "la"], [9, 5]),
    "quoted words": (
        '"1,000",9\n"say ""hi""",5\n"""",4\nit,1\n',
        ["1,000", 'say "hi"', '"', "it"],
        [9, 5, 4, 1],
    ),
    "quoted weights": ('"the","9"\n"cat","2"\n', ["the", "cat"], [9, 2]),
    "words that are quotes": ('",9\n"",8\nit"s,5\n', ['"', '""', 'it"s'], [9, 8, 5]),
    "quotes are as they are before a blank": ('"the" 9\n" 8\n', ['"the"', '"'], [9, 8]),
    "blank lines": ("\nthe 9\n\n  \t\ncat 2\n\n", ["the", "cat"], [9, 2]),
    "Windows": ("the 9\r\n\r\ncat 2\r\n", ["the", "cat"], [9, 2]),
    "byte order mark": ("\ufeffthe 9\ncat 2\n", ["the", "cat"], [9, 2]),
    "words that are numbers": ("7 9\n8 2\n", ["7", "8"], [9, 2]),
    "no-break and wide spaces are letters": (
        "a\u00a0b 9\n\u3000 2\n",
        ["a\u00a0b", "\u3000"],
        [9, 2],
    ),
    "one column": ("100\n50.5\n0\n", None, [100, 50.5, 0]),
    "one column, odd": ("\ufeff 100 \r\n\r\n5e1\r\n", None, [100, 50]),
    "one column, quoted": ('"100"\n"50"\n', None, [100, 50]),
}


@pytest.mark.parametrize(("text", "words", "weights"), GOOD.values(), ids=GOOD)
def test_words_and_weights(tmp_path, text, words, weights):
    path = written(tmp_path, text)
    found_words, found = read_weights(path)
    assert found_words == (None if words is None else tuple(words))
    assert_allclose(found, weights)
    sampler = FixedUnigram(path)
    counts = [1] * len(weights)
    assert_allclose(sampler.weights(counts), weights)
    if words is not None:
        assert_allclose(sampler.weights(counts, words[::-1]), weights[::-1])


def test_weights_of_one_column_are_in_the_order_of_the_vocabulary(tmp_path):
    sampler = FixedUnigram(written(tmp_path, "4\n2\n1\n"), distortion=0.5, reserved=1)
    assert_allclose(sampler.weights([9] * 4, ["<pad>", "x", "y", "z"]), [0, 2, 2**0.5, 1])
    with pytest.raises(ValueError, match=r"4 words of the vocabulary.*got 3"):
        sampler.weights([9] * 5, list("abcde"))


def test_a_compressed_file_is_read(tmp_path):
    path = tmp_path / "vocab.txt.gz"
    path.write_bytes(gzip.compress(b"the 9\ncat 2\n"))
    assert read_weights(path) == (("the", "cat"), [9, 2])


BAD = {
    "no number": ("the 100\nof many\n", 2, "a line must be a word and its weight, got 'of many'"),
    "a header": ("word,count\nthe,5\n", 1, "got 'word,count'"),
    "a word alone": ("the 100\nof\n", 2, "got 'of'"),
    "a weight without a word": (
        "the 100\n50\n",
        2,
        "a line must be a word and its weight, got '50'",
    ),
    "a word in one column": ("100\n\nof 50\n", 3, "a line must be a weight, as line 1 is, got 'of"),
    "no word before a comma": ("the,100\n,50\n", 2, "got ',50'"),
    "a negative weight": (
        "the 100\nof -5\n",
        2,
        "a weight must be finite and not negative, got -5",
    ),
    "not a number": ("the 100\nof nan\n", 2, "a weight must be finite and not negative, got nan"),
    "infinite": ("100\ninf\n", 2, "a weight must be finite and not negative, got inf"),
    "a decimal comma": ("the 1,5\nof 2\n", 1, "got 'the 1,5'"),
    "digits in groups": ("the 1_000\nof 2\n", 1, "got 'the 1_000'"),
    "a word twice": ("the 5\nof 3\n\nthe 2\n", 4, "the word 'the' is on line 1 already"),
    "bytes that are no text": (b"the 5\n\xff\xfe 3\n", 2, "not UTF-8"),
}


@pytest.mark.parametrize(("text", "line", "message"), BAD.values(), ids=BAD)
def test_an_error_names_file_and_line(tmp_path, text, line, message):
    path = written(tmp_path, text)
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        FixedUnigram(path)
    assert str(error.value).startswith(f"{path}, line {line}: ")


@pytest.mark.parametrize("text", ["", "\n \n\r\n"])
def test_an_empty_file_is_refused(tmp_path, text):
    path = written(tmp_path, text)
    with pytest.raises(ValueError, match="holds no weights"):
        FixedUnigram(path)


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        FixedUnigram(tmp_path / "none.txt")
