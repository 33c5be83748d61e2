"""Word embeddings for Python with a fast C++ core."""
