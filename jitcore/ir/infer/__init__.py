"""Arguments of a call ─▶ the exact type of its result, or None: known at run time only.

    elementwise.py   operands ─▶ dtype, shape, layout: NumPy's iterator is asked
    view.py          array ─▶ view: NumPy is asked, on arrays without memory
    index.py         a[…], a[…] = x
    moving_view.py   a slice whose start only run time knows, its length fixed
    create.py        shapes and numbers ─▶ new arrays
    by_sample.py     the real function on a small array of the same kind
    by_dummy.py      the real function on zeros, ones and a ramp
    average.py       np.average with weights
    bincount.py      np.bincount with minlength
    histogram.py     np.histogram in equal bins

A rule is exact or silent. Each may assume that its row in jitcore/ir/ops/ asks for it by name.
"""
