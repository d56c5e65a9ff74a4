"""Operations on slices in a native loop ─▶ C loops over their elements.

    array_nodes.py    node ─▶ what writes it: the table
    elementwise.py    dtypes and C text of one operation
    delayed.py        delayed nodes ─▶ one loop that computes them all
    ufunc_loops.py    what C has no text for, by NumPy's inner loops
    nest.py           the loops over elements, and the scratch buffers that they fill
    reductions.py     products and sums, by NumPy's own inner loops
    stores.py         a[1:-1] = …: in place, or through a buffer where arrays overlap
    compress.py       x[mask] packed, x[mask] = y unpacked
    constructors.py   zeros, full, copies: arrays in scratch buffers

Extents are variables of the C function. Flags are looked at before a store can be seen.
"""
