"""Operations on symbolic values, by kind of operand.

    operators.py      a + b                  comparisons.py     a < b, is, in
    subscripts.py     a[b]                   attrs.py           a.name
    class_attrs.py    what a class has      instance_values.py   objects of the user's classes
    container_values.py   lists, tuples, dicts, sets
    namespaces.py     dicts of names that several ways reach
    iterate.py        next item, all items, how many are left
    calls.py          a call, by callee: model, op row, inlined body, class, break
    inlined.py        Python function ─▶ its body in place
    function_parts.py   code, defaults, closure of a function, guarded
    compiled.py       what jitcore.compile returned ─▶ its function
    allowed_calls.py  allow_in_graph: an effect step
    assumed_constant.py   assume_constant_result: called once, while compiling
    exceptions.py     exceptions made        namedtuples.py     their fields
    strings.py        f"{x:.3f}" of run-time numbers
    blind_append.py   found.append(x) without a guard for the length

May assume that values are specialized on demand (jitcore/symbolic/wrap.py).
"""
