"""Files of weights, one a line: `word weight`, `word,weight`, or weights alone.

The first is what word2vec's -save-vocab writes; words there may hold commas and quotes. The second
is the vocab_file of TensorFlow's fixed_unigram_candidate_sampler: the last field is the weight, and
what comes before it the word, without the quotes that a writer of CSV may have put around it. A
file is of the second kind if every line has a comma before its weight.
"""

import math
import os
import re
from typing import NoReturn

from pyw2v.io.streams import StrPath, open_binary

# Of characters that separate, none but these: others, such as wide blanks, are parts of words.
_BLANKS = " \t"
_BY_COMMA = re.compile(r"(.*?)[ \t]*,[ \t]*([^, \t]+)")
_BY_BLANK = re.compile(r"(.*?)[ \t]+([^ \t]+)")
_BY_EITHER = re.compile(r"([^ \t]+),([^, \t]+)")  # among lines with blanks, one with a comma
_QUOTED = re.compile(r'"((?:[^"]|"")+)"')

Line = tuple[int, str]  # its number and its text, which is not blank


def read_weights(path: StrPath) -> tuple[tuple[str, ...] | None, list[float]]:
    """Return the words, None if the file has none, and their weights.

    Blank lines do not count. Errors are ValueErrors that name file and line.
    """
    name = os.fspath(path)
    with open_binary(path) as file:
        lines = _lines(file.read(), name)
    if not lines:
        raise ValueError(f"{name} holds no weights")
    if _number(lines[0][1]) is not None:
        return None, [_alone(line, lines[0][0], name) for line in lines]
    split = _by_comma if all(_BY_COMMA.fullmatch(text) for _, text in lines) else _by_blank
    known: dict[str, int] = {}
    weights = []
    for line in lines:
        number, text = line
        word, weight = split(text) or ("", "")
        if not word or _number(weight) is None:
            _fail(name, number, f"a line must be a word and its weight, got {text!r}")
        if word in known:
            _fail(name, number, f"the word {word!r} is on line {known[word]} already")
        known[word] = number
        weights.append(_checked(weight, number, name))
    return tuple(known), weights


def _lines(content: bytes, name: str) -> list[Line]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _fail(name, 1 + content.count(b"\n", 0, error.start), f"the text is not UTF-8: {error}")
    lines = enumerate(text.replace("\r\n", "\n").split("\n"), 1)
    return [(number, line.strip(_BLANKS)) for number, line in lines if line.strip(_BLANKS)]


def _by_comma(text: str) -> tuple[str, str] | None:
    found = _BY_COMMA.fullmatch(text)
    return found and (_unquoted(found[1]), found[2])


def _by_blank(text: str) -> tuple[str, str] | None:
    found = _BY_BLANK.fullmatch(text) or _BY_EITHER.fullmatch(text)
    return found and (found[1], found[2])


def _unquoted(field: str) -> str:
    found = _QUOTED.fullmatch(field)
    return found[1].replace('""', '"') if found else field


def _alone(line: Line, first: int, name: str) -> float:
    number, text = line
    if _number(text) is None:
        _fail(name, number, f"a line must be a weight, as line {first} is, got {text!r}")
    return _checked(text, number, name)


def _number(text: str) -> float | None:
    try:
        return None if "_" in text else float(_unquoted(text))  # Python takes 1_000 for a number
    except ValueError:
        return None


def _checked(weight: str, line: int, name: str) -> float:
    number = _number(weight)
    if number is None or not math.isfinite(number) or number < 0:
        _fail(name, line, f"a weight must be finite and not negative, got {weight}")
    return number


def _fail(name: str, line: int, what: str) -> NoReturn:
    raise ValueError(f"{name}, line {line}: {what}")
