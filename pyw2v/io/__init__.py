"""Files in and out, one module per format; arrays, lists and dicts only, never models."""
