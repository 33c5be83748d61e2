"""What can be wrong with a file's bytes; a failing system call stays an OSError."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager


class TruncatedFileError(ValueError, EOFError):
    """A file ends before what it promises.

    A ValueError like every other fault of a file's content, and an EOFError because that is what
    gensim raises here.
    """


def named(
    error: UnicodeDecodeError, path: str | os.PathLike[str], place: str
) -> UnicodeDecodeError:
    """Return the error with a reason that says in which file, and where, the text is no text."""
    reason = f"{error.reason} ({os.fspath(path)}, {place})"
    return UnicodeDecodeError(error.encoding, error.object, error.start, error.end, reason)


@contextmanager
def memory_for(what: str) -> Iterator[None]:
    """Make the OSError of a mapping for which memory is short a MemoryError that names it."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
        raise MemoryError(f"{what}: too little memory to map it") from error
