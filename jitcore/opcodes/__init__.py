"""Code object ─▶ Code: CPython's bytecode as the rest of the package sees it.

    code object ─ decode.py ─▶ Code: instructions, handlers, depths, liveness, places for points
                    instr.py      one native instruction
                    canon.py      native instruction ─▶ canonical ones: versions end here
                    tables.py     the running CPython's table: py311.py, py312.py or py313.py
                    flow.py       natural loops; where two arms of a branch join
    instructions ─ encode.py ─▶ code bytes, exception table, location table

    for people:  disassembly.py   Code ─▶ instructions below the user's lines
                 source_text.py   Code ─▶ the user's text

May assume CPython 3.11 to 3.13. No module outside this folder asks for a version.
"""
