"""Pure nodes of a window ─▶ the same results with fewer loops, arrays and calls.

    window.py      PASSES, the list; each takes the plan of a window and gives another:

    scaled_gemv.py          (c * A) @ x ─▶ one call
    decompose.py            np.std ─▶ its steps
    pad_rolls.py            np.roll ─▶ views of a padded copy
    fold_filled.py          np.zeros(n) in calculations ─▶ the number
    unroll_short_axes.py    reduction over 3 elements ─▶ 3 steps
    elide_concat.py         np.stack ─▶ parts of one array, and the whole again
    fuse.py                 nodes ─▶ fusion groups and NumPy calls, by these:
        clusters.py            groups in the making, in a legal order
        rematerialize.py       cheap values computed again, not stored
        reuse_buffers.py       a dead array's memory ─▶ a result's
    chain.py                groups that feed one another ─▶ chains (kernels/chains/)
    order_stores.py         stores after all that could fail
    replace_calls.py        NumPy's function ─▶ the extension's
        small_matmul.py        a @ b of small matrices
    why_call.py             a node that is still NumPy's call ─▶ why
    step_labels.py          steps ─▶ the same with names for profilers

jitcore/plan/segments.py runs them. Bits, flags and warnings stay. A pass may assume one window: no
step in it has effects. A new one is a module, and a row of PASSES.
"""
