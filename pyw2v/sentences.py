"""The public name of `pyw2v.corpus.sentences`."""

from pyw2v.corpus.sentences import (
    MAX_WORDS_IN_BATCH,
    BrownCorpus,
    LineSentence,
    PathLineSentences,
    Text8Corpus,
)

__all__ = [
    "MAX_WORDS_IN_BATCH",
    "BrownCorpus",
    "LineSentence",
    "PathLineSentences",
    "Text8Corpus",
]
