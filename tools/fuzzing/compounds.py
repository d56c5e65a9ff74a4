"""Statements with others inside, and what leads to errors and stores: the lines of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzzing.grammar import Writer


def counted(writer: Writer, depth: int) -> list[str]:
    count = writer.new()
    writer.space[count] = 0
    last = writer.rng.choice((1, 2, 3, 5, 20))
    writer.loops += 1
    body = writer.indented(depth)
    writer.loops -= 1
    return [f"{count} = 0", f"while {count} < {last}:", f"    {count} += 1", *body]


def either(writer: Writer, depth: int) -> list[str]:
    head = writer.filled(writer.rng.choice(("if {s} > {n}:", "if {v}.sum() > {n}:", "if {s}:")))
    return [head, *writer.indented(depth), "else:", *writer.indented(depth)]


def attempted(writer: Writer, depth: int) -> list[str]:
    body = writer.indented(depth)
    if writer.rng.random() < 0.5:
        body.append("    " + writer.filled(writer.rng.choice(RAISING)))
    caught = writer.rng.choice(("Exception as e", "Exception", "(ValueError, IndexError) as e"))
    lines = ["try:", *body, f"except {caught}:", *writer.indented(depth, 1)]
    if " as e" in caught:
        lines.append("    print(type(e).__name__, e)")
    if writer.rng.random() < 0.2:
        lines += ["else:", *writer.indented(depth, 1)]
    return lines


RAISING = (
    "raise ValueError('said')",
    "raise IndexError({s})",
    "{v}[99] = 1",
    "{v}.reshape(7, 13)",
    "1 / 0",
    "{v} + np.ones(17)",
    "NAMES['none']",
    "{v} += 'text'",
    "helper()",
    "nothing_of_that_name",
    "bool({v})",
    "np.linalg.inv(np.zeros((2, 2)))",
)


def ended(writer: Writer, depth: int) -> list[str]:
    return ["try:", *writer.indented(depth), "finally:", *writer.indented(depth, 1)]


def closure(writer: Writer, depth: int) -> list[str]:
    name, result = "g" + writer.new(), writer.new()
    captured = writer.scalar_name()
    arg, number = writer.name(), writer.number()
    bodies = [
        [f"def {name}(p, k={number}):", f"    return p * k + {captured}"],
        [f"def {name}(p):", f"    t = np.tanh(p) + {captured}", "    return t - t.mean()"],
    ]
    if captured in writer.names and captured not in ("G", "TABLE"):
        bodies.append([
            f"def {name}(p):", f"    nonlocal {captured}", f"    {captured} = {captured} + 1",
            f"    return p - {captured}",
        ])  # fmt: skip
    lines = [*writer.rng.choice(bodies), f"{result} = {name}({arg})"]
    if writer.run(f"{result} = np.multiply({arg}, 2)"):
        writer.names.append(result)
    return lines


def stored(writer: Writer, depth: int) -> list[str]:
    """A store that raises on the way, or makes a warning an error: what is left of the target?"""
    error, caught = writer.rng.choice((
        ("np.errstate({err})", "FloatingPointError"),
        ("np.errstate(all='raise')", "(FloatingPointError, ValueError, TypeError)"),
        ("warnings.catch_warnings(action='error')", "(RuntimeWarning, ValueError, TypeError)"),
    ))  # fmt: skip
    lines = [writer.filled(writer.rng.choice(STORES)) for _ in range(writer.rng.randint(1, 2))]
    for line in lines:
        writer.run(line)
    return [
        "import warnings",
        "try:",
        f"    with {writer.filled(error)}:",
        *("        " + line for line in lines),
        f"except {caught} as e:",
        "    print(type(e).__name__, e)",
    ]


STORES = (
    "{v}[...] = {v} / {b} + {n}",
    "{v}[1:] = 1 / {v}[1:] + {s}",
    "{u}[...] = ({v} + {n}) / ({b} - {b})",
    "{v} += {b} / {v} * {n}",
    "{v}[::2] *= np.log({v}[::2]) + {n}",
    "np.divide({v} + {n}, {b}, out={v})",
    "{u}[1:] = {v}[1:] * 1e308 * {n}",
    "{v}[..., 0] -= {v}[..., -1] / {s} + 1",
)


def early(writer: Writer, depth: int) -> list[str]:
    if writer.rng.random() < 0.5:
        return []
    head = writer.filled(writer.rng.choice(("if {s} > {n}:", "if {v}.sum() > {n}:")))
    return [head, f"    return {writer.array(2)}"]


COMPOUNDS = {
    "while": counted,
    "ifelse": either,
    "try": attempted,
    "finally": ended,
    "closure": closure,
    "early": early,
    "stored": stored,
}
