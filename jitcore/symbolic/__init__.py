"""Region point + live frame ─▶ Capture: graph, guards, exits, and why it ended.

    capture.py    walks with a Machine; a break forces one at its instruction and walks again
    capture_state.py   what a walk knows so far
    machine.py    the symbolic interpreter ─▶ handlers/ (one function for each canonical opcode)
    opcode.py     the table of handlers, with their stack effects
    state.py      records: frames, segments (windows, effect steps, loop regions), Capture
    signals.py    how a walk ends early          unwind.py     known exceptions ─▶ their handlers
    values.py     closed sum of what is known of an object
    placeholders.py   values that stand for nothing of the user's
    value_parts.py    what is inside a value; a finished capture lets go of the user's objects
    wrap.py       live object ─▶ value + guards (specialization)
    nodes.py      values ─▶ graph nodes
    truth.py      bool(value), if it is known    arity.py      arguments of modelled builtins
    exits.py      state ─▶ Exit: deferred effects, and
    recipes.py    value ─▶ how an exit rebuilds it
    objects/      operations by kind of operand  arrays/       what shapes and masks need
    models/       one model for each builtin     loops/        loops that become C as a whole

    break_rows.py, break_reason.py   what stands in the way ─▶ row of the break table
    describe.py                      value ─▶ words for a report

    frame ─ wrap ─▶ values ─ handlers ─▶ nodes, guards ─ exits ─▶ Capture

May assume that nothing else runs during a capture. Of the user's code it runs only what was
promised to give a constant (objects/assumed_constant.py).
"""
