"""gensim.models.callbacks; those of topic models come from the real gensim."""

from pyw2v.callbacks import CallbackAny2Vec
from pyw2v.compat._imports import fall_through

__all__ = ["CallbackAny2Vec"]

__getattr__ = fall_through(__name__)
