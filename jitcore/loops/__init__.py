"""Nodes of a loop region ─▶ a native loop: one C function with side exits.

    build_loop.py        nodes and exits ─▶ C text ─▶ NativeLoop, for csrc/loop/loop.c
    native_loop.py       NativeLoop: the record
    emitter.py           LoopEmitter: lines, variables, side exits
    emitter_records.py   what it knows of arrays, stacks, accesses while it writes
    emit_nodes.py        node ─▶ the form that writes it
    control.py           cond, for, loop          carried.py       loop-carried arrays
    forms/               scalar operations        arrays/          operations on slices
    address.py           where elements are       boxed_items.py   items of lists, tuples, str
    local_stack.py       lists kept in C          call_outs.py     calls of NumPy's functions
    fp_flags.py          flags looked at before anybody sees a result
    reread.py            memory that other threads change is read again now and then
    c_types.py           value ─▶ C type          line_comments.py  the user's lines, for people
    remarks.py           what was tried with each loop, as it is written
    transform/           whole loops ─▶ faster loops of the same results

    nodes ─ transform/, else emit_nodes ─▶ emitter ─▶ C ─ toolchain ─▶ _C.Routine

May assume types, not extents: shapes are run-time values here. What has no form leaves by a side
exit, and CPython repeats it.
"""
