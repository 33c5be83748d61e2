"""gensim.test: only the toy data, which examples and other packages use."""
