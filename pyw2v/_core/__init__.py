"""Extension types, one module per C++ owner: the only way from Python into csrc."""
