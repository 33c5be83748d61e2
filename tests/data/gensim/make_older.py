"""Makes the files of older versions: `python make_older.py`, here, once for each version of gensim.

They go to a folder named after the version: 3.8.3 (the last of gensim 3) and 4.0.1 are kept.
"""

import os

import gensim
import numpy as np
from gensim.models import FastText, Phrases, Word2Vec
from gensim.models.phrases import Phraser

texts = [["human", "interface", "computer"], ["graph", "trees", "naïve"], ["graph", "human"]] * 5
size = "size" if gensim.__version__.startswith("3.") else "vector_size"
settings = {size: 5, "min_count": 1, "seed": 3, "workers": 1, "window": 2}

os.mkdir(gensim.__version__)
os.chdir(gensim.__version__)


def without_history(model):
    """The history of a gensim 4 model tells of the machine it was made on."""
    if hasattr(model, "lifecycle_events"):
        model.lifecycle_events = []
    return model


model = without_history(Word2Vec(texts, hs=1, negative=3, **settings))
model.save("word2vec")
model.save("word2vec-parts", sep_limit=20)
model.save("word2vec-parts.gz", sep_limit=20)
without_history(model.wv).save("vectors")
np.save("word2vec.expected.npy", np.array([model.wv[word] for word in ["human", "naïve"]]))

subwords = without_history(FastText(texts, bucket=20, sg=1, **settings))
subwords.save("fasttext")
without_history(subwords.wv).save("fasttext-vectors")
rows = np.array([subwords.wv[word] for word in ["human", "naïve", "unseen"]])
np.save("fasttext.expected.npy", rows)

phrases = without_history(Phrases(texts, min_count=1, threshold=0.1, scoring="npmi"))
phrases.save("phrases")
without_history(Phraser(phrases)).save("frozen-phrases")
