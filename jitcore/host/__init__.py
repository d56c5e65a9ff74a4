"""The machine, the interpreter and the process, without NumPy: what any other folder may ask.

    fast_dataclass.py    class with annotations ─▶ dataclass, cheaper to load than the library's
    lazy_import.py       name of a module ─▶ the module, loaded at its first use
    at_exit.py           the program ends ─▶ compiled code lets go of the program's objects
    deadline.py          seconds for one piece ─▶ Abandoned, once they are gone

    cgroups.py           this process ─▶ files of its control groups
    cpu_count.py         affinity, quotas ─▶ processors
    numpy_versions.py    versions of NumPy with which the bits were compared
    private_names.py     names that CPython and NumPy promise to nobody ─▶ what they stand for
    own_code.py          code object ─▶ jitcore's own, or written by a class factory?
    user_exceptions.py   exception ─▶ did the program raise it while our code ran?
    plain_streams.py     stream ─▶ can it be written to without running the program's code?
    warning_filter.py    warnings of our own questions ─▶ dropped, on this thread only

    log_topics.py        JITCORE_LOGS ─▶ topics and signs
    units.py             number ─▶ "1.2 ms", "30 kB"

May assume nothing of jitcore but its version and errors.
"""
