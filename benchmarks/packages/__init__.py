"""Programs of some seconds that use packages written for NumPy: what JITCORE=1 gains or costs them.

    python tools/scripts.py benchmarks/packages/[a-z]*.py --rounds 3

with minisom, filterpy, cma, pymoo, pykalman and perlin-noise installed; own_clusters.py needs
nothing but NumPy. Each draws from a seed of its own, and prints what it finds.
"""
