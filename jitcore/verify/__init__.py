"""Verify mode: regions run both ways, and CPython's result counts. Begins in shadow_run.py.

    shadow_run.py         an entry ─▶ a shadow run at its point, then CPython
    stand_ins.py          entry ─▶ probe and twin, whose exits report their effects
    journal.py            arrays and lists an entry may write: kept, undone, compared
    iterators.py          an iterator ─▶ a copy for the shadow run
    poison_empty.py       np.empty filled with a mark
    exit_places.py        where an exit can be looked at
    expected.py           the shadow run's transfer ─▶ what CPython is compared with
    compare_region.py     an entry that is compared, in place of one that serves
    warning_recorder.py   warnings noted before the program's filters
    deep_equal.py         two objects ─▶ what differs
    findings.py           differences, for the report at exit

    Errors of our own:    contain.py, error_boundary.py ─▶ internal.py: one log entry
    Bug reports:          bug_report.py ↔ text     value_codec.py ↔ one input
                          case.py ↔ graph and inputs, run again     shrink.py ─▶ smaller
                          loop_types.py   types of a parsed loop, inferred anew

May be slow. It may assume that the exits are data: expected and actual state compare slot by slot.
"""
