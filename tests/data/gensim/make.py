"""Makes the files in this folder, with gensim 4.4: `python make.py`, here."""

import pickle
from pathlib import Path

import joblib
import numpy as np
from gensim.models import FastText, Phrases, Word2Vec

texts = [["human", "interface", "computer"], ["graph", "trees", "naïve"], ["graph", "human"]] * 5

model = Word2Vec(texts, vector_size=5, min_count=1, seed=3, workers=1, hs=1, negative=3, window=2)
model.lifecycle_events = []
model.save("word2vec")
model.save("word2vec-parts", sep_limit=20)
model.save("word2vec-parts.gz", sep_limit=20)
model.wv.lifecycle_events = []
model.wv.save("vectors")
np.save("word2vec.expected.npy", model.wv.vectors)

subwords = FastText(texts, vector_size=5, min_count=1, seed=3, workers=1, bucket=20, sg=1)
subwords.lifecycle_events = []
subwords.save("fasttext")
subwords.wv.save("fasttext-vectors")
rows = np.array([subwords.wv[word] for word in ["human", "naïve", "unseen"]])
np.save("fasttext.expected.npy", rows)

phrases = Phrases(texts, min_count=1, threshold=0.1, scoring="npmi", connector_words=["interface"])
phrases.lifecycle_events = []
phrases.save("phrases")
frozen = phrases.freeze()
frozen.lifecycle_events = []
frozen.save("frozen-phrases")

Path("pickled").mkdir(exist_ok=True)
pickled = {"word2vec": model, "vectors": model.wv, "fasttext": subwords}
pickled |= {"fasttext-vectors": subwords.wv, "phrases": phrases, "frozen-phrases": frozen}
for thing in pickled.values():
    thing.lifecycle_events = []
for name, thing in pickled.items():
    with open(f"pickled/{name}.pickle", "wb") as file:
        pickle.dump(thing, file)
    joblib.dump(thing, f"pickled/{name}.joblib", compress=3)
