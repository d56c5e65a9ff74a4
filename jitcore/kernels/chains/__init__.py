"""Fusion groups that feed one another ─▶ one kernel, band by band (overlapped tiling).

    feeding.py    which groups may be stages, and which read which
    stencil.py    the next stage reads through shifted views: halo rows are computed again
    rowwise.py    the next stage needs a row's reduction: softmax
    stages.py     Chain: stage bounds, buffers and steps, as records
    operands.py   a chain's stages ─▶ one group: what a launch takes and makes
    chain_c.py    Chain ─▶ C text

    groups ─ feeding ─▶ candidates ─ stencil, rowwise ─▶ Chain ─ operands, chain_c ─▶ kernel

jitcore/passes/chain.py chooses. Records here may assume that groups are valid kernels alone.
"""
