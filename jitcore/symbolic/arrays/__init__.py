"""What a capture knows of arrays beyond their types.

    shape_facts.py       extents as constants with guards, or as run-time numbers
    remainders.py        n % k as a constant: one residue class of n
    moving_view.py       x[i : i + 5]: a view whose start only run time knows
    masked_select.py     t = a[mask] computed on all of a (if-conversion)
    masked_store.py      a[mask] = x ─▶ np.where, np.copyto
    complex_elision.py   complex products whose operands NumPy exchanges

Each may give up: then the instruction is CPython's.
"""
