"""The text that `pyw2v demo` trains on; README.md says where it is from."""
