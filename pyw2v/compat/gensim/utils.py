"""gensim.utils: what users of word vectors import from it; the rest is the real gensim's."""

import pickle
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn, Self

from pyw2v.compat._imports import fall_through
from pyw2v.corpus.vocab import RULE_DEFAULT, RULE_DISCARD, RULE_KEEP, TrimRule, keep_word
from pyw2v.io.atomic import atomic_write
from pyw2v.io.streams import open_binary

__all__ = [
    "PAT_ALPHABETIC",
    "RULE_DEFAULT",
    "RULE_DISCARD",
    "RULE_KEEP",
    "SaveLoad",
    "any2unicode",
    "any2utf8",
    "call_on_class_only",
    "deaccent",
    "keep_vocab_item",
    "prune_vocab",
    "save_as_line_sentence",
    "simple_preprocess",
    "simple_tokenize",
    "to_unicode",
    "to_utf8",
    "tokenize",
]

PAT_ALPHABETIC = re.compile(r"((?!\d)\w)+")


def any2unicode(text: str | bytes, encoding: str = "utf8", errors: str = "strict") -> str:
    """Return the text as str."""
    return text if isinstance(text, str) else str(text, encoding, errors=errors)


def any2utf8(text: str | bytes, errors: str = "strict", encoding: str = "utf8") -> bytes:
    """Return the text as UTF-8."""
    return any2unicode(text, encoding, errors).encode("utf8")


to_unicode = any2unicode
to_utf8 = any2utf8


def deaccent(text: str | bytes) -> str:
    """Return the text without accents."""
    parts = unicodedata.normalize("NFD", any2unicode(text))
    bare = "".join(character for character in parts if unicodedata.category(character) != "Mn")
    return unicodedata.normalize("NFC", bare)


def simple_tokenize(text: str) -> Iterator[str]:
    """Yield the runs of letters."""
    for match in PAT_ALPHABETIC.finditer(text):
        yield match[0]


def tokenize(
    text: str | bytes,
    lowercase: bool = False,
    deacc: bool = False,
    encoding: str = "utf8",
    errors: str = "strict",
    to_lower: bool = False,
    lower: bool = False,
) -> Iterator[str]:
    """Yield the runs of letters, in lower case or without accents on request."""
    decoded = any2unicode(text, encoding, errors)
    if lowercase or to_lower or lower:
        decoded = decoded.lower()
    return simple_tokenize(deaccent(decoded) if deacc else decoded)


def simple_preprocess(
    doc: str | bytes, deacc: bool = False, min_len: int = 2, max_len: int = 15
) -> list[str]:
    """Return the words of a text in lower case, those of such a length."""
    return [
        token
        for token in tokenize(doc, lower=True, deacc=deacc, errors="ignore")
        if min_len <= len(token) <= max_len and not token.startswith("_")
    ]


def keep_vocab_item(
    word: Any, count: int, min_count: int, trim_rule: TrimRule | None = None
) -> bool:
    """Return whether a word stays in a vocabulary."""
    return keep_word(word, count, min_count, trim_rule)


def prune_vocab(vocab: dict[Any, int], min_reduce: int, trim_rule: TrimRule | None = None) -> int:
    """Drop from `vocab` the words below min_reduce, or by the rule; return the sum dropped."""
    dropped = [
        word for word, count in vocab.items() if not keep_word(word, count, min_reduce, trim_rule)
    ]
    return sum(vocab.pop(word) for word in dropped)


def save_as_line_sentence(corpus: Iterable[Iterable[str]], filename: str) -> None:
    """Write a corpus with one sentence a line, which LineSentence reads."""
    with atomic_write(filename) as file:
        for sentence in corpus:
            file.write((" ".join(sentence) + "\n").encode("utf8"))


def call_on_class_only(*args: Any, **kwargs: Any) -> NoReturn:
    """Stand for `load` in gensim's models, and so in pickles of them."""
    raise AttributeError("load is called on the class, not on a model")


class SaveLoad:
    """A base class for other people's classes: `save` and `load` by pickle, as gensim's does.

    pyw2v's own models do not derive from it: their files hold no code.
    """

    def save(
        self,
        fname_or_handle: Any,
        separately: Any = None,
        sep_limit: int = 10 * 1024**2,
        ignore: Iterable[str] = frozenset(),
        pickle_protocol: int = 4,
    ) -> None:
        """Write the object to one file; the attributes in `ignore` will be None."""
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__, **dict.fromkeys(ignore))
        if hasattr(fname_or_handle, "write"):
            pickle.dump(copy, fname_or_handle, pickle_protocol)
            return
        with atomic_write(fname_or_handle) as file:
            pickle.dump(copy, file, pickle_protocol)

    @classmethod
    def load(cls, fname: Any, mmap: Any = None) -> Self:
        """Read what `save` wrote. As with any pickle, the file can run code: trust its origin."""
        with open_binary(fname) as file:
            loaded: Self = pickle.load(file)
        return loaded


__getattr__ = fall_through(__name__)
