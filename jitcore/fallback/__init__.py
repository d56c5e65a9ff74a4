"""What CPython goes on with: exits, the break table, and C + region points ─▶ C*.

    exit.py      Exit: where CPython goes on, recipes for locals and stack, deferred effects
    splice.py    C + points ─▶ C*, with jumps, exception table and lines moved
    breaks/      kind × place ─▶ Break: why a piece runs in CPython, in the user's words
    hints.py     Break ─▶ the way out that its reader is told

Exits are data. csrc/plan/plan.c rebuilds the state, csrc/frame/frame.c puts it into the frame.
May assume opcodes, sources and the graph's values; nothing of how a region is captured.
"""
