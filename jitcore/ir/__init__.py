"""The intermediate representation: types, the op table, graphs, and what they mean.

    live object ─ types.py ─▶ Type          arguments ─ call_facts.py ─▶ key for a look-up
    calls ─ builder.py ─▶ Graph (graph.py), with Values at the leaves of trees (value.py)
        one row for each operation: op.py; the rows: ops/; rules for result types: infer/
    Graph ─ text.py ─▶ text ─ parse.py ─▶ Graph
    Graph ─ verify.py ─▶ is it well formed?
    Graph ─ interp.py ─▶ results, by NumPy's own calls: the definition

    c_expression.py C of a row, and what is asked about it
    purity.py       nodes that may go when nobody reads them
    fp_effects.py   nodes that may raise floating-point flags
    errstate.py     NumPy's error state as one number
    cannot_lower.py why something is not lowered in some way: the exception
    remark.py       what applied to a loop or a kernel, and why others did not: the records
    strided.py      views and shapes without NumPy's replaceable functions

May assume NumPy, not bytecode: no frame, no exit and no generated C is known here.
"""

from jitcore.ir.builder import Builder
from jitcore.ir.graph import Body, Graph, Node, captured, uses, walk
from jitcore.ir.interp import interpret
from jitcore.ir.op import Effect, Kind, Op, Unsupported, leaf_type
from jitcore.ir.ops import BY_CALL, OPS, row_named, row_of
from jitcore.ir.ops.array import ATTRIBUTES, METHODS, Attribute
from jitcore.ir.ops.operator import BY_OPERATOR, specialise
from jitcore.ir.parse import ParseError, parse
from jitcore.ir.strided import phantom
from jitcore.ir.types import UNKNOWN, ArrayType, ObjectType, ScalarType, Type, parse_type, type_of
from jitcore.ir.value import Value, leaves, map_tree, substitute, values
from jitcore.ir.verify import VerifyError, verify

__all__ = [
    "ATTRIBUTES",
    "BY_CALL",
    "BY_OPERATOR",
    "METHODS",
    "OPS",
    "UNKNOWN",
    "ArrayType",
    "Attribute",
    "Body",
    "Builder",
    "Effect",
    "Graph",
    "Kind",
    "Node",
    "ObjectType",
    "Op",
    "ParseError",
    "ScalarType",
    "Type",
    "Unsupported",
    "Value",
    "VerifyError",
    "captured",
    "interpret",
    "leaf_type",
    "leaves",
    "map_tree",
    "parse",
    "parse_type",
    "phantom",
    "row_named",
    "row_of",
    "specialise",
    "substitute",
    "type_of",
    "uses",
    "values",
    "verify",
    "walk",
]
