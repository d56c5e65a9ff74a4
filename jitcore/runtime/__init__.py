"""What is known of code objects between compilations, and when compiling pays.

    adopt.py              code object ─▶ a record and its first point; forgetting it
    records.py            code object ─▶ Record: points, regions, breaks, seen numbers
    regions.py            capture, entry ─▶ the Region that a record keeps
    points.py             offsets ─▶ points, and a C* that has them
    install.py            entry ─▶ its point and dispatchers
    pending_points.py     points that JITCORE=1 made before there was a record

    recompile_reason.py   frame without an entry ─▶ what differs from the nearest one
    policy.py             is another version worth making?
    allowance.py          seconds that one function may cost to compile
    sizes/                one entry for a range of shapes

    exclusions.py         code ─▶ left to CPython?
    library_scope.py      code ─▶ the user's, or a library's?
    integrity.py          builtins and NumPy's loops are the originals?
    warning_safety.py     could a warning raise now?

    threads.py            threads that a kernel may use
    threadpools.py        threadpoolctl ─▶ sees and limits them
    memory_limit.py       limits ─▶ bytes for the pool
    process.py            threads, memory, logs of the whole process
    pending_frames.py     frames that verify mode compares later
    notify.py             compile events ─▶ record, logs, subscribers

May assume that one thread compiles a place at a time (Record.alone). No record holds an object of
the user's.
"""
