"""`python -m jitcore COMMAND`: one module for each command that needs the package.

    bugreport.py       run a script in verify mode ─▶ a file for each difference
    replay.py          such a file ─▶ does it still happen?
    replay_source.py   the same by running the function in it (--execute)
    doctor.py          this machine ─▶ what works, what to install
    cache.py           size, list and clear the kernels on disk

jitcore/__main__.py chooses. `report` and `explain` are in jitcore/report/.
"""
