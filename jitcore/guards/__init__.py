"""Facts that a capture took for granted ─▶ a flat program that C checks before an entry runs.

    source.py        where a value came from: the path by which a guard finds it again
    guard.py         what must hold of a source: type, identity, shape, constant, length
    program.py       guards ─▶ words of csrc/guards/ops.h: cheap first, shared loads once
    reason.py        guard, and what it met when it failed ─▶ "self.w.shape[1]: 64 → 128"
    safe_lookup.py   names and classes that can be looked at without running the user's code

    Guard(source) ─ program.py ─▶ GuardProgram ─▶ csrc/guards/eval.c: hold, or miss

May assume that no guard runs code of the user's. A miss is always right.
"""
