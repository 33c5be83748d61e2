"""`KeyedVectors`: keys and vectors with every query, as gensim users know them."""

from pyw2v._arrays import prep_vectors, pseudorandom_weak_vector
from pyw2v._queries import Queries

__all__ = ["KeyedVectors", "prep_vectors", "pseudorandom_weak_vector"]


class KeyedVectors(Queries):
    """A mapping from keys (words) to vectors."""
