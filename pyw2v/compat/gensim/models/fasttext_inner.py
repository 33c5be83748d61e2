"""gensim.models.fasttext_inner: the functions of this compiled module that others import."""

from pyw2v.fasttext_model import compute_ngrams, compute_ngrams_bytes, ft_hash_bytes

__all__ = ["compute_ngrams", "compute_ngrams_bytes", "ft_hash_bytes"]
