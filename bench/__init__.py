"""pyw2v and gensim timed side by side on the same work: `python -m bench`. See README.md."""
