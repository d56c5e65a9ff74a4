"""Steps ─▶ numbers for reports: bytes, operations, memory. Nothing is decided by them.

    bytes_moved.py   steps ─▶ bytes of arrays read and written, each byte once a step
    operations.py    node ─▶ operations on elements
    peak_memory.py   steps in order ─▶ bytes of arrays alive at once
    bandwidth.py     this machine ─▶ bytes per second, cache sizes

May assume exact types: what depends on contents is not counted.
"""
