"""One-way constraints between variables, kept up as they change: methods, lists, attributes."""

from __future__ import annotations


class Variable:
    def __init__(self, value: int) -> None:
        self.value = value
        self.readers: list[Constraint] = []
        self.writer: Constraint | None = None
        self.mark = 0


class Constraint:
    strength = 1

    def __init__(self, inputs: list[Variable], output: Variable) -> None:
        self.inputs, self.output = inputs, output
        for variable in inputs:
            variable.readers.append(self)
        output.writer = self

    def compute(self) -> int:
        raise ValueError("which one?")

    def execute(self) -> None:
        self.output.value = self.compute()


class Equal(Constraint):
    def compute(self) -> int:
        return self.inputs[0].value


class Scaled(Constraint):
    strength = 2

    def compute(self) -> int:
        value, scale, offset = self.inputs
        return value.value * scale.value + offset.value


class Planner:
    def __init__(self) -> None:
        self.marks = 0

    def plan(self, start: Variable) -> list[Constraint]:
        self.marks += 1
        todo, found = list(start.readers), []
        while todo:
            constraint = todo.pop()
            if constraint.output.mark == self.marks:
                continue
            constraint.output.mark = self.marks
            found.append(constraint)
            todo.extend(sorted(constraint.output.readers, key=lambda c: c.strength))
        return found

    def change(self, variable: Variable, value: int) -> None:
        variable.value = value
        for constraint in self.plan(variable):
            constraint.execute()


def run() -> int:
    planner, first = Planner(), Variable(0)
    chain = [first]
    for i in range(60):
        following = Variable(0)
        if i % 3:
            Equal([chain[-1]], following)
        else:
            Scaled([chain[-1], Variable(1), Variable(i)], following)
        chain.append(following)
    for value in range(40):
        planner.change(first, value)
    return chain[-1].value
