"""C text ─▶ a loaded function, from memory, from disk, or compiled now.

    C text ─ cache.py ─▶ address
        in memory ─▶ done
        on disk: cache_dir.py, trusted by folder_trust.py ─▶ dlopen.py
        else: compiler.py ─▶ assembly, searched for FMA ─▶ library ─▶ dlopen.py
              selftest.py  the first compiler and flags with NumPy's bits
              subprocesses.py  runs it      parallel_map.py  several at once
              background.py  while the program goes on
        failed: retry_cache.py, a negative cache with backoff: 1 minute, 2, 4 … 1 hour

    For generated text:
        abi.py            type numbers, operand letters and flag bits, as C has them
        c_helpers.py      C functions that kernels call
        c_source.py       a text, and how it is compiled and named
        literals.py       NumPy scalars ─▶ C initialisers
        symbol_names.py   names for profilers
        numpy_loops.py    ufunc, types ─▶ NumPy's inner loop, and how it may be called
        blas.py           the BLAS that NumPy has loaded

May assume that a kernel is its text: equal text is one library, whichever function it is from.
"""
