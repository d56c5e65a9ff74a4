"""KernelBody and Nest ─▶ the C text of one kernel.

    kernel_c.py          loops over rows and chunks, and the blocks inside them
    buffers.py           what is written: blocks in order, and where each variable lives
    block.py             one block: a C loop over a run of steps, or a call of NumPy's inner loop
    reductions.py        how values join a result, in NumPy's order (ReductionStrategy)
    reduction_c.py       C functions that reductions call
    register_tile.py     short rows of results stay in registers
    fp_liveness.py       values kept alive for their floating-point flags
    skip_unselected.py   predicated skip: chunks in which a mask selects nothing
    c_lines.py           C text while it is written

May assume the body's casts: each step's operands have exactly its dtypes.
"""
