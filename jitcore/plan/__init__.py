"""Capture ─▶ Entry: guards, plan and exits, as _C.Entry takes them.

    assemble.py          segments, guards, exits ─▶ Entry
    liveness.py          what is read after each segment; dead nodes go
    segments.py          segments ─▶ kernels, NumPy calls, backend calls; runs the passes
        absorb_stores.py    stores into the windows before them
        copy_overlaps.py    copies of what a store would overwrite too early
        fold_constants.py   numbers that need no call
    lower_plan.py        planned segments and exits ─▶ calls of the builder
    plan_builder.py      steps ─▶ plan words: registers, frees, windows, exits (csrc/plan/ops.h)

    masked_baseline.py   NumPy's way for masked stores, for the baseline of the trial
    backend_call.py      a window ─▶ one call of a user's backend
    errstate_raise.py    the error state under which pure calls run
    step_remarks.py      a plan's steps ─▶ what applied to them, and what did not
    work.py              a step's name in reports

    Capture ─ segments ─▶ Schedule ─ lower_plan ─▶ plan_builder ─▶ words ┐
    guards ─ guards/program.py ─▶ guard program                          ┴▶ _C.Entry

May assume a finished capture. A loop that C refuses raises LoopLeft: captured again without it.
"""
