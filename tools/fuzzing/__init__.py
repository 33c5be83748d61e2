"""Mutated files for every format that pyw2v reads: see `tools/fuzz`, which runs this package."""
