"""What the bench tells its user without a traceback."""


class BenchError(Exception):
    """Something the user can mend: a file that is not there, a library that does not import."""
