"""gensim.scripts: those about word vectors."""
