"""Random programs, run eager and compiled, compared bit for bit, and shrunk where they differ."""
