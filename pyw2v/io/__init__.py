"""Files in and out, one module per format; arrays, lists and dicts only, never models.

`native` is pyw2v's own format. `word2vec_format`, `fasttext_format`, `glove_format` and
`gensim_format` are those of other programs; gensim's pickles are read as data, by `pickle_*`, and
run no code. All writes are atomic (`atomic`), and every length in a file is checked (`fields`).
"""
