"""CMA-ES (cma) on Rosenbrock's function in ten dimensions."""

import cma
import numpy as np

ROUNDS = 12


def rosenbrock(x):
    x = np.asarray(x)
    return float(np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2))


def main():
    options = {"seed": 11, "verbose": -9, "maxiter": 700}
    search = cma.CMAEvolutionStrategy(10 * [0.5], 0.5, options)
    while not search.stop():
        points = search.ask()
        search.tell(points, [rosenbrock(x) for x in points])
    print(search.result.xbest.tolist(), search.result.fbest, search.result.evaluations)


for _ in range(ROUNDS):
    main()
