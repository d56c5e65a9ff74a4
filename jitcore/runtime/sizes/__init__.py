"""A place that meets a second size ─▶ one entry for a range of sizes.

    generalize.py     the second size has come: try
    candidates.py     which axes may vary: seen, marked by the user, or only looked at
    ranges.py         where samples stand: ends of ranges, each remainder, points between
    sampler.py        the code captured again on array types of those sizes
    polynomials.py    numbers at several sizes ─▶ exact polynomials in extents
    fit.py            numbers of kernels and calls ─▶ polynomials
    sized_entry.py    samples alike but for numbers ─▶ guards on ranges, one entry

    sizes seen ─▶ candidates ─▶ ranges ─▶ sampler ─▶ fit, polynomials ─▶ sized_entry

May assume: where the samples at all corners agree, so do the sizes between. A launch checks its
operands again.
"""
