"""What users say to jitcore, as records that the rest of the package reads.

    array_spec.py     signature=[ArraySpec(…)] ─▶ checks of a call, example arguments
    assumptions.py    allow_in_graph, assume_constant_result ─▶ callables, by identity
    directives.py     disable, graph_break, is_compiling ─▶ marks on code, or next to nothing
    dynamic_axes.py   mark_dynamic, mark_static ─▶ axes of arrays, by weak identity
    config_scope.py   `with jitcore.config(…):` ─▶ the Config of this thread
    stance.py         `with jitcore.stance(…):` ─▶ eager, compile or fail_on_break on this thread
    backends.py       register_backend(name, fn) ─▶ name ─▶ backend
    cache_info.py     the records that f.cache_info() returns

May assume NumPy. Nothing here compiles; the public functions are in jitcore/api/.
"""
