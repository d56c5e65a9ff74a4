"""tools/weight.py: rows, and a tracer for them."""
