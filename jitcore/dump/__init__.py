"""What was made of a function, as files to read (JITCORE_DUMP=folder). Changes nothing.

    folder.py     code object ─▶ its folder; whole files only
    function.py   function, region ─▶ source, code, graphs, C
    steps.py      capture, plan ─▶ the graph's text at each stage
    on_request.py  JITCORE_DUMP ─▶ the above, or one line that says why not
    exits.py      Exit ─▶ Python-like text

jitcore/pipeline.py calls it after assembling, which may have given no entry.
"""
