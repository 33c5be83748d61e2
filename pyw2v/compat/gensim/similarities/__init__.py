"""gensim.similarities: the search by Annoy; the rest, of documents, comes from the real gensim."""

from pyw2v.compat._imports import fall_through

__getattr__ = fall_through(
    __name__,
    (
        *("LevenshteinSimilarityIndex", "MatrixSimilarity", "Similarity", "SoftCosineSimilarity"),
        *("SparseMatrixSimilarity", "SparseTermSimilarityMatrix", "TermSimilarityIndex"),
        *("UniformTermSimilarityIndex", "WmdSimilarity", "WordEmbeddingSimilarityIndex"),
    ),
)
