"""What can be wrong with a file's bytes; a failing system call stays an OSError."""


class TruncatedFileError(ValueError, EOFError):
    """A file ends before what it promises.

    A ValueError like every other fault of a file's content, and an EOFError because that is what
    gensim raises here.
    """
