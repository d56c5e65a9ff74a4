"""Pure nodes of a window ─▶ the same results with fewer loops, arrays and calls.

    scaled_gemv.py            (c * A) @ x ─▶ one call
    fuse.py                   nodes ─▶ fusion groups and NumPy calls, by these:
        decompose.py             np.std ─▶ its steps
        pad_rolls.py             np.roll ─▶ views of a padded copy
        fold_filled.py           np.zeros(n) in calculations ─▶ the number
        unroll_short_axes.py     reduction over 3 elements ─▶ 3 steps
        elide_concat.py          np.stack ─▶ parts of one array
        clusters.py              groups in the making, in a legal order
        rematerialize.py         cheap values computed again, not stored
        reuse_buffers.py         a dead array's memory ─▶ a result's
    chain.py                  groups that feed one another ─▶ chains (kernels/chains/)
    replace_calls.py          NumPy's function ─▶ the extension's
        small_matmul.py          a @ b of small matrices

jitcore/plan/segments.py runs them in this order. Bits, flags and warnings stay. A pass may assume
one window: no step in it has effects.
"""
