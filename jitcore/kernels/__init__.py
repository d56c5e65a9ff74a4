"""Graph nodes ─▶ kernels: one C loop nest over arrays of fixed layout. Knows no bytecode.

    constraints.py       node ─▶ may a kernel run it, and over which iteration space?
    group.py             FusionGroup: nodes that are one kernel
    lower.py             node ─▶ steps of a KernelBody (body.py): casts, then C or NumPy's loop
        lower_reduce.py  lower_argmax.py  lower_scan.py  lower_gather.py  casts.py
        short_axis_rows.py
    store_rules.py       `a[1:-1] = x + y`: may the loop write into `a`?
    view_offsets.py      view ─▶ base array and byte offset
    iteration_space.py   layouts ─▶ Nest: axes in memory order, coalesced
    parallel_split.py    body, nest ─▶ where threads may divide the loop
    fast_math.py         numerics="fast": libmvec, looser sums
    kernel.py            group ─▶ KernelSpec ─▶ _C.Kernel
    why_kernel.py        kernel ─▶ which ways of making it faster applied, and why others did not
    emit/                body, nest ─▶ C text
    chains/              groups that feed one another ─▶ one kernel, band by band

    nodes ─ lower ─▶ KernelBody ─ iteration_space ─▶ Nest ─ emit/ ─▶ C ─ toolchain ─▶ kernel

May assume that types are exact and that a launch (csrc/kernel/launch.c) checks every operand.
"CannotLower" means that a node stays NumPy's call, which is always right.
"""
