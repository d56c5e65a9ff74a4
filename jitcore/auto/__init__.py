"""JITCORE=1: code that works with arrays is found and compiled without a decorator.

    jitcore/switch.py      NumPy has been imported
    global_mode.py         ─▶ csrc/policy/hotness.c begins to sample ufunc calls
    prepare.py             code that was found ─▶ C* with cold points
    cold_points.py         code ─▶ its C*; cold points ask nobody before the code is hot
                           first hot point ─▶ jitcore/pipeline.py is loaded
    site_check.py          a Python's options ─▶ does its `site` read jitcore.pth?

May assume that the program may never come to use arrays: each module loads as little as it can.
"""
