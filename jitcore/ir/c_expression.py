"""C of an operation, and what is asked about it: nobody looks into the text.

    CExpression("{B}sqrt{S}({0})", calls="sqrt{S}", slow=True).of(S="f")   →   sqrtf({0})

{0}, {1} … are operands and stay until the line is written. {T} is the C type of the operands, {U}
the unsigned type of the same width, {S} the suffix of a function of the C library, {B} how its name
begins where no macro stands for it.
"""

from __future__ import annotations

from enum import Enum

from jitcore.host.fast_dataclass import dataclass

OPERANDS = ("{0}", "{1}", "{2}", "{3}")


class CKind(Enum):
    """What an expression does, as far as others must know; all but the first two call a helper."""

    COMPUTES = "computes"
    COPIES = "copies"  # its operand, as it is; the variable's type may be another
    QUIET = "quiet"  # asks floats, and raises nothing for NaNs
    SELECTS = "selects"  # the bits of one of two by a mask
    CONVERTS = "converts"  # to an integer, which may not hold the float
    ORDERS = "orders"  # an integer in a float's stead: a key
    RANKS = "ranks"  # the same with both zeros as one
    LIBRARY = "library"  # calls a function of the C library that is no instruction


@dataclass(frozen=True, slots=True)
class CExpression:
    """`calls`: the function of the C library in it. `slow`: it divides or takes a root."""

    text: str
    kind: CKind = CKind.COMPUTES
    calls: str = ""
    slow: bool = False

    def __repr__(self) -> str:
        return repr(self.text)

    def of(self, **words: str) -> CExpression:
        """With the types of the operands."""
        words = {"B": "", "S": "", **words}
        text = self.text.format(*OPERANDS, **words)
        return CExpression(text, self.kind, self.calls.format(**words), self.slow)

    def given(self, *operands: str) -> CExpression:
        """Of others: {0} becomes the first one's text."""
        text = self.text.format(*operands, *OPERANDS[len(operands) :])
        return CExpression(text, self.kind, self.calls, self.slow)


COPY = CExpression("{0}", CKind.COPIES)
