"""A loop in bytecode ─▶ a loop region: a segment of the graph that is C as a whole.

    loop_region.py      where a region begins and ends; what is refused
    loop_state.py       LoopState: a loop region while it is captured
    walk_loop.py        body ─▶ `for` or `loop` node, walked until carried types are stable
    loop_node.py        walked body ─▶ node, and the frame where it ends
    branches.py         fork: both arms walked, joined at the post-dominator
    union_value.py      a number of one of two types, with a tag
    counted_iter.py     iterators with a known trip count
    carried_arrays.py   loop-carried arrays     local_arrays.py   arrays made in the loop
    slice_bounds.py     start and count of a slice at run time
    array_views.py      a[i, :j]                array_stores.py   a[i, :j] = x
    sequences.py        items of lists, tuples, str, bytes
    append_list.py      lists only appended to  local_stack.py    lists used as stacks
    membership.py       x in (1, 2, 3)          opaque_calls.py   call-outs: NumPy's functions
    size_limits.py      large arrays: kernels in the body instead

    header ─ loop_region ─▶ walk_loop ─ branches ─▶ loop_node ─▶ node with side exits

CannotCapture, LoopRejected: captured again; CPython runs the loop, with regions in its body.
"""
