"""Whole loops ─▶ loops of the same results in another order, each with its legality test.

    versioning.py            block of iterations done at once, scalar loop behind it
    doall.py                 DOALL: iterations that share nothing, for csrc/loop/doall.c
    loop_nest.py             two nested loops: head, inner body, tail
    skew.py                  dependence distances ─▶ skew        wavefront.py   ─▶ C
    strip_mine.py            strip mining and interchange: is it legal?
        strip_mine_body.py  strip_mine_function.py  strip_mine_driver.py      ─▶ C
    unroll_and_jam.py        32 iterations side by side          unroll_and_jam_c.py   ─▶ C
    minmax.py                max and min of ints ─▶ vector code
    forward_stores.py        store-to-load forwarding in a recurrence
    dots.py                  dot products in the BLAS's order of additions
    batch_products.py        dot products of later iterations computed early
    batch_gemv.py            vector-matrix products of several iterations at once

Where a transformation does not apply it raises CannotLower with the reason (ir/cannot_lower.py),
which is kept with the loop (loops/remarks.py).

Legality is decided by subscripts, or by a test of addresses at run time. Anything out of the
ordinary at run time undoes the block and runs the iterations one by one.
"""
