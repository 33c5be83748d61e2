"""What C++ gets of a NumPy array. Used from other modules' Cython only."""
