"""NSGA-II and differential evolution (pymoo)."""

from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.soo.nonconvex.de import DE
from pymoo.optimize import minimize
from pymoo.problems import get_problem

ROUNDS = 10


def main():
    found = minimize(get_problem("zdt1"), NSGA2(pop_size=60), ("n_gen", 120), seed=1)
    print(found.F.sum(), found.X.tolist()[0])
    found = minimize(get_problem("ackley", n_var=8), DE(pop_size=50), ("n_gen", 150), seed=1)
    print(found.F, found.X.tolist())


for _ in range(ROUNDS):
    main()
