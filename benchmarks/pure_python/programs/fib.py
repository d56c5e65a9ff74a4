"""Recursive calls and small ints."""


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def run() -> int:
    return fib(20)
