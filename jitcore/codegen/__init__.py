"""Graph nodes → kernels and the plan that runs them. Knows arrays, not Python bytecode."""
