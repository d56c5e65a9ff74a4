"""`python -m jitcore COMMAND`: one module for each command that needs the package.

    commands.py        the list of them, and what is said of each
    bugreport.py       run a script in verify mode ─▶ a file for each difference
    replay.py          such a file ─▶ does it still happen?
    replay_source.py   the same by running the function in it (--execute)
    doctor.py          this machine ─▶ what works, what to install
    cache.py           size, list and clear the kernels on disk
    report.py          a report as JSON ─▶ console, page

jitcore/__main__.py chooses, and runs scripts.
"""
